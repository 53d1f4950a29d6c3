/** Compares messages per second of an operation node and Node-RED's http request node: 1 KB, 10 in flight. */
import { type Candidate, compare, print } from "./compare";
import { printBurst } from "./burst";
import { deploy, type Message, nodes, startNodeRed } from "./node-red";
import { retainedBytes } from "./old-generation";
import { startServer } from "./server";

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

/** Sends one message through a node and waits for its arrival. */
const messageThrough = (name: string, id: string): Candidate => ({
  name,
  run: () => new Promise<void>((done) => nodes.getNode(id).receive({ done })),
});

export async function benchNodes(): Promise<void> {
  const { url, stop } = await startServer();
  const stopNodeRed = await startNodeRed();
  Object.assign(process.env, { FXDESK_BASE_URL: url, FXDESK_CLIENT_ID: "c-1", FXDESK_ACCESS_TOKEN: "t" });
  const onMessage = (id: string, { done }: Message) => {
    if (id === sink) (done as () => void)();
  };
  await deploy(flow(url), onMessage);
  const fxdesk = messageThrough("fxdesk-list-trades", "fxdesk");
  const rows = await compare([messageThrough("http request", "core"), fxdesk], {
    rounds: 9,
    sliceMs: 500,
    inFlight: 10,
  });
  print("Messages through a Node-RED node, 1 KB JSON, 10 in flight", rows);
  const bytes = await retainedBytes(() => fxdesk.run());
  console.log(
    `  ${"left to major collections".padEnd(34)} ${bytes.toFixed(0).padStart(8)} bytes for each message`,
  );
  await printBurst();
  await stopNodeRed();
  stop();
}
