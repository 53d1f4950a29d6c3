/** Messages per second through an operation's node and through Node-RED's own http request node: 1 KB, 10 in flight. */
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import RED from "node-red";
import { type Candidate, compare, print } from "./compare";
import { startServer } from "./server";

const root = join(__dirname, "../..");

async function startNodeRed(): Promise<() => Promise<void>> {
  const userDir = await mkdtemp(join(tmpdir(), "bench-"));
  await mkdir(join(userDir, "node_modules/@fxdesk"), { recursive: true });
  await symlink(root, join(userDir, "node_modules/@fxdesk/toolkit"));
  const server = createServer();
  RED.init(server, {
    userDir,
    uiPort: 0,
    httpAdminRoot: false,
    httpNodeRoot: false,
    logging: { console: { level: "error", metrics: false, audit: false } },
    telemetry: { enabled: false },
  } as never);
  // The flows of a new user directory, none, are still being started when `start` has resolved.
  const started = once(RED.events, "flows:started");
  await RED.start();
  await started;
  return async () => {
    await RED.stop();
    await rm(userDir, { recursive: true });
  };
}

const sink = "sink";

const flow = (url: string) => [
  { id: "tab", type: "tab", label: "Bench" },
  { id: "connection", type: "fxdesk-connection", fromEnvironment: true },
  {
    id: "fxdesk",
    type: "fxdesk-list-trades",
    z: "tab",
    connection: "connection",
    pages: "one",
    wires: [[sink]],
  },
  {
    id: "core",
    type: "http request",
    z: "tab",
    method: "GET",
    ret: "obj",
    url: `${url}/trades?client_id=c-1`,
    wires: [[sink]],
  },
  { id: sink, type: "debug", z: "tab", active: false, wires: [] },
];

type Message = Record<string, unknown> & { done?: () => void };

/** Of the running flow; the types of the runtime leave it out. */
const nodes = RED.nodes as unknown as { getNode(id: string): { receive(msg: Message): void } };

async function deploy(url: string): Promise<void> {
  const started = once(RED.events, "flows:started");
  await RED.runtime.flows.setFlows({ flows: { flows: flow(url) } } as never);
  await started;
  RED.hooks.add("onReceive.bench", ({ destination, msg }: { destination: { id: string }; msg: Message }) => {
    if (destination.id === sink) msg.done!();
  });
}

/** One message through a node, until it arrives behind it. */
const through = (name: string, id: string): Candidate => ({
  name,
  run: () => new Promise<void>((done) => nodes.getNode(id).receive({ done })),
});

export async function benchNodes(): Promise<void> {
  const { url, stop } = await startServer();
  const stopNodeRed = await startNodeRed();
  Object.assign(process.env, { FXDESK_BASE_URL: url, FXDESK_CLIENT_ID: "c-1", FXDESK_ACCESS_TOKEN: "t" });
  await deploy(url);
  const rows = await compare([through("http request", "core"), through("fxdesk-list-trades", "fxdesk")], {
    rounds: 9,
    sliceMs: 500,
    inFlight: 10,
  });
  print("Messages through a Node-RED node, 1 KB JSON, 10 in flight", rows);
  await stopNodeRed();
  stop();
}
