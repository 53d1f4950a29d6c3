/**
 * Measures how long a burst of messages to an operation node blocks the event loop, compared with an empty node, and counts
 * where the messages end. Prints JSON.
 */
import { setImmediate as turn } from "node:timers/promises";
import { deploy, nodes, onCanvas, retainedMB, startNodeRed } from "./node-red";
import { startServer } from "./server";

const count = 50_000;

/** Messages per burst: a yielding source sends this many per turn of the event loop. */
const yieldingBatchSize = 500;

const flow = [
  onCanvas("to-empty", "function", ["empty"], { func: "" }),
  onCanvas("to-fxdesk", "function", ["fxdesk"], { func: "" }),
  onCanvas("empty", "debug", [], { active: false }),
  onCanvas("fxdesk", "fxdesk-list-trades", ["answered"], { results: "one" }),
  onCanvas("answered", "debug", [], { active: false }),
  onCanvas("catch", "catch", ["refused"], { scope: null, uncaught: false }),
  onCanvas("refused", "debug", [], { active: false }),
];

export interface Burst {
  readonly longestMs: number;
  /** Number of messages by the node at which they ended. */
  readonly ended: Readonly<Record<string, number>>;
}

/** Measures the longest turn of the event loop until `work` has finished. */
async function longestTurn(isOver: () => boolean): Promise<number> {
  let [longest, last] = [0, performance.now()];
  while (!isOver()) {
    await turn();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}

async function burst(
  counts: Record<string, number>,
  source: string,
  ends: readonly string[],
  batchSize = count,
): Promise<Burst> {
  for (const end of ends) counts[end] = 0;
  const longest = longestTurn(() => ends.reduce((sum, end) => sum + counts[end]!, 0) === count);
  await turn();
  for (let sent = 0; sent < count; sent += batchSize) {
    nodes.getNode(source).send([Array.from({ length: batchSize }, () => ({}))]);
    if (batchSize < count) await turn();
  }
  return { longestMs: await longest, ended: Object.fromEntries(ends.map((end) => [end, counts[end]!])) };
}

export interface Bursts {
  readonly count: number;
  /** Results of consecutive rounds. */
  readonly empty: readonly Burst[];
  readonly fxdesk: readonly Burst[];
  readonly yielding: readonly Burst[];
  /** Growth of live memory from the first to the last round. */
  readonly growthMB: number;
}

async function measureBursts(): Promise<Bursts> {
  const { url, stop } = await startServer();
  const stopNodeRed = await startNodeRed(url);
  const counts: Record<string, number> = {};
  await deploy(flow, (id) => (counts[id] = (counts[id] ?? 0) + 1));
  const toEmpty = () => burst(counts, "to-empty", ["empty"]);
  const toFxdesk = (batchSize?: number) => burst(counts, "to-fxdesk", ["answered", "refused"], batchSize);
  await toEmpty();
  await toFxdesk();
  const before = await retainedMB();
  const [empty, fxdesk, yieldingBursts]: [Burst[], Burst[], Burst[]] = [[], [], []];
  for (let round = 0; round < 3; round += 1) {
    empty.push(await toEmpty());
    fxdesk.push(await toFxdesk());
    yieldingBursts.push(await toFxdesk(yieldingBatchSize));
  }
  const growthMB = (await retainedMB()) - before;
  await stopNodeRed();
  stop();
  return { count, empty, fxdesk, yielding: yieldingBursts, growthMB };
}

void measureBursts().then((bursts) => console.log(JSON.stringify(bursts, undefined, 1)));
