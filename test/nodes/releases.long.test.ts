/** A flow in a real Node-RED that orders, receives the request for release, decides, and receives the result. */
import { join } from "node:path";
import { setTotp } from "../../core/people/administration";
import { createTotpSeed, totpCode } from "../../core/people/totp";
import { bookTrade } from "../../core/contract/trades";
import { orderTrade } from "../../core/procedures/order-trade";
import {
  defaultPolicy,
  sampleOrder,
  type ReleaseFixture,
  createReleaseFixture,
  secretOf,
  serviceKeyOf,
} from "../core/releases/release-fixture";
import type { Declaration } from "@fxdesk/toolkit/operations";
import { catchNode, connectionConfig, debugNode, injectNode, operationNode, tab } from "./support/flows";
import { type FlowNode, NodeRed, root } from "./support/node-red";

let place: ReleaseFixture;
let nodeRed: NodeRed;

beforeAll(async () => {
  place = await createReleaseFixture();
  const { effects } = place.sandbox.extension;
  // Node-RED loads what is built.
  const path = join(root, "sandbox/dist/extensions/extension.js");
  nodeRed = await NodeRed.start({
    env: { FXDESK_EXTENSIONS: path, FXDESK_EXTENSION_EFFECTS: effects.join(",") },
  });
}, 60_000);

const connection = (): FlowNode => {
  const { demo } = place.sandbox;
  return connectionConfig(place.sandbox, {
    environment: "sandbox",
    store: place.store.location,
    policy: place.policyPath,
    people: place.peoplePath,
    credentials: {
      accessToken: demo.accessToken,
      apiKey: demo.apiKey,
      serviceKey: serviceKeyOf("desk"),
      storeKey: place.store.key!.toString("base64"),
    },
  });
};

const typed = (type: string, value: string) => ({ type, value });

const trigger = (type: string, id: string, wires: readonly string[]): FlowNode => ({
  id,
  type,
  z: tab.id,
  connection: "connection",
  wires: [wires],
});

const releaseNode = (more: object = {}): FlowNode => ({
  id: "release",
  type: "fxdesk-release",
  z: tab.id,
  connection: "connection",
  person: "anna",
  decision: typed("str", "release"),
  release: typed("msg", "payload.release"),
  seal: typed("msg", "payload.seal"),
  note: typed("str", "from the flow"),
  credentials: { secret: secretOf("anna") },
  wires: [["after"]],
  ...more,
});

/** A browser requests the order: its request must not appear in later messages. */
const flow = (release: FlowNode): FlowNode[] => [
  tab,
  connection(),
  { id: "http", type: "http in", z: tab.id, url: "/order", method: "post", wires: [["correlate"]] },
  {
    id: "correlate",
    type: "change",
    z: tab.id,
    rules: [{ t: "set", p: "fxdesk", pt: "msg", to: '{"correlation":{"ticket":["T-1",7]}}', tot: "json" }],
    wires: [["order"]],
  },
  operationNode(orderTrade as unknown as Declaration, "order", ["answer"], { fromPayload: true }),
  { id: "answer", type: "http response", z: tab.id, wires: [] },
  trigger("fxdesk-release-requested", "requested", ["shown-requested", "release"]),
  debugNode("shown-requested"),
  release,
  debugNode("after"),
  trigger("fxdesk-release-decided", "decided", ["shown-decided"]),
  debugNode("shown-decided"),
  catchNode("caught", ["shown-caught"]),
  debugNode("shown-caught"),
];

interface ReleaseMessage {
  readonly payload: { readonly release: string; readonly state: string; readonly trade_id?: string };
  readonly fxdesk: Readonly<Record<string, unknown>>;
}

async function placeOrder(): Promise<ReleaseMessage["payload"]> {
  const response = await nodeRed.request("/order", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sampleOrder()),
    signal: AbortSignal.timeout(10_000),
  });
  return (await response.json()) as ReleaseMessage["payload"];
}

async function untilState(release: string, state: string): Promise<ReleaseMessage> {
  for (;;) {
    const [told] = (await nodeRed.nextDebugValues("shown-decided")) as [ReleaseMessage];
    if (told.payload.release === release && told.payload.state === state) return told;
  }
}

test("an order is asked for, released by a person's node and booked; messages are new ones", async () => {
  await nodeRed.deploy(flow(releaseNode()));
  const { release, state } = await placeOrder();
  expect(state).toBe("waiting");
  const [requested] = (await nodeRed.nextDebugValues("shown-requested")) as [ReleaseMessage];
  expect(requested).toMatchObject({
    topic: "releases.requested",
    payload: { release, state: "waiting", requested_by: "desk" },
    fxdesk: { release, state: "waiting", correlation: { ticket: ["T-1", 7] } },
  });
  expect(requested).not.toHaveProperty("req");
  expect(requested).not.toHaveProperty("res");
  expect(await nodeRed.nextDebugValues("after")).toMatchObject([{ payload: { release, state: "released" } }]);
  const booked = await untilState(release, "booked");
  expect(booked).toMatchObject({ fxdesk: { correlation: { ticket: ["T-1", 7] } } });
  await nodeRed.waitForStatus("order", ({ text }) => text === "booked");
  await nodeRed.waitForStatus("requested", ({ text }) => text === "1 requested: waits for a person");
  await nodeRed.waitForStatus("decided", ({ text }) => text === "1 decided: booked");
  expect((await place.service.get(release)).decisions).toMatchObject([
    { person: "anna", note: "from the flow" },
  ]);
});

test.each<[string, object, string]>([
  ["another secret", { credentials: { secret: "a guess that is wrong" } }, "The secret of anna is wrong"],
  ["no secret", { credentials: { secret: "" } }, "secret is required"],
  [
    "whose yes does not count",
    { person: "carl", credentials: { secret: secretOf("carl") } },
    "carl cannot release it",
  ],
  ["a seal that was forged", { seal: typed("str", "0".repeat(64)) }, "differs from what was shown"],
  ["no seal", { seal: typed("str", "") }, "seal is required"],
  ["a word that is no decision", { decision: typed("str", "yes") }, "must be release or refuse"],
  [
    "something that is not there",
    { release: typed("str", "R-000000000000") },
    "Release R-000000000000 does not exist",
  ],
])("%s releases nothing, and the flow receives the reason", async (_, more, message) => {
  await nodeRed.deploy(flow(releaseNode(more)));
  const { release } = await placeOrder();
  const [caught] = (await nodeRed.nextDebugValues("shown-caught")) as [{ error: { message: string } }];
  expect(caught.error.message).toContain(message);
  expect((await place.service.get(release)).release.state).toBe("waiting");
  await place.service.cancel(release, undefined);
});

test("a call that needs a release sends its request, and its status says that it waits, and how it ended after a deploy", async () => {
  const fields = {
    quote_id: typed("str", "1b671a64-40d5-491e-99b0-da01ff1f3341"),
    reason: typed("str", "other"),
  };
  const nodes = [
    tab,
    connection(),
    injectNode("start", ["book"]),
    operationNode(bookTrade, "book", ["waits"], { fields }),
    debugNode("waits"),
  ];
  await nodeRed.deploy(nodes);
  await nodeRed.inject("start");
  const [message] = (await nodeRed.nextDebugValues("waits")) as [ReleaseMessage];
  expect(message).toMatchObject({ payload: { state: "waiting", operation: "trades.book" }, statusCode: 202 });
  await nodeRed.waitForStatus("book", ({ fill }) => fill === "yellow");
  // Node-RED keeps the status of a node over a deploy, which forgets its statuses here.
  await nodeRed.deploy(nodes);
  await nodeRed.waitForStatus("book", ({ fill }) => fill === "yellow");
  await place.service.cancel(message.payload.release, undefined);
  expect(await nodeRed.waitForStatus("book", ({ fill }) => fill === "grey")).toMatchObject({
    text: "cancelled",
  });
});

test("a code in msg.code is the second factor, once", async () => {
  await place.setPolicy({ ...defaultPolicy, secondFactor: "totp" });
  const seed = createTotpSeed();
  const step = Math.floor(Date.now() / 30_000);
  const anna = { person: "anna", secret: secretOf("anna") };
  await setTotp(place.peoplePath, "anna", { seed, code: totpCode(seed, step - 1) }, anna);
  const code = totpCode(seed, step);
  /** Deploys the flow, orders, and returns the release and the message that follows. */
  const orderWith = async (given: string | undefined, next: string) => {
    const set = { t: "set", p: "code", pt: "msg", to: given ?? "", tot: "str" };
    const coded: FlowNode = {
      id: "code",
      type: "change",
      z: tab.id,
      rules: given === undefined ? [] : [set],
      wires: [["release"]],
    };
    const nodes = flow(releaseNode()).map((node) =>
      node.id === "requested" ? { ...node, wires: [["shown-requested", "code"]] } : node,
    );
    await nodeRed.deploy([...nodes, coded]);
    const { release } = await placeOrder();
    const [message] = (await nodeRed.nextDebugValues(next)) as [{ error?: { message: string } }];
    return { release, message };
  };
  const refusals: [string | undefined, string][] = [
    [undefined, "requires a one-time code"],
    [code === "000000" ? "000001" : "000000", "the code or passkey is wrong or was used"],
  ];
  for (const [given, words] of refusals) {
    const { release, message } = await orderWith(given, "shown-caught");
    expect(message.error!.message).toContain(words);
    await place.service.cancel(release, undefined);
  }
  const { release, message } = await orderWith(code, "after");
  expect(message).toMatchObject({ payload: { release, state: "released" } });
  expect(message).not.toHaveProperty("code");
  expect((await place.service.get(release)).decisions).toMatchObject([{ factors: ["secret", "totp"] }]);
  const again = await orderWith(code, "shown-caught");
  expect(again.message.error!.message).toContain("the code or passkey is wrong or was used");
  await place.setPolicy(defaultPolicy);
});

test("the editor has form, words and help of each", async () => {
  const html = await (await nodeRed.request("/nodes", { headers: { accept: "text/html" } })).text();
  for (const type of ["fxdesk-release-requested", "fxdesk-release-decided", "fxdesk-release"]) {
    expect(html).toContain(`data-template-name="${type}"`);
    expect(html).toContain(`this._("labels.${type}")`);
    expect(html).toContain(`data-help-name="${type}"`);
  }
});
