/** Verifies the journal of a store: the chain of each environment, and that every row belongs to an event. */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Row } from "../store/database";
import type { Store } from "../store/open";
import type { StoreSettings } from "../store/settings";
import { listEnvironments, readHead } from "./events";
import { type ChainHead, emptyHead } from "./hash-chain";
import { type MatchedRows, Verification, type VerificationResult, type VerifiedPart } from "./verify";
import { type ChainRange, verifyRange } from "./verify-range";
import type { VerifyTask } from "./verify-worker";

/** Rows without an event. Counting first is much faster than comparing. */
const orphanQueries = {
  entries: {
    count: "SELECT count(*) AS count FROM fxdesk_journal_entries",
    find: `SELECT x.id FROM fxdesk_journal_entries AS x
      LEFT JOIN fxdesk_journal_events AS e ON e.environment = x.environment AND e.seq = x.intent_seq AND e.entry = x.id
      WHERE e.seq IS NULL LIMIT 1000`,
  },
  details: {
    count: "SELECT count(*) AS count FROM fxdesk_journal_details",
    find: `SELECT d.environment, d.seq FROM fxdesk_journal_details AS d
      LEFT JOIN fxdesk_journal_events AS e ON e.environment = d.environment AND e.seq = d.seq
      WHERE e.seq IS NULL LIMIT 1000`,
  },
} as const;

async function findOrphans(
  { run }: Store,
  name: keyof MatchedRows,
  matched: MatchedRows,
): Promise<readonly Row[]> {
  const { count, find } = orphanQueries[name];
  const [row] = await run(count);
  return Number(row!.count) === matched[name] ? [] : run(find);
}

export interface StoreVerificationOptions {
  /** Heads that were stored elsewhere. Each must be in a chain. */
  readonly heads?: readonly ChainHead[];
  /** Heads up to which the chains were verified before. Only later events, and their entries, are verified. */
  readonly from?: readonly ChainHead[];
  /** Settings of the store. If given, several threads verify a long chain. */
  readonly settings?: StoreSettings | undefined;
}

/** Returns the given head that a chain contains. */
async function findStart(
  { run }: Store,
  environment: string,
  heads: readonly ChainHead[],
): Promise<ChainHead> {
  for (const head of heads) {
    const rows = await run(
      "SELECT seq FROM fxdesk_journal_events WHERE environment = $1 AND seq = $2 AND hash = $3",
      [environment, head.seq, head.hash],
    );
    if (rows.length > 0) return head;
  }
  return emptyHead;
}

/** Shorter chains are verified by this thread. */
const minEventsForThreads = 50_000;
const maxThreads = 2;

/** Almost all objects live as long as one page. Small heaps keep the memory of the process small. */
const resourceLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 16 };

/** Verifies a range in a thread of its own, or in this one if a row needs more memory. */
async function verifyInThread(store: Store, task: VerifyTask): Promise<VerifiedPart> {
  const worker = new Worker(join(__dirname, "verify-worker.js"), { workerData: task, resourceLimits });
  try {
    const [part] = (await once(worker, "message")) as [VerifiedPart];
    return part;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
    return verifyRange(store, task.range, task.heads);
  }
}

/** Splits the events of a chain after a head. The last range includes events that are written meanwhile. */
async function splitChain(
  store: Store,
  environment: string,
  from: ChainHead,
  count: number,
): Promise<ChainRange[]> {
  const threads = Math.min(availableParallelism(), maxThreads);
  const starts = [from];
  for (let index = 1; index < threads; index += 1) {
    const [row] = await store.run(
      "SELECT seq, hash FROM fxdesk_journal_events WHERE environment = $1 AND seq >= $2 ORDER BY seq LIMIT 1",
      [environment, from.seq + Math.floor((count * index) / threads)],
    );
    starts.push({ seq: Number(row!.seq), hash: String(row!.hash) });
  }
  return starts.map((start, index) => ({
    environment,
    from: start,
    to: starts[index + 1]?.seq ?? Number.MAX_SAFE_INTEGER,
  }));
}

interface ChainOptions extends Pick<StoreVerificationOptions, "settings"> {
  readonly heads: readonly ChainHead[];
  readonly verification: Verification;
}

/** Verifies the events of a chain after a head. */
async function verifyChain(
  store: Store,
  environment: string,
  from: ChainHead,
  { settings, heads, verification }: ChainOptions,
): Promise<void> {
  const { seq } = await readHead(store, environment);
  verification.startChain(from);
  if (settings && seq - from.seq >= minEventsForThreads) {
    const ranges = await splitChain(store, environment, from, seq - from.seq);
    const parts = await Promise.all(ranges.map((range) => verifyInThread(store, { settings, range, heads })));
    parts.forEach((part, index) => verification.addPart(environment, ranges[index]!.from, part));
  } else {
    const range = { environment, from, to: Number.MAX_SAFE_INTEGER };
    verification.addPart(environment, from, await verifyRange(store, range, heads));
  }
  verification.endChain(environment);
}

/** Verifies the journal of a store, while other processes may use it. */
export async function verifyStore(
  store: Store,
  { heads = [], from = [], settings }: StoreVerificationOptions = {},
): Promise<VerificationResult> {
  const allHeads = [...heads, ...from];
  const verification = new Verification(allHeads);
  let isComplete = true;
  for (const environment of await listEnvironments(store)) {
    const start = await findStart(store, environment, from);
    isComplete &&= start === emptyHead;
    await verifyChain(store, environment, start, { settings, heads: allHeads, verification });
  }
  if (isComplete) {
    const { matched } = verification;
    for (const { id } of await findOrphans(store, "entries", matched))
      verification.addFault(`entry ${id}`, "has no event");
    for (const { environment, seq } of await findOrphans(store, "details", matched))
      verification.addFault(`event ${Number(seq)} of ${environment}`, "is missing, although it has details");
  }
  return verification.finish();
}
