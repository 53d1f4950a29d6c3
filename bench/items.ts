/**
 * Sends a list of a million entries as messages through an operation node. Measures memory, event-loop delays, and the time
 * until a deploy stops it. As a script it prints JSON.
 */
import { execFile, fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { deploy, nodes, startNodeRed } from "./node-red";
import { collect } from "./old-generation";
import { trade } from "./trade";

const count = 1_000_000;
const pageSize = 1_000;

const tradeOf = (number: number) => ({ ...trade, trade_id: `T${number}` });

function serve(): void {
  const server = createServer((request, response) => {
    const page = Number(new URL(request.url!, "http://service").searchParams.get("page") ?? 1);
    const first = (page - 1) * pageSize;
    const size = Math.max(0, Math.min(pageSize, count - first));
    const trades = Array.from({ length: size }, (_, index) => tradeOf(first + index));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(trades));
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit(0));
}

/** Without coordinates, Node-RED treats it as a config node. */
const onCanvas = { z: "tab", x: 0, y: 0 };

const flow = [
  { id: "tab", type: "tab", label: "Items" },
  { id: "connection", type: "fxdesk-connection", fromEnvironment: true },
  {
    id: "list",
    type: "fxdesk-list-trades",
    ...onCanvas,
    connection: "connection",
    pages: "items",
    fields: { page_size: { type: "num", value: String(pageSize) } },
    wires: [["end"]],
  },
  { id: "end", type: "debug", ...onCanvas, active: false, wires: [] },
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

const residentMB = (): number => process.memoryUsage().rss / 2 ** 20;

/** Returns live memory, after a collection. */
function retainedMB(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

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
  await deploy(flow, onMessage);
  const delays = monitorEventLoopDelay({ resolution: 5 });
  nodes.getNode("list").receive({});
  // Excludes code and data that are allocated once.
  await untilArrived(count / 10);
  const [before, resident] = [retainedMB(), residentMB()];
  delays.enable();
  const startedAt = performance.now();
  const peak = await untilArrived((count / 10) * 9);
  delays.disable();
  const growthMB = retainedMB() - before;
  await untilArrived(count);
  const seconds = (performance.now() - startedAt) / 1_000;
  nodes.getNode("list").receive({});
  await untilArrived(count + count / 100);
  const stoppedAt = performance.now();
  await deploy([], onMessage);
  await pause(1_500);
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

async function main(): Promise<void> {
  const child = fork(__filename, ["serve"], { execArgv: [] });
  const port = await new Promise<number>((resolve) =>
    child.once("message", (message) => resolve(Number(message))),
  );
  const url = `http://127.0.0.1:${port}`;
  Object.assign(process.env, { FXDESK_BASE_URL: url, FXDESK_CLIENT_ID: "c-1", FXDESK_ACCESS_TOKEN: "t" });
  const stopNodeRed = await startNodeRed();
  console.log(JSON.stringify(await measureItems()));
  await stopNodeRed();
  child.disconnect();
}

/** Runs in a process of its own, so that nothing else uses memory. */
export async function benchItems(): Promise<void> {
  const { stdout } = await promisify(execFile)(process.execPath, [__filename]);
  const { seconds, growthMB, peakMB, p99Ms, longestMs, stoppedMs } = JSON.parse(stdout) as Items;
  console.log(`${count} entries of a list as messages, with back-pressure`);
  const rows = [
    ["seconds, after the first tenth", seconds],
    ["memory that lives, MB more", growthMB],
    ["memory at its peak, MB more", peakMB],
    ["delay of the event loop, p99, ms", p99Ms],
    ["delay of the event loop, longest, ms", longestMs],
    ["from a deploy to the last one, ms", stoppedMs],
  ] as const;
  for (const [name, value] of rows) console.log(`  ${name.padEnd(38)} ${value.toFixed(0).padStart(6)}`);
}

if (process.argv[2] === "serve") serve();
else if (require.main === module) void main();
