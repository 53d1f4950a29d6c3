/**
 * Measures how long a burst of messages takes that are refused before a call, compared with a node that calls `done` with an
 * error, in turn. Prints JSON.
 */
import type { Node } from "node-red";
import RED from "node-red";
import { inTurn } from "./compare";
import { deploy, nodes, onCanvas, startNodeRed } from "./node-red";
import { startServer } from "./server";

const count = 20_000;
const rounds = 5;

const sources = {
  done: "refuse",
  missingField: "fxdesk-get-trade",
  noConnection: "fxdesk-list-trades",
} as const;

export type Refusals = Readonly<Record<keyof typeof sources, readonly number[]>> & { readonly count: number };

/** Registers a node that refuses each message, as simple nodes do. */
function registerRefusingNode(): void {
  const registry = RED.nodes as unknown as {
    registerType(set: string, type: string, constructor: unknown): void;
    createNode(node: Node, config: object): void;
  };
  registry.registerType("bench", "refuse", function RefusingNode(this: Node, config: object) {
    registry.createNode(this, config);
    this.on("input", (_msg, _send, done) => done(new Error("trades.get: trade_id is required.")));
  });
}

async function measureRefusals(): Promise<Refusals> {
  const { url, stop } = await startServer();
  const stopNodeRed = await startNodeRed(url);
  registerRefusingNode();
  let refused = 0;
  let onAll = () => {};
  await deploy(
    [
      ...Object.entries(sources).flatMap(([name, type]) => [
        onCanvas(`to-${name}`, "function", [name], { func: "" }),
        onCanvas(name, type, [], name === "noConnection" ? { connection: "" } : {}),
      ]),
      onCanvas("catch", "catch", ["refused"], { scope: null, uncaught: false }),
      onCanvas("refused", "debug", [], { active: false }),
    ],
    (id) => {
      if (id === "refused" && ++refused === count) onAll();
    },
  );
  const burst = (name: string) => async () => {
    refused = 0;
    const all = new Promise<void>((resolve) => (onAll = resolve));
    const started = performance.now();
    nodes.getNode(`to-${name}`).send([Array.from({ length: count }, () => ({}))]);
    await all;
    return performance.now() - started;
  };
  const names = Object.keys(sources) as (keyof typeof sources)[];
  const measurements = names.map(burst);
  await inTurn(measurements, 1);
  const results = await inTurn(measurements, rounds);
  await stopNodeRed();
  stop();
  return { count, ...Object.fromEntries(names.map((name, index) => [name, results[index]!])) } as Refusals;
}

void measureRefusals().then((refusals) => console.log(JSON.stringify(refusals, undefined, 1)));
