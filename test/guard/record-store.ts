/** Fills a store with entries and releases in every state. The tests replay what it left. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { loadPeople, signDecision } from "../../core/releases/people";
import { withStore } from "../../core/store/open";
import type { StoreSettings } from "../../core/store/settings";
import { eventually } from "../support/eventually";
import { outcomeOf } from "./outcomes";
import { secretOf, type World } from "./store-world";
import { journalCalls, orderInput, orders, releasedCalls, type StoredCall } from "./stored-calls";

/** The names of entries and releases by their IDs. */
export type Names = Record<string, string>;

const dayMs = 86_400_000;
const farFuture = Date.parse("2100-01-01T00:00:00Z");
/** Enough time to approve what expires next. */
const soonMs = 5_000;

/**
 * Runs something as if it were another time. A release ends one day after it was requested, so one that is to be used for
 * years is requested in the far future. Only Date.now is changed: timers and the clock of the store go on.
 */
async function atTime<T>(time: number, work: () => Promise<T>): Promise<T> {
  const clock = jest.spyOn(Date, "now").mockReturnValue(time);
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}

/**
 * An approval counts for at most a year from the clock of the store, which cannot be changed. So approvals are signed once
 * more, to last as long as their releases.
 */
const prolongApprovals = (settings: StoreSettings, { peoplePath }: World) =>
  withStore(settings, async ({ database: { run } }) => {
    const key = await loadPeople(peoplePath);
    const rows = await run(
      `SELECT d.*, r.valid_until FROM fxdesk_release_decisions AS d JOIN fxdesk_releases AS r ON r.id = d.release
       WHERE d.decision = 'release' AND r.valid_until > $1`,
      [Date.now() + 2 * 365 * dayMs],
    );
    for (const row of rows) {
      const [release, person, until] = [String(row.release), String(row.person), Number(row.valid_until)];
      const decision = "release" as const;
      const { mac } = signDecision(key, {
        release,
        person,
        decision,
        until,
        hash: String(row.hash),
        at: Number(row.at),
      });
      await run(
        "UPDATE fxdesk_release_decisions SET until = $3, mac = $4 WHERE release = $1 AND person = $2",
        [release, person, until, mac],
      );
    }
  });

async function expectSuccess(running: ReturnType<World["run"]>): Promise<void> {
  expect(await running).toMatchObject({ code: 0 });
}

const decide = (world: World, store: StoreSettings, id: string, person = "anna", decision = "release") =>
  expectSuccess(world.run(store, ["releases", decision, id, "--as", person], `${secretOf(person)}\n`));

async function recordJournal(world: World, store: StoreSettings, names: Names): Promise<void> {
  const client = world.client(store);
  const tokenless = world.client(store, {
    credentials: { accessToken: () => Promise.reject(new Error("no token today")) },
  });
  for (const call of journalCalls.filter(({ name }) => !name.includes("died"))) {
    world.server.plan(call.id, call.fate);
    const { entry } = await outcomeOf(call.name.includes("token") ? tokenless : client, call);
    names[entry!] = call.name;
    if (call.name.includes("erased")) await expectSuccess(world.run(store, ["journal", "erase", entry!]));
    const [, resolution] = /^resolved as (.+)$/.exec(call.name) ?? [];
    const identity = resolution === "done" ? ["--identity", "t 1"] : [];
    const args = ["journal", "resolve", entry!, "--outcome", resolution!, "--note", "seen", ...identity];
    if (resolution !== undefined) await expectSuccess(world.run(store, args));
  }
  await Promise.all([client.close(), tokenless.close()]);
}

/** When a call is to be requested. */
function timeOf(name: string): number {
  if (name === "expired while waiting" || name === "order expired") return Date.now() - 2 * dayMs;
  return name === "expired after approval" ? Date.now() - dayMs + soonMs : farFuture;
}

async function recordRelease(
  world: World,
  store: StoreSettings,
  client: FxdeskClient,
  call: StoredCall,
): Promise<string> {
  const { name } = call;
  world.server.plan(call.id, call.fate);
  const { release } = await atTime(timeOf(name), () => outcomeOf(client, call));
  if (/approv|^used/.test(name)) await decide(world, store, release!);
  if (name.includes("by two")) await decide(world, store, release!, "bert");
  if (name.includes("refused")) await decide(world, store, release!, "anna", "refuse");
  if (name.includes("cancelled")) await expectSuccess(world.run(store, ["releases", "cancel", release!]));
  if (name.startsWith("used")) await outcomeOf(client, call);
  return release!;
}

async function recordReleases(world: World, store: StoreSettings, names: Names): Promise<void> {
  const { policyPath: policy, peoplePath: people } = world;
  const client = world.client(store, { policy, people });
  for (const call of releasedCalls) names[await recordRelease(world, store, client, call)] = call.name;
  const ids: Record<string, string> = {};
  for (const name of Object.keys(orders)) {
    const time = timeOf(name);
    const input = orderInput(name, new Date(time + dayMs).toISOString());
    const { release } = await atTime(time, () => client.orders.order(input));
    names[release] = name;
    ids[name] = release;
  }
  await decide(world, store, ids["order refused"]!, "anna", "refuse");
  await expectSuccess(world.run(store, ["releases", "cancel", ids["order cancelled"]!]));
  for (const name of ["order booked", "order unknown"] as const) {
    await decide(world, store, ids[name]!);
    await eventually(async () => (await client.orders.get(ids[name]!)).state === orders[name] || undefined, {
      withinMs: 15_000,
      what: `the end of ${name}`,
    });
  }
  await client.close();
  // Approved while no client runs that could book it.
  await decide(world, store, ids["order approved"]!);
}

/**
 * Begins calls whose process seems to die: the store is copied while they wait. Returns a function that waits for their end,
 * by their time limit or that of the server.
 */
export async function beginCalls(
  world: World,
  store: StoreSettings,
  limits = { queueTimeoutMs: 500, timeoutMs: 3_000 },
): Promise<() => Promise<void>> {
  const [before, after] = journalCalls.filter(({ name }) => name.includes("died")) as [
    StoredCall,
    StoredCall,
  ];
  let refuseToken: (reason: Error) => void;
  const token = new Promise<string>((_, reject) => (refuseToken = reject));
  const stuck = world.client(store, { ...limits, credentials: { accessToken: () => token } });
  const client = world.client(store, limits);
  world.server.plan(after.id, after.fate);
  const waiting = [outcomeOf(stuck, { ...before, ...limits }), outcomeOf(client, { ...after, ...limits })];
  await eventually(
    async () => {
      const { stdout } = await world.run(store, ["journal", "list", "--json"]);
      return (stdout.includes('"intended"') && stdout.includes('"sent"')) || undefined;
    },
    { withinMs: limits.timeoutMs, what: "two calls in progress" },
  );
  return async () => {
    refuseToken(new Error("no token today"));
    await Promise.all(waiting);
    await Promise.all([stuck.close(), client.close()]);
  };
}

/** Duration of the claims of the calls that `beginCalls` starts. */
export const claimsMs = 10_000;

/** Fills an empty store and calls `copy` while two calls are in progress. Returns the names of its entries and releases. */
export async function recordStore(
  world: World,
  store: StoreSettings,
  copy: () => Promise<void>,
): Promise<Names> {
  const names: Names = {};
  await recordJournal(world, store, names);
  await recordReleases(world, store, names);
  await prolongApprovals(store, world);
  const endCalls = await beginCalls(world, store);
  await copy();
  await endCalls();
  return names;
}
