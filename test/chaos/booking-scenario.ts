/**
 * Bookings under faults: workers race on the same keys and are killed at random, and the network and the service fail.
 * After the faults stop, the journal is compared with the books of the sandbox.
 */
import { setTimeout as pause } from "node:timers/promises";
import { environmentName } from "@fxdesk/toolkit";
import type { Entry } from "../../core/journal/entry";
import { openJournal } from "../../core/journal/journal";
import { verifyStore } from "../../core/journal/verify-store";
import { withStore } from "../../core/store/open";
import type { StoreSettings } from "../../core/store/settings";
import { type CompanyNetwork, companyNetwork } from "../support/company-network";
import { eventually } from "../support/eventually";
import { closeLater, runLater } from "../support/resources";
import { countsOf, type SeededRandom, seededRandom } from "./seeded-random";
import { type FaultProxy, faultProxy } from "./fault-proxy";
import { type SandboxProcess, startSandboxProcess } from "./sandbox-process";
import { type WorkerResult, Worker } from "./booking-workers";

export interface BookingScenario {
  readonly store: StoreSettings;
  readonly bookings: number;
  readonly seed: number;
  /** True if the sandbox accepts several trades from one quote. */
  readonly reusableQuotes: boolean;
  /** Number of bookings after which one worker is killed. */
  readonly killEvery: number;
  /** True if calls pass the proxy and the TLS of a company. */
  readonly isCompany?: boolean;
}

export interface BookingReport {
  readonly bookings: number;
  readonly kills: number;
  readonly faults: number;
  /** Trades of these bookings in the sandbox's books. */
  readonly booked: number;
  /** Number of those trades that the journal records as done with the right ID. */
  readonly known: number;
  /** Number of those that a reference search found. */
  readonly recovered: number;
  readonly byState: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** Violations found. */
  readonly faultsFound: readonly string[];
}

/** Number of workers that race on a key. */
const racers = 4;
/** Maximum number of concurrent bookings. */
const maxConcurrentBookings = 60;

/** A booking that must be made at most once, however often it is requested. */
interface BookingIntent {
  readonly key: string;
  readonly quoteId: string;
  /** Unique reference of the caller; generated if omitted. */
  readonly reference: string | undefined;
  readonly results: WorkerResult[];
}

/** Short, so that claims of a killed process expire soon. */
const limits = { timeoutMs: "1000", queueTimeoutMs: "1500" };

function environmentFor(
  sandbox: SandboxProcess,
  proxy: FaultProxy,
  { store }: BookingScenario,
  network: CompanyNetwork | undefined,
) {
  const settings = {
    ...limits,
    baseUrl: proxy.url,
    store: store.location,
    storeKey: store.key!.toString("base64"),
  };
  const ours = Object.entries(settings).map(([name, value]) => [environmentName(name), value]);
  const { PATH, XDG_STATE_HOME } = process.env;
  return {
    PATH,
    XDG_STATE_HOME,
    ...sandbox.variables,
    ...Object.fromEntries(ours),
    ...network?.variables,
  } as Record<string, string>;
}

/** True if the call must be repeated: it was not sent, or its outcome is unknown to this worker. */
const isUndecided = ({ outcome, status, code }: WorkerResult): boolean =>
  outcome === "not-sent" || status === 429 || code === "timeout" || code === "aborted";

async function intentsOf({ bookings, seed }: BookingScenario, sandbox: SandboxProcess, chance: SeededRandom) {
  const intents: BookingIntent[] = [];
  for (let index = 0; index < bookings; index += 1) {
    const quoteId = await sandbox.quote();
    // A booking without a key uses the ID of its quote as its key.
    const key = chance.next() < 0.5 ? quoteId : `key-${seed}-${index}`;
    const reference = chance.next() < 0.3 ? `INV-${seed}-${index}` : undefined;
    intents.push({ key, quoteId, reference, results: [] });
  }
  return intents;
}

/** Repeats a call on a worker until that worker knows the outcome. */
async function book({ key, quoteId, reference }: BookingIntent, worker: Worker): Promise<WorkerResult> {
  const input = { quote_id: quoteId, reason: "other", ...(reference && { reference }) };
  for (let attempt = 1; ; attempt += 1) {
    const answer = await worker.book({ input, ...(key !== quoteId && { key }) });
    if (!isUndecided(answer) || attempt === 30) return answer;
    await pause(20);
  }
}

async function runAll(
  intents: readonly BookingIntent[],
  workers: readonly Worker[],
  killEvery: number,
  chance: SeededRandom,
) {
  let next = 0;
  const one = async () => {
    for (;;) {
      const intent = intents[next];
      if (!intent) return;
      next += 1;
      if (next % killEvery === 0) workers[chance.integer(0, workers.length - 1)]!.kill();
      intent.results.push(...(await Promise.all(workers.map((worker) => book(intent, worker)))));
    }
  };
  const together = Math.min(maxConcurrentBookings, Math.ceil(intents.length / 5));
  await Promise.all(Array.from({ length: together }, one));
}

const isInFlight = ({ state }: Entry) => state === "intended" || state === "sent";

/** Waits until every entry has ended and every booked trade is known, or until nothing changes. */
async function waitUntilSettled(
  store: StoreSettings,
  booked: ReadonlySet<string>,
): Promise<readonly Entry[]> {
  const journal = closeLater(await openJournal(store));
  const isMissing = (entry: Entry) =>
    isInFlight(entry) || (entry.state === "unknown" && booked.has(entry.reference!));
  await eventually(
    async () => {
      const open = await journal.list({ state: ["intended", "sent", "unknown"] });
      if (open.some(isMissing)) await pause(500);
      else return true;
    },
    { withinMs: 120_000, what: "outcomes of all bookings" },
  ).catch(() => undefined);
  return journal.list();
}

/** Returns the violations of one intent. */
function findProblems(
  intent: BookingIntent,
  entry: Entry | undefined,
  books: ReadonlyMap<string, readonly string[]>,
): string[] {
  const { key, results, reference } = intent;
  const found: string[] = [];
  const reported = new Set(results.flatMap(({ identity }) => identity ?? []));
  if (reported.size > 1) found.push(`callers received several trades: ${[...reported].join(", ")}`);
  for (const { outcome, message } of results) if (outcome === "broken") found.push(message!);
  if (!entry) return [...found, "is not in the journal"].map((fault) => `${key}: ${fault}`);
  const trades = books.get(entry.reference ?? "") ?? [];
  const { state, ending, endingDetails } = entry;
  if (reference !== undefined && entry.reference !== reference) found.push("has another reference");
  if (trades.length > 1) found.push(`was booked ${trades.length} times`);
  if (isInFlight(entry)) found.push(`is still ${state}`);
  if (state === "done" && ending?.identity !== trades[0])
    found.push(`is done as ${ending?.identity}, but booked as ${trades[0]}`);
  if ((state === "rejected" || state === "not-sent") && trades.length > 0)
    found.push(`is ${state}, but was booked`);
  if (state === "unknown" && !String(endingDetails?.remark).includes(entry.reference!))
    found.push("is unknown and has no reference to search for");
  if (reported.size === 1 && state !== "done") found.push(`was reported as done, but is ${state}`);
  return found.map((fault) => `${key}: ${fault}`);
}

export async function runBookings(given: BookingScenario): Promise<BookingReport> {
  const begun = performance.now();
  const chance = seededRandom(given.seed);
  const sandbox = await startSandboxProcess(given.reusableQuotes ? ["--reusable-quotes"] : []);
  const proxy = await faultProxy(sandbox.url, seededRandom(given.seed + 1));
  const before = new Set([...(await sandbox.tradesByReference()).values()].flat());
  const network = given.isCompany ? await companyNetwork(proxy.url) : undefined;
  const environment = environmentFor(sandbox, proxy, given, network);
  const workers = Array.from({ length: racers }, () => new Worker(environment));
  runLater(() => Promise.all(workers.map((worker) => worker.close())));
  const intents = await intentsOf(given, sandbox, chance);
  await runAll(intents, workers, given.killEvery, chance);
  const kills = workers.reduce((sum, worker) => sum + worker.kills, 0);
  // The faults stop. One worker restarts and recovers the rest; no more calls are made.
  proxy.stopFaults();
  await Promise.all(workers.map((worker) => worker.close()));
  const last = new Worker(environment);
  workers.splice(0, workers.length, last);
  const books = await sandbox.tradesByReference();
  const own = new Map(
    [...books].map(([reference, ids]) => [reference, ids.filter((id) => !before.has(id))] as const),
  );
  await last.book({ input: { quote_id: await sandbox.quote(), reason: "other" }, key: "the last one" });
  const entries = await waitUntilSettled(
    given.store,
    new Set([...own].flatMap(([reference, ids]) => (ids.length > 0 ? [reference] : []))),
  );
  const byKey = new Map(entries.map((entry) => [entry.key, entry]));
  const ours = intents.flatMap(({ key }) => byKey.get(key) ?? []);
  const references = new Set(ours.map(({ reference }) => reference));
  const strangers = [...own].filter(([reference, ids]) => ids.length > 0 && !references.has(reference));
  const verified = await withStore(given.store, (store) => verifyStore(store));
  return {
    bookings: given.bookings,
    kills,
    faults: proxy.faultCount(),
    booked: ours.reduce((sum, { reference }) => sum + (own.get(reference!)?.length ?? 0), 0),
    known: ours.filter(({ state }) => state === "done").length,
    recovered: ours.filter(({ ending }) => ending?.by === "recovery" && ending.state === "done").length,
    byState: countsOf(ours.map(({ state }) => state)),
    seconds: Math.round((performance.now() - begun) / 1_000),
    faultsFound: [
      ...intents.flatMap((intent) => findProblems(intent, byKey.get(intent.key), own)),
      ...strangers.map(([reference, ids]) => `${ids.join(", ")} of ${reference} is in no entry`),
      ...verified.faults.map(({ where, message }) => `${where}: ${message}`),
    ],
  };
}
