/**
 * Sends a list of a million entries as messages through an operation node. Measures memory, event-loop delays, and the time
 * until a deploy stops it. Prints JSON.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { deploy, nodes, onCanvas, retainedMB, startNodeRed } from "./node-red";
import { manyTrades as count, startServer } from "./server";

const flow = [
  onCanvas("list", "fxdesk-list-trades", ["end"], {
    results: "each",
    fields: { page_size: { type: "num", value: "1000" } },
  }),
  onCanvas("end", "debug", [], { active: false }),
];

export interface Items {
  readonly count: number;
  readonly seconds: number;
  /** Growth of live memory from 10 % to 90 % of the messages. */
  readonly growthMB: number;
  /** Peak memory of the process, including garbage. */
  readonly peakMB: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  /** Time from a deploy to the last message. */
  readonly stoppedMs: number;
}

const residentMB = (): number => process.memoryUsage.rss() / 2 ** 20;

/** Counts messages at the end of the flow. */
const arrived = { times: 0, lastAt: 0 };

const onMessage = (id: string): void => {
  if (id !== "end") return;
  arrived.times += 1;
  arrived.lastAt = performance.now();
};

/** Waits for `count` messages; returns the peak memory during the wait. */
async function untilArrived(times: number): Promise<number> {
  let peak = residentMB();
  while (arrived.times < times) {
    await pause(20);
    peak = Math.max(peak, residentMB());
  }
  return peak;
}

async function measureItems(): Promise<Items> {
  const { url, stop } = await startServer();
  const stopNodeRed = await startNodeRed(url);
  await deploy(flow, onMessage);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  nodes.getNode("list").receive({});
  // Excludes code and data that are allocated once.
  await untilArrived(count / 10);
  const [before, resident] = [await retainedMB(), residentMB()];
  delays.enable();
  const startedAt = performance.now();
  const peak = await untilArrived((count / 10) * 9);
  delays.disable();
  const growthMB = (await retainedMB()) - before;
  await untilArrived(count);
  const seconds = (performance.now() - startedAt) / 1_000;
  nodes.getNode("list").receive({});
  await untilArrived(count + count / 100);
  const stoppedAt = performance.now();
  await deploy([], onMessage);
  await pause(1_500);
  await stopNodeRed();
  stop();
  return {
    count,
    seconds,
    growthMB,
    peakMB: peak - resident,
    p99Ms: delays.percentile(99) / 1e6,
    longestMs: delays.max / 1e6,
    stoppedMs: arrived.lastAt - stoppedAt,
  };
}

void measureItems().then((items) => console.log(JSON.stringify(items, undefined, 1)));
