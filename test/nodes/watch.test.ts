/** Trigger nodes: a message for each change, what it is at beside it, and nothing twice over deploys. */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Node, NodeAPI, NodeDef } from "node-red";
import helper from "node-red-node-test-helper";
import type { Sandbox } from "@fxdesk/sandbox";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { connectionCredentials } from "../../nodes/connection/connection-node";
import { nodeTypes } from "../../nodes/node-types";
import { typed } from "./support/flows";
import { root } from "./support/node-red";
import { companyNetwork } from "../support/company-network";
import { eventually } from "../support/eventually";
import { faultServer, respond } from "../support/fault-server";
import { closeLater, runLater } from "../support/resources";
import { openSandbox } from "../support/sandboxes";

helper.init(require.resolve("node-red"));

/** Messages received by the recording nodes, by node ID. */
let recorded: Record<"changes" | "states" | "caught", Record<string, any>[]>;

let events: NodeAPI["events"];

const nodeSet = (RED: NodeAPI) => {
  ({ events } = RED);
  RED.nodes.registerType("record", function (this: Node, config: NodeDef & { id: keyof typeof recorded }) {
    RED.nodes.createNode(this, config);
    this.on("input", (msg) => void recorded[config.id].push(msg));
  });
  const { connection, watch } = nodeTypes(RED, {});
  RED.nodes.registerType("fxdesk-connection", connection, {
    credentials: connectionCredentials(fxdeskService),
  });
  RED.nodes.registerType("fxdesk-watch-transactions", watch("transactions.watch"));
  RED.nodes.registerType("fxdesk-watch-balances", watch("accounts.watchBalances"));
  RED.nodes.registerType("fxdesk-watch", watch());
};

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ daysBehind: 5 });
  await new Promise<void>((resolve) => helper.startServer(resolve));
  runLater(() => new Promise<void>((resolve) => helper.stopServer(resolve)));
}, 60_000);
beforeEach(() => runLater(() => helper.unload()));

/** Node-RED takes what has no place on the canvas for a config node. */
const canvasPosition = { x: 0, y: 0 };

/** Deploys a flow with one watch, and records the messages it sends. */
async function deployWatch(type: string, properties: object, server: object = {}, credentials: object = {}) {
  const { baseUrl, xs2aUrl, demo } = sandbox;
  const { clientId, contactId, accessToken, apiKey } = demo;
  const flow = [
    { id: "tab", type: "tab", label: "Test" },
    { id: "connection", type: "fxdesk-connection", baseUrl, xs2aUrl, clientId, contactId, ...server },
    {
      id: "node",
      type,
      z: "tab",
      ...canvasPosition,
      connection: "connection",
      fields: {},
      every: "0.02",
      wires: [["changes"], ["states"]],
      ...properties,
    },
    { id: "changes", type: "record", z: "tab", ...canvasPosition },
    { id: "states", type: "record", z: "tab", ...canvasPosition },
    { id: "catch", type: "catch", z: "tab", ...canvasPosition, scope: null, wires: [["caught"]] },
    { id: "caught", type: "record", z: "tab", ...canvasPosition },
  ];
  const catchNode = require(join(root, "node_modules/@node-red/nodes/core/common/25-catch.js")) as (
    RED: NodeAPI,
  ) => void;
  recorded = { changes: [], states: [], caught: [] };
  await helper.load([nodeSet, catchNode], flow, {
    connection: { accessToken, apiKey, ...credentials },
  });
  return recorded;
}

const waitUntil = (check: () => unknown, what: string) => eventually(check, { withinMs: 4_000, what });

const payIn = (reference: string, currency = "EUR") =>
  sandbox.control.payIn({ currency, amount: "12.34", reference }).transaction_id;

const watchesEuros = { fields: { currencies: typed("str", "EUR") } };

test("reads through a proxy with credentials, and TLS with a client certificate", async () => {
  const { settings, credentials, tunnels } = await companyNetwork(sandbox.baseUrl);
  const { changes, states } = await deployWatch(
    "fxdesk-watch-transactions",
    watchesEuros,
    settings,
    credentials,
  );
  await waitUntil(() => states.some(({ payload }) => payload.state === "waiting"), "the first read");
  const id = payIn("PROXIED");
  await waitUntil(() => changes.length > 0, "the change");
  expect(changes[0]!.fxdesk).toMatchObject({ kind: "new", id });
  expect(tunnels()).toBeGreaterThan(0);
});

test("sends one message per change from now on, each once across deploys", async () => {
  payIn("BEFORE");
  const first = await deployWatch("fxdesk-watch-transactions", watchesEuros);
  await waitUntil(() => first.states.some(({ payload }) => payload.state === "waiting"), "the first read");
  const id = payIn("WATCHED-1");
  payIn("OTHER", "USD");
  await waitUntil(() => first.changes.length > 0, "the change");
  expect(first.changes).toHaveLength(1);
  expect(first.changes[0]).toMatchObject({
    topic: "transactions.watch",
    payload: { transaction_id: id, transaction_reference: "WATCHED-1" },
    fxdesk: { watch: "transactions.watch", kind: "new", id, repeated: false },
  });
  expect(first.states.map(({ topic, payload }) => [topic, payload.state])).toEqual(
    expect.arrayContaining([
      ["transactions.watch", "reading"],
      ["transactions.watch", "waiting"],
    ]),
  );
  await helper.unload();

  payIn("WATCHED-2");
  const again = await deployWatch("fxdesk-watch-transactions", watchesEuros);
  await waitUntil(() => again.changes.length > 0, "the change of meanwhile");
  expect(
    again.changes.map(({ payload, fxdesk }) => [payload.transaction_reference, fxdesk.repeated]),
  ).toEqual([["WATCHED-2", false]]);
});

test("another node receives changes of its own, from the start set in its form", async () => {
  const { changes } = await deployWatch("fxdesk-watch-transactions", {
    ...watchesEuros,
    id: "other",
    from: "beginning",
  });
  await waitUntil(() => changes.length > 2, "what was there");
  expect(changes.every(({ fxdesk }) => fxdesk.kind === "new")).toBe(true);
});

test("any watch by its name, with its input as JSON", async () => {
  const { changes } = await deployWatch("fxdesk-watch", {
    operation: "accounts.watchBalances",
    input: typed("json", JSON.stringify({ currencies: "EUR", above: "0" })),
    fields: undefined,
  });
  await waitUntil(() => changes.length > 0, "a balance");
  expect(changes[0]).toMatchObject({ topic: "accounts.watchBalances", payload: { currency: "EUR" } });
});

const anyTrades = { operation: "trades.watch", input: typed("json", "{}"), fields: undefined };

/** Deploys a watch of a server whose status can change. */
async function deployWithStatus(status: number, type = "fxdesk-watch", properties: object = anyTrades) {
  const service = { status, reads: 0 };
  const server = closeLater(
    await faultServer((socket, number) => {
      service.reads = number;
      respond(service.status, service.status === 200 ? "[]" : "{}")(socket, number);
    }),
  );
  await deployWatch(type, properties, { baseUrl: server.url });
  return service;
}

const stateIs = (state: string) => () => recorded.states.at(-1)?.payload.state === state;

test("a failure is shown, goes to Catch nodes, and is retried", async () => {
  const service = await deployWithStatus(503);
  const shown: object[] = [];
  const node: Node = helper.getNode("node");
  node.status = (status: unknown) => void shown.push(status as object);
  await waitUntil(() => recorded.caught.length > 0, "the failure");
  expect(recorded.caught[0]).toMatchObject({ topic: "trades.watch", error: { code: "unavailable" } });
  service.status = 200;
  await waitUntil(stateIs("waiting"), "a read that succeeds");
  expect(shown).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ fill: "red" }),
      expect.objectContaining({ fill: "green" }),
    ]),
  );
});

test("a failure that cannot be retried ends the watch and is reported once", async () => {
  const service = await deployWithStatus(401, "fxdesk-watch-transactions", watchesEuros);
  await waitUntil(stateIs("ended"), "its end");
  const { reads } = service;
  await wait(200);

  const { states, caught } = recorded;
  expect(caught).toMatchObject([{ topic: "transactions.watch", error: { code: "unauthorized" } }]);
  expect(states.map(({ payload }) => payload.state)).toEqual(["reading", "ended"]);
  const { message } = caught[0]!.error;
  expect(states[1]!.payload).toEqual({ state: "ended", error: { code: "unauthorized", message } });
  expect(service.reads).toBe(reads);
});

test("a refusal after a read that succeeded does not end the watch", async () => {
  const service = await deployWithStatus(200);
  await waitUntil(stateIs("waiting"), "the first read");
  service.status = 403;
  await waitUntil(() => recorded.caught.length > 0, "the failure");
  expect(recorded.states.find(({ payload }) => payload.state === "failed")!.payload).toMatchObject({
    error: { code: "forbidden" },
    until: expect.anything() as Date,
  });
  service.status = 200;
  await waitUntil(stateIs("waiting"), "a read that succeeds");
  expect(recorded.caught).toHaveLength(1);
});

test.each([
  ["fxdesk-watch-balances", {}, "At least one of below and above must be given"],
  ["fxdesk-watch", { operation: "trades.watched", input: typed("json", "{}") }, "Did you mean trades.watch"],
  ["fxdesk-watch-transactions", { from: "soon" }, "must be now, beginning or a day"],
  [
    "fxdesk-watch-transactions",
    { every: "soon" },
    'Interval must be a number of seconds from 0.001 to 2147483.647, not "soon"',
  ],
  ["fxdesk-watch-transactions", { connection: "" }, "Choose a connection in the node."],
  ["fxdesk-watch-transactions", { connection: "none" }, "The connection chosen in the node no longer exists"],
])("%s with %j does not start and reports the reason", async (type, properties, words) => {
  await deployWatch(type, properties);
  await waitUntil(() => recorded.caught.length > 0, "the failure");
  expect(recorded.caught[0]!.error.message).toContain(words);
  expect(recorded.states.map(({ payload }) => payload.state)).toEqual(["ended"]);
});

test("many watches share one listener", async () => {
  const watches = Array.from({ length: 12 }, (_, index) => ({
    id: `watch-${index}`,
    type: "fxdesk-watch-transactions",
    z: "tab",
    ...canvasPosition,
    wires: [[], []],
  }));
  const tab = { id: "tab", type: "tab", label: "Test" };
  await helper.load(nodeSet as never, [tab, watches[0]] as never);
  await helper.unload();
  const before = events.listenerCount("flows:started");
  await helper.load(nodeSet as never, [tab, ...watches] as never);
  // The test registers the operation nodes again, which listen too.
  expect(events.listenerCount("flows:started") - before).toBeLessThanOrEqual(2);
});
