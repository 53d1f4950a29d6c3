/**
 * Measures how long a burst of messages to an operation node blocks the event loop, compared with an empty node, and counts
 * where the messages end. As a script it prints JSON.
 */
import { setImmediate as turn } from "node:timers/promises";
import { deploy, nodes, startNodeRed } from "./node-red";
import { collect } from "./old-generation";
import { startServer } from "./server";

const count = 50_000;

/** Messages per burst: a yielding source sends this many per turn of the event loop. */
const yieldingBatchSize = 500;

/** Without coordinates, Node-RED treats it as a config node. */
const onCanvas = (id: string, type: string, wires: readonly string[], properties: object = {}) => ({
  id,
  type,
  z: "tab",
  x: 0,
  y: 0,
  wires: [wires],
  ...properties,
});

const flow = [
  { id: "tab", type: "tab", label: "Burst" },
  { id: "connection", type: "fxdesk-connection", fromEnvironment: true },
  onCanvas("to-empty", "function", ["empty"], { func: "" }),
  onCanvas("to-fxdesk", "function", ["fxdesk"], { func: "" }),
  onCanvas("empty", "debug", [], { active: false }),
  onCanvas("fxdesk", "fxdesk-list-trades", ["answered"], { connection: "connection", pages: "one" }),
  onCanvas("answered", "debug", [], { active: false }),
  onCanvas("catch", "catch", ["refused"], { scope: null, uncaught: false }),
  onCanvas("refused", "debug", [], { active: false }),
];

type Counts = Readonly<Record<string, number>>;

export interface Burst {
  readonly longestMs: number;
  /** Number of messages by the node at which they ended. */
  readonly ended: Counts;
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

async function send(source: string, batchSize: number): Promise<void> {
  for (let sent = 0; sent < count; sent += batchSize) {
    nodes.getNode(source).send([Array.from({ length: batchSize }, () => ({}))]);
    if (batchSize < count) await turn();
  }
}

async function burst(
  counts: Record<string, number>,
  source: string,
  ends: readonly string[],
  batchSize: number,
): Promise<Burst> {
  for (const end of ends) counts[end] = 0;
  const longest = longestTurn(() => ends.reduce((sum, end) => sum + counts[end]!, 0) === count);
  await turn();
  await send(source, batchSize);
  const longestMs = await longest;
  return { longestMs, ended: Object.fromEntries(ends.map((end) => [end, counts[end]!])) };
}

function heapMB(): number {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

export interface Bursts {
  readonly count: number;
  /** Results of consecutive rounds. */
  readonly empty: readonly Burst[];
  readonly fxdesk: readonly Burst[];
  readonly yielding: readonly Burst[];
  /** Growth of the heap from the first to the last round. */
  readonly growthMB: number;
}

/** Measures bursts. Requires a running Node-RED and FXDESK_* variables of a service. */
async function measureBursts(): Promise<Bursts> {
  const counts: Record<string, number> = {};
  await deploy(flow, (id) => (counts[id] = (counts[id] ?? 0) + 1));
  const toEmpty = (batchSize: number) => burst(counts, "to-empty", ["empty"], batchSize);
  const toFxdesk = (batchSize: number) => burst(counts, "to-fxdesk", ["answered", "refused"], batchSize);
  await toEmpty(count);
  await toFxdesk(count);
  const before = heapMB();
  const empty: Burst[] = [];
  const fxdesk: Burst[] = [];
  const yieldingBursts: Burst[] = [];
  for (let round = 0; round < 3; round += 1) {
    empty.push(await toEmpty(count));
    fxdesk.push(await toFxdesk(count));
    yieldingBursts.push(await toFxdesk(yieldingBatchSize));
  }
  return { count, empty, fxdesk, yielding: yieldingBursts, growthMB: heapMB() - before };
}

export async function printBurst(): Promise<void> {
  const { empty, fxdesk, yielding: yieldingBursts, growthMB } = await measureBursts();
  console.log(`${count} messages at once: longest turn of the event loop, where they ended`);
  const line = (name: string, { longestMs, ended }: Burst) => {
    const where = Object.entries(ended).map(([end, times]) => `${times} ${end}`);
    console.log(`  ${name.padEnd(34)} ${longestMs.toFixed(0).padStart(5)} ms   ${where.join(", ")}`);
  };
  for (const [round, each] of fxdesk.entries()) {
    line("an empty node", empty[round]!);
    line("fxdesk-list-trades", each);
    line(`fxdesk-list-trades, ${yieldingBatchSize} at once`, yieldingBursts[round]!);
  }
  console.log(`  ${"heap after three rounds".padEnd(34)} ${growthMB.toFixed(1).padStart(5)} MB more`);
}

async function main(): Promise<void> {
  const { url, stop } = await startServer();
  Object.assign(process.env, { FXDESK_BASE_URL: url, FXDESK_CLIENT_ID: "c-1", FXDESK_ACCESS_TOKEN: "t" });
  const stopNodeRed = await startNodeRed();
  console.log(JSON.stringify(await measureBursts()));
  await stopNodeRed();
  stop();
}

if (require.main === module) void main();
