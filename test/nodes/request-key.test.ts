/** The key of a payment, as flows give it: what comes twice is paid once. */
import { once } from "node:events";
import type { Node, NodeAPI } from "node-red";
import helper from "node-red-node-test-helper";
import { openJournal } from "../../core/journal/journal";
import { parseStoreSettings } from "../../core/store/settings";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { connectionCredentials } from "../../nodes/connection/connection-node";
import { nodeTypes } from "../../nodes/node-types";
import { eventually } from "../support/eventually";
import { faultServer, type FaultServer, respond } from "../support/fault-server";
import { typed } from "./support/flows";

helper.init(require.resolve("node-red"));

const nodeSet = (RED: NodeAPI) => {
  const { connection, operation } = nodeTypes(RED, {});
  RED.nodes.registerType("fxdesk-connection", connection, {
    credentials: connectionCredentials(fxdeskService),
  });
  RED.nodes.registerType("fxdesk-initiate-payment", operation("payments.initiate"));
  RED.nodes.registerType("fxdesk-book-trade", operation("trades.book"));
  RED.nodes.registerType("fxdesk-call-operation", operation());
};

const response =
  '{"trade_id":"t-1","paymentId":"p-1","transactionStatus":"RCVD","_links":{"self":{"href":"/p"}}}';

let server: FaultServer;
beforeAll(async () => {
  await new Promise<void>((resolve) => helper.startServer(resolve));
});
beforeEach(async () => {
  server = await faultServer(respond(201, response));
});
afterAll(async () => {
  await new Promise<void>((resolve) => helper.stopServer(resolve));
});
afterEach(async () => {
  await helper.unload();
  await server.close();
});

const payment = {
  "payment-service": typed("str", "payments"),
  "payment-product": typed("str", "sepa-credit-transfers"),
  "TPP-Redirect-URI": typed("str", "https://app.example/done"),
  debtorAccount: typed("json", '{"iban":"DE40100100103307118608"}'),
  instructedAmount: typed("json", '{"currency":"EUR","amount":"123.50"}'),
  creditorAccount: typed("json", '{"iban":"FR6400000000000000012345697"}'),
  creditorName: typed("str", "Ferme Duval"),
};

async function deployNode(type: string, properties: object): Promise<Node> {
  const flow = [
    {
      id: "connection",
      type: "fxdesk-connection",
      baseUrl: server.url,
      xs2aUrl: server.url,
      clientId: "c-1",
      actor: "treasury",
    },
    { id: "node", type, connection: "connection", ...properties, wires: [["sink"]] },
    { id: "sink", type: "helper" },
  ];
  await helper.load(nodeSet, flow, { connection: { accessToken: "token" } });
  return helper.getNode("node");
}

/** The message that comes out, or the error. */
async function sendAndReceive(node: Node, msg: Record<string, unknown>): Promise<Record<string, unknown>> {
  const received = once(helper.getNode("sink"), "input").then(([out]) => out as unknown);
  const failed = once(node, "call:error").then(([call]) => (call as { firstArg: unknown }).firstArg);
  const limit = { withinMs: 25_000, what: "a message or an error" };
  const ended = eventually(() => Promise.race([received, failed]), limit);
  node.receive(msg);
  return (await ended) as Record<string, unknown>;
}

test("a payment is made once under msg.fxdesk.key", async () => {
  const node = await deployNode("fxdesk-initiate-payment", { fields: payment });
  const first = await sendAndReceive(node, { fxdesk: { key: "INV-17" } });
  const again = await sendAndReceive(node, { fxdesk: { key: "INV-17" } });
  expect(server.heads).toHaveLength(1);
  expect(first).toMatchObject({ statusCode: 201, fxdesk: { journal: { replayed: false } } });
  const { entry } = (first.fxdesk as { journal: { entry: string } }).journal;
  expect(again).toMatchObject({
    statusCode: 201,
    payload: first.payload,
    fxdesk: { attempts: 0, journal: { entry, replayed: true } },
  });
  expect(again.fxdesk).not.toHaveProperty("key");

  const journal = await openJournal(parseStoreSettings({}));
  const kept = { key: "INV-17", surface: "node-red", intent: { actor: "treasury" } };
  expect(await journal.get(entry)).toMatchObject(kept);
  await journal.close();
});

const callProperties = {
  operation: "payments.initiate",
  input: typed(
    "json",
    JSON.stringify(
      Object.fromEntries(
        Object.entries(payment).map(([name, { type, value }]) => [
          name,
          type === "json" ? JSON.parse(value) : value,
        ]),
      ),
    ),
  ),
};

test.each([
  ["fxdesk-initiate-payment", { fields: payment }],
  ["fxdesk-call-operation", callProperties],
])("%s sends no payment without a key, and says what to set", async (type, properties) => {
  const node = await deployNode(type, properties);
  for (const fxdesk of [undefined, {}, { key: "" }, { key: null }]) {
    const { code, message } = await sendAndReceive(node, { fxdesk });
    expect(code).toBe("invalid_input");
    expect(message).toContain("Request key is required: set msg.fxdesk.key");
  }
  expect(await sendAndReceive(node, { fxdesk: { key: "INV-18" } })).toMatchObject({ statusCode: 201 });
  expect(server.heads).toHaveLength(1);
});

test("reads the key from the chosen source and accepts numbers", async () => {
  const requestKey = typed("msg", "invoice.number");
  const node = await deployNode("fxdesk-initiate-payment", { fields: payment, requestKey });
  await sendAndReceive(node, { invoice: { number: 2041 } });
  expect(await sendAndReceive(node, { invoice: { number: "2041" } })).toMatchObject({
    fxdesk: { journal: { replayed: true } },
  });
  expect(server.heads).toHaveLength(1);
});

test("refuses a message ID as key", async () => {
  const requestKey = typed("msg", "_msgid");
  const node = await deployNode("fxdesk-initiate-payment", { fields: payment, requestKey });
  expect((await sendAndReceive(node, { _msgid: "a1b2" })).message).toContain("must not be a message ID");
  expect(server.heads).toHaveLength(0);
});

test("a booking has the quote as its key, unless another is given", async () => {
  const node = await deployNode("fxdesk-book-trade", {
    fields: { quote_id: typed("msg", "quote"), reason: typed("str", "other") },
  });
  await sendAndReceive(node, { quote: "q-1" });
  expect(await sendAndReceive(node, { quote: "q-1" })).toMatchObject({
    fxdesk: { journal: { replayed: true } },
  });
  await sendAndReceive(node, { quote: "q-1", fxdesk: { key: "other" } });
  expect(server.heads).toHaveLength(2);
});
