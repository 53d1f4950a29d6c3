/**
 * Replays seeded calls against the witness server and compares the bytes that arrived, the outcomes and the journal events
 * with the recording. `npm test` replays the first 500 calls; FXDESK_RUNS=10000 replays all. Error texts and everything
 * random (salts, times, entry IDs, generated references) are left out of the comparison.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClientOptions, createClient } from "@fxdesk/toolkit";
import { runFxdesk } from "../cli/run-command";
import { type PlannedResponse, type WitnessServer, startWitnessServer } from "../support/witness-server";
import { fixedUrl, withFixedUrl } from "./fixed-address";
import { type Client, normalised, operationNamed, type Outcome, outcomeOf } from "./outcomes";
import { isRecording, readRecording, shortHash, writeRecording } from "./recordings";
import { callsPerStory, type SeededCall, type Story, storyOf } from "./seeded-calls";

const recordedCalls = 10_000;
const runs = isRecording ? recordedCalls : Math.min(Number(process.env.FXDESK_RUNS ?? 500), recordedCalls);
/** Number of concurrent workers, each with a separate store. They mostly wait. */
const workers = isRecording ? 8 : 48;
/**
 * Stories at a time when those that differ are played again. Calls have time limits of their own, such as two seconds to
 * look for a lost booking, which a busy machine may miss; a changed behaviour differs each time.
 */
const fewerWorkers = [4, 1];
/** Mismatches that are shown in full. */
const mostShown = 3;

/** Result of a call. The first three properties are compared; the texts explain a hash that differs. */
interface Replayed {
  readonly call: string;
  readonly result: string;
  readonly hashes: string;
  readonly requests: readonly string[];
  readonly events: readonly string[];
}

/** Server and files of one pass through the stories. */
interface Pass {
  readonly server: WitnessServer;
  readonly folder: string;
}

const policies = {
  "all money": { people: ["anna", "desk"], rules: [{ effects: ["money"], from: ["anna"] }] },
  "above 100": {
    people: ["anna", "desk"],
    rules: [{ effects: ["money"], above: "100", from: ["anna"] }],
    amounts: { currency: "EUR" },
  },
};

/** The list of trades as the service shows it to a client that looks for a lost booking. */
function listingFate({ listing, calls }: Story, request: string): PlannedResponse {
  if (listing === "denied") return { kind: "respond", status: 403, body: "", as: "length" };
  if (!request.includes("page=1&")) return { kind: "respond", status: 200, body: "[]", as: "length" };
  const order_date = new Date().toISOString().slice(0, 10);
  const references = new Set(calls.flatMap(({ input }) => (input.reference as string | undefined) ?? []));
  const copies = { found: ["t"], several: ["t", "u"], none: [] }[listing];
  const trades = [...references].flatMap((reference) =>
    copies.map((copy) => ({ trade_id: `${copy}-${reference}`, reference, order_date })),
  );
  return { kind: "respond", status: 200, body: JSON.stringify(trades), as: "length" };
}

/** True if the next call can use the same client: after a money call, whose connection is never used again. */
const isClean = ({ operation }: SeededCall): boolean => operationNamed(operation).effect === "money";

const clientOf = ({ id, clientId, policy, token }: Story, store: StoreOptions, folder: string): Client =>
  createClient({
    ...store,
    baseUrl: fixedUrl,
    xs2aUrl: fixedUrl,
    clientId,
    contactId: id,
    actor: "desk",
    credentials: {
      accessToken: token === "fixed" ? "access-token" : () => Promise.reject(new Error("no token today")),
      apiKey: "api-key",
    },
    ...(policy !== "none" && { policy: join(folder, policy) }),
  });

/** Members of events that differ in every run, or are wording. */
const unstable = new Set(["salt", "lookedAt", "message", "remark", "note", "name"]);

interface ExportedEvent {
  readonly entry: string;
  readonly kind: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly details?: Readonly<Record<string, unknown>>;
}

function textOfEvent({ kind, content, details = {} }: ExportedEvent): string {
  const { details: _, ...facts } = content;
  const isOwnKey = /^[0-9a-f]{8}-/.test(String(facts.key));
  const stable = { ...facts, ...(isOwnKey && { key: "GENERATED" }), details };
  const json = JSON.stringify(stable, (name, value: unknown) => (unstable.has(name) ? undefined : value));
  return normalised(`${kind} ${json}`);
}

/** Returns the journal events of a store by entry, for each entry in as many parts as there were intents. */
async function eventsByEntry({ store, storeKey }: StoreOptions): Promise<Map<string, string[][]>> {
  const variables = { FXDESK_STORE: store, ...(storeKey && { FXDESK_STORE_KEY: storeKey }) };
  const verified = await runFxdesk(["journal", "verify"], { variables });
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/Faults +0/) as string });
  const { stdout } = await runFxdesk(["journal", "export"], { variables });
  const lines = stdout.trim().split("\n").slice(0, -1);
  const found = new Map<string, string[][]>();
  for (const event of lines.map((line) => JSON.parse(line) as ExportedEvent)) {
    const parts = found.get(event.entry) ?? [];
    found.set(event.entry, parts);
    if (event.kind === "intent") parts.push([]);
    parts.at(-1)!.push(textOfEvent(event));
  }
  return found;
}

type StoreOptions = Required<Pick<ClientOptions, "store">> & Pick<ClientOptions, "storeKey">;

async function play(story: Story, store: StoreOptions, { server, folder }: Pass): Promise<Outcome[]> {
  server.plan(story.id, (request) => listingFate(story, request));
  for (const { id, fate } of story.calls) server.plan(id, fate);
  const outcomes: Outcome[] = [];
  let client: Client | undefined;
  for (const call of story.calls) {
    client ??= clientOf(story, store, folder);
    outcomes.push(await outcomeOf(client, call));
    if (isClean(call)) continue;
    await client.close();
    client = undefined;
  }
  await client?.close();
  return outcomes;
}

/** Plays stories one after the other. Returns the results of their calls by the number of the story. */
async function work(pass: Pass, worker: number, numbers: readonly number[]) {
  const storeKey = worker % 2 === 0 ? Buffer.alloc(32, worker + 1).toString("base64") : undefined;
  const store = { store: join(pass.folder, `${worker}.db`), ...(storeKey !== undefined && { storeKey }) };
  const played: { story: Story; outcomes: Outcome[] }[] = [];
  for (const number of numbers) {
    const story = storyOf(number);
    played.push({ story, outcomes: await play(story, store, pass) });
  }
  const events = await eventsByEntry(store);
  return played.map(({ story, outcomes }) => {
    const calls = story.calls.map((call, index) => {
      // Searches for lost bookings are repeated as time goes by, so only what they ask for is compared.
      const looks = index === 0 ? new Set(pass.server.seen.get(story.id)?.requests) : [];
      const made = pass.server.seen.get(call.id)?.requests ?? [];
      const { text, entry = "" } = outcomes[index]!;
      // The same entry again is a call that was allowed to run once more.
      const written = events.get(entry)?.shift();
      return replayedCall(call, text, [...looks, ...made].map(normalised), written);
    });
    return [story.number, calls] as const;
  });
}

/** Plays stories with new stores and a new server. */
async function playAll(numbers: readonly number[], together: number) {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-guard-"));
  for (const [name, policy] of Object.entries(policies))
    await writeFile(join(folder, name), JSON.stringify(policy), { mode: 0o644 });
  const server = await startWitnessServer();
  try {
    const shares = Array.from({ length: together }, (_, worker) =>
      numbers.filter((_number, index) => index % together === worker),
    );
    const found = await withFixedUrl(server.url, () =>
      Promise.all(shares.map((share, worker) => work({ server, folder }, worker, share))),
    );
    return new Map(found.flat());
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const stateIn = (event: string): string =>
  [/^\w+/.exec(event)![0], /"state":"([^"]+)"/.exec(event)?.[1]].filter(Boolean).join(" ");

function replayedCall(
  { number, operation, label }: SeededCall,
  outcome: string,
  requests: readonly string[],
  events: readonly string[] = [],
): Replayed {
  const recordedEvents = events.map(stateIn).join(", ") || "no events";
  return {
    call: `${number} ${operation} (${label})`,
    result: `${outcome}; requests: ${requests.length}; journal: ${recordedEvents}`,
    hashes: `${shortHash(requests.join("\n"))} ${shortHash(events.join("\n"))}`,
    requests,
    events,
  };
}

/** The recording has the texts of the first call of each operation and outcome; for the others their hashes. */
function toRecord(calls: readonly Replayed[]): string {
  const seen = new Set<string>();
  const lines = calls.map(({ call, result, hashes, requests, events }) => {
    const [, operation] = call.split(" ", 2);
    const kind = `${operation} ${result.split(" ", 1)[0]}`;
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return JSON.stringify({ call, result, hashes, ...(isFirst && { requests, events }) });
  });
  return `${lines.join("\n")}\n`;
}

type Recorded = Pick<Replayed, "call" | "result" | "hashes"> & Partial<Replayed>;

/**
 * True if a throttled call comes before a booking. The client then makes its calls slower, and whether a search for a lost
 * booking still ends within its two seconds is a matter of timing.
 */
function isThrottled({ calls }: Story): boolean {
  const throttled = calls.findIndex(({ fate }) => "status" in fate && fate.status === 429);
  return throttled >= 0 && calls.slice(throttled + 1).some(({ operation }) => operation === "trades.book");
}

/** True if a booking is answered with 409. It was final when this was recorded; now the trade is looked up first. */
const isConflicting = ({ calls }: Story): boolean =>
  calls.some(({ operation, fate }) => operation === "trades.book" && "status" in fate && fate.status === 409);

const isSame = (call: Replayed, before: Recorded): boolean =>
  call.call === before.call && call.result === before.result && call.hashes === before.hashes;

test(
  `${runs} calls send the recorded bytes, end as recorded and leave the recorded events`,
  async () => {
    const all = Array.from({ length: runs / callsPerStory }, (_, number) => number);
    const isComparable = (story: Story) => !isThrottled(story) && !isConflicting(story);
    const stories = isRecording ? all : all.filter((number) => isComparable(storyOf(number)));
    const found = await playAll(stories, workers);
    const callsOf = (numbers: readonly number[]) => numbers.flatMap((number) => found.get(number)!);
    if (isRecording) return writeRecording("calls.jsonl", toRecord(callsOf(stories)));
    const lines = (await readRecording("calls.jsonl")).toString().trim().split("\n");
    const recording = lines.map((line) => JSON.parse(line) as Recorded);
    const before = (number: number) => recording.slice(number * callsPerStory, (number + 1) * callsPerStory);
    const differing = () =>
      stories.filter((number) =>
        found.get(number)!.some((call, index) => !isSame(call, before(number)[index]!)),
      );
    for (const together of fewerWorkers) {
      // More than a few are no accident, even on a busy machine.
      if (differing().length > runs / 20) break;
      for (const [number, calls] of await playAll(differing(), together)) found.set(number, calls);
    }
    const pairs = differing().flatMap((number) =>
      found.get(number)!.map((now, index) => ({ now, recorded: before(number)[index]! })),
    );
    const different = pairs.filter(({ now, recorded }) => !isSame(now, recorded));
    // Calls whose texts are recorded come first: they show what a hash only proves.
    const telling = different.toSorted(
      (one, other) => Number(!one.recorded.requests) - Number(!other.recorded.requests),
    );
    const shown = telling.slice(0, mostShown);
    expect({
      differing: different.length,
      calls: different.slice(0, 20).map(({ now }) => now.call),
      shown: shown.map(({ now }) => now),
    }).toEqual({ differing: 0, calls: [], shown: shown.map(({ recorded }) => recorded) });
  },
  20 * 60_000,
);
