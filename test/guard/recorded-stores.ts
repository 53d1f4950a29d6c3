/**
 * Opens stores that an earlier version wrote, and repeats every call that they know. `verify` and all states must be as
 * recorded, no key may become free, and no release may be used twice.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openDatabase } from "../../core/store/open";
import type { StoreSettings } from "../../core/store/settings";
import { engines } from "../core/store/engines";
import { eventually } from "../support/eventually";
import { operationNamed, outcomeOf } from "./outcomes";
import { beginCalls, claimsMs, type Names, recordStore } from "./record-store";
import { isRecording, readRecording, shortHash, writeRecording } from "./recordings";
import { people, secretOf, storeKey, type World, inWorld } from "./store-world";
import { journalCalls, laterFate, orders, releasedCalls, responding, type StoredCall } from "./stored-calls";

/** States and results of everything in a store, by name. */
type Lines = Record<string, string>;

interface Facts {
  readonly people: string;
  readonly names: Readonly<Record<string, Names>>;
  readonly lines: Record<string, Lines>;
}

const recorded = engines().flatMap((engine) =>
  ["plain", "sealed"].map((kind) => ({ engine, kind, name: `${engine.name.toLowerCase()}-${kind}` })),
);
type Store = (typeof recorded)[number];
let facts: Facts;

/** The statements that make the same tables with the same rows. */
async function statementsOf(settings: StoreSettings, schema: readonly string[]): Promise<string[]> {
  const database = await openDatabase(settings);
  const statements = [...schema];
  for (const table of schema.flatMap((sql) => /^CREATE TABLE (\w+)/.exec(sql)?.[1] ?? []))
    for (const row of await database.run(`SELECT * FROM ${table}`)) {
      const values = Object.values(row).map((value) =>
        value === null ? "NULL" : `'${String(value).replaceAll("'", "''")}'`,
      );
      statements.push(`INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${values.join(", ")})`);
    }
  await database.close();
  return statements;
}

async function schemaOf(settings: StoreSettings): Promise<string[]> {
  const database = await openDatabase(settings);
  const rows = await database.run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid");
  await database.close();
  return rows.map(({ sql }) => String(sql).replaceAll(/\s+/g, " "));
}

/** Records a store of each kind. A plain PostgreSQL store has the rows of the plain SQLite store: fxdesk writes none. */
async function record(world: World): Promise<Facts> {
  const names: Record<string, Names> = {};
  for (const person of people) {
    const args = ["releases", "enrol", person];
    const { code } = await world.run({ location: "", key: undefined }, args, `${secretOf(person)}\n`);
    expect(code).toBe(0);
  }
  let schema: string[] = [];
  const writeStatements = async (name: string, settings: StoreSettings) =>
    writeRecording(`${name}.sql`, (await statementsOf(settings, schema)).join("\n"));
  for (const { engine, kind, name } of recorded) {
    if (name === "postgresql-plain") continue;
    const settings = { ...(await engine.create()), key: kind === "sealed" ? storeKey : undefined };
    names[name] = await recordStore(world, settings, async () => {
      if (engine.name !== "SQLite") return writeStatements(name, settings);
      const path = join(world.folder, `${name}.db`);
      const database = await openDatabase(settings);
      await database.run(`VACUUM INTO '${path}'`);
      await database.close();
      await writeRecording(`${name}.db`, await readFile(path));
      schema = await schemaOf(settings);
      if (kind === "plain") await writeStatements("postgresql-plain", settings);
    });
  }
  names["postgresql-plain"] = names["sqlite-plain"]!;
  await wait(claimsMs);
  return { people: await readFile(world.peoplePath, "utf8"), names, lines: {} };
}

/** Returns a copy of a recorded store. */
async function restore({ engine, kind, name }: Store): Promise<StoreSettings> {
  const { location } = await engine.create();
  if (engine.name === "SQLite") {
    await mkdir(dirname(location), { recursive: true });
    await writeFile(location, await readRecording(`${name}.db`), { mode: 0o600 });
    return { location, key: kind === "sealed" ? storeKey : undefined };
  }
  const settings = { location, key: storeKey };
  const database = await openDatabase(settings);
  for (const statement of String(await readRecording(`${name}.sql`)).split("\n"))
    await database.run(statement);
  await database.close();
  return settings;
}

/** The list of trades while a store is recorded. */
const recordedListing = () =>
  responding(200, [
    {
      trade_id: "t recovered",
      reference: "INV recovered booking",
      order_date: new Date().toISOString().slice(0, 10),
    },
  ]);

beforeAll(async () => {
  facts = isRecording
    ? await inWorld(record, { listing: recordedListing(), lost: "order unknown" })
    : (JSON.parse(String(await readRecording("stores.json"))) as Facts);
}, 300_000);
afterAll(async () => {
  if (isRecording) await writeRecording("stores.json", JSON.stringify(facts, undefined, 1));
});

type Check = (world: World, store: Store) => Promise<void>;

/** Tests stores. The tests mostly wait, so they run at the same time, each in a world and with a store of its own. */
const testEach = (stores: readonly Store[], what: string, check: Check) =>
  test.concurrent.each(stores)(
    `The store $name ${what}`,
    (store) =>
      inWorld(async (world) => {
        await writeFile(world.peoplePath, facts.people, { mode: 0o600 });
        for (const call of [...journalCalls, ...releasedCalls]) world.server.plan(call.id, laterFate(call));
        await check(world, store);
      }),
    120_000,
  );

const withRelease = ({ policyPath, peoplePath }: World) => ({ policy: policyPath, people: peoplePath });

async function listed(world: World, settings: StoreSettings, what: "journal" | "releases") {
  const limit = what === "journal" ? ["--limit", "100"] : [];
  const { stdout } = await world.run(settings, [what, "list", ...limit, "--json"]);
  return JSON.parse(stdout) as Readonly<Record<string, string>>[];
}

async function verified(world: World, settings: StoreSettings): Promise<string> {
  const { code, stdout } = await world.run(settings, ["journal", "verify", "--json"]);
  const { events, entries, head, faultCount } = JSON.parse(stdout) as Record<string, string | number>;
  return `exit code ${code}, ${events} events, ${entries} entries, ${faultCount} faults, head ${head}`;
}

/** Verifies a store and lists what is in it. */
async function inspect(world: World, settings: StoreSettings, names: Names): Promise<Lines> {
  const lines: Lines = { verify: await verified(world, settings) };
  lines.export = shortHash((await world.run(settings, ["journal", "export"])).stdout);
  lines.check = `exit code ${(await world.run(settings, ["store", "check"])).code}`;
  for (const { id, operation, state, key, reference } of await listed(world, settings, "journal"))
    lines[`entry ${names[id!] ?? key}`] = `${state} ${operation} ${key} ${reference ?? "no reference"}`;
  for (const { release, state, operation } of await listed(world, settings, "releases"))
    lines[`release ${names[release!]}`] = `${state} ${operation}`;
  return lines;
}

const isReleased = ({ name }: StoredCall) => releasedCalls.some((call) => call.name === name);

/** Makes a call on its own. Returns its outcome and the number of requests that arrived. */
async function made(world: World, settings: StoreSettings, call: StoredCall, actor = "desk") {
  const before = world.changingRequests();
  const client = world.client(settings, { actor, ...(isReleased(call) && withRelease(world)) });
  const { text } = await outcomeOf(client, call);
  await client.close();
  const requests = world.changingRequests() - before;
  return { text: `${text}; requests: ${requests}`, requests };
}

/** Repeats every call. Asserts that one whose key or release is free is sent once, and every other never. */
async function repeatCalls(world: World, settings: StoreSettings): Promise<Lines> {
  const lines: Lines = {};
  // Without a key of its own, a payment with the same terms is another payment.
  for (const call of [...journalCalls, ...releasedCalls]) {
    const other = await made(world, settings, { ...call, input: call.otherInput });
    lines[`other terms: ${call.name}`] = other.text;
    if (call.key !== undefined) expect(other.text).toBe("not-sent conflict, no status after 0; requests: 0");
    expect([call.name, other.requests]).toEqual([call.name, 0]);
    if (!isReleased(call)) continue;
    const stranger = await made(world, settings, call, "carl");
    lines[`asked by another: ${call.name}`] = stranger.text;
    expect([call.name, stranger.requests]).toEqual([call.name, 0]);
  }
  for (const call of [...journalCalls, ...releasedCalls]) {
    if (call.name.includes("raced")) continue;
    const first = await made(world, settings, call);
    const second = await made(world, settings, call);
    lines[`repeated: ${call.name}`] = first.text;
    lines[`repeated again: ${call.name}`] = second.text;
    expect([call.name, first.requests, second.requests]).toEqual([call.name, call.isFree ? 1 : 0, 0]);
  }
  for (const raced of releasedCalls.filter(({ name }) => name.includes("raced"))) {
    const clients = [1, 2, 3].map(() => world.client(settings, withRelease(world)));
    const before = world.changingRequests();
    await Promise.all(clients.map((client) => outcomeOf(client, raced)));
    expect([raced.name, world.changingRequests() - before]).toEqual([raced.name, 1]);
    await Promise.all(clients.map((client) => client.close()));
  }
  return lines;
}

/** Starts the booking of orders. Asserts that the approved one is booked once, and no other. */
async function bookOrders(world: World, settings: StoreSettings, approved: string): Promise<void> {
  const client = world.client(settings, withRelease(world));
  await client.orders.start();
  await eventually(async () => (await client.orders.get(approved)).state === "booked" || undefined, {
    withinMs: 15_000,
    what: "the booking of the approved order",
  });
  // Time for a second booking, and for a look at the unknown one.
  await wait(2_500);
  await client.close();
  expect(world.bookedOrders()).toEqual(["order approved"]);
}

const namesOf = ({ name }: Store): Names => facts.names[name]!;

const approvedOrderOf = (store: Store): string =>
  Object.entries(namesOf(store)).find(([, name]) => name === "order approved")![0];

const endsAsRecorded: Check = async (world, store) => {
  const settings = await restore(store);
  const names = namesOf(store);
  const lines = await inspect(world, settings, names);
  expect(lines.verify).toContain("exit code 0");
  for (const [name, state] of Object.entries(orders))
    expect([name, lines[`release ${name}`]]).toEqual([name, `${state} trades.order`]);
  Object.assign(lines, await repeatCalls(world, settings));
  await bookOrders(world, settings, approvedOrderOf(store));
  for (const { release, state } of await listed(world, settings, "releases"))
    if (names[release!]) lines[`release in the end: ${names[release!]}`] = state!;
  for (const { id, key, state } of await listed(world, settings, "journal"))
    if (names[id!] ?? journalCalls.some(({ name }) => name === key))
      lines[`entry in the end: ${names[id!] ?? key}`] = state!;
  expect(await verified(world, settings)).toMatch(/exit code 0.* 0 faults/);
  if (isRecording) facts.lines[store.name] = lines;
  else expect(lines).toEqual(facts.lines[store.name]);
};

const keepsCallInProgress: Check = async (world, store) => {
  const settings = await store.engine.create();
  const endCalls = await beginCalls(world, settings, { queueTimeoutMs: 60_000, timeoutMs: 60_000 });
  const lines = await inspect(world, settings, namesOf(store));
  await world.server.close();
  await endCalls();
  expect(lines.verify).toContain("exit code 0");
  if (isRecording) return;
  for (const name of ["entry process died before sending", "entry process died after sending"])
    expect([name, lines[name]]).toEqual([name, facts.lines[store.name]![name]]);
};

const refusesForgedReleases: Check = async (world, store) => {
  const settings = await restore(store);
  const database = await openDatabase(settings);
  await database.run(`INSERT INTO fxdesk_release_decisions (release, person, decision, hash, at, until, mac, content)
    SELECT r.id, 'bert', 'release', r.hash, d.at, d.until, d.mac, d.content FROM fxdesk_releases AS r
    JOIN fxdesk_release_decisions AS d ON d.release = (SELECT min(id) FROM fxdesk_releases WHERE state = 'sent')
    WHERE r.state = 'waiting'`);
  await database.run("UPDATE fxdesk_releases SET state = 'released', entry = NULL, next_at = 0");
  await database.close();
  // The journal protects money calls. Other calls have nothing but the state, which is not authenticated.
  const isUsedUp = ({ isFree, operation }: StoredCall) =>
    !isFree && operationNamed(operation).effect === "money";
  for (const call of releasedCalls.filter(isUsedUp)) {
    const { requests } = await made(world, settings, call);
    expect([call.name, requests]).toEqual([call.name, 0]);
  }
  await bookOrders(world, settings, approvedOrderOf(store));
};

const changes = {
  "the content of an event":
    "UPDATE fxdesk_journal_events SET content = replace(content, 'done', 'rejected') WHERE kind = 'ended'",
  "the state of an entry": "UPDATE fxdesk_journal_entries SET state = 'not-sent' WHERE state = 'unknown'",
  "missing details": "DELETE FROM fxdesk_journal_details WHERE seq = 1",
};

const verifyFinds =
  (change: string): Check =>
  async (world, store) => {
    const settings = await restore(store);
    const database = await openDatabase(settings);
    await database.run(change);
    await database.close();
    expect(await verified(world, settings)).toMatch(/exit code 1/);
  };

/** Tests recorded stores by name. */
export function testStores(...names: readonly string[]): void {
  const stores = recorded.filter(({ name }) => names.includes(name));
  testEach(stores, "is sound, sends nothing twice, and ends as recorded", endsAsRecorded);
  testEach(stores, "keeps a call in progress in its recorded state", keepsCallInProgress);
  testEach(
    stores,
    "makes no money release good by forged approvals or changed states",
    refusesForgedReleases,
  );
  for (const [what, change] of Object.entries(changes))
    testEach(stores, `is found to be changed by verify: ${what}`, verifyFinds(change));
}
