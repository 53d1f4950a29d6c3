/** Compares messages per second of an operation node and Node-RED's http request node: 1 KB, 10 in flight. */
import { type Candidate, compare } from "./compare";
import { deploy, type Message, nodes, onCanvas, startNodeRed } from "./node-red";
import { startServer } from "./server";

const sink = "sink";

/** Sends one message through a node and waits for its arrival. */
const messageThrough = (name: string, id: string): Candidate => ({
  name,
  run: () => new Promise<void>((done) => nodes.getNode(id).receive({ done })),
});

async function main(): Promise<void> {
  const { url, stop } = await startServer();
  const stopNodeRed = await startNodeRed(url);
  const httpRequest = { method: "GET", ret: "obj", url: `${url}/trades?client_id=c-1` };
  await deploy(
    [
      onCanvas("fxdesk", "fxdesk-list-trades", [sink], { results: "one" }),
      onCanvas("core", "http request", [sink], httpRequest),
      onCanvas(sink, "debug", [], { active: false }),
    ],
    (id: string, { done }: Message) => {
      if (id === sink) (done as () => void)();
    },
  );
  await compare(
    "Messages through a Node-RED node, 1 KB JSON, 10 in flight",
    [messageThrough("http request", "core"), messageThrough("fxdesk-list-trades", "fxdesk")],
    { rounds: 9, sliceMs: 500, inFlight: 10 },
  );
  await stopNodeRed();
  stop();
}

void main();
