/** Where the values of a form come from, seen by what the service is asked. */
import { getTrade, listTrades } from "../../core/operations/trades";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { catchOf, connectionTo, debugOf, injectOf, operationOf, tab, typed } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";

let sandbox: Sandbox;
let nodeRed: NodeRed;

beforeAll(async () => {
  sandbox = await startSandbox();
  nodeRed = await NodeRed.start({ env: { TRADE_TYPE: "spot" } });
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await sandbox.close();
});

/** A message with the payload goes through the middle nodes; answers what comes out, or the error. */
async function through(payload: unknown, ...middle: readonly FlowNode[]): Promise<Record<string, any>> {
  await nodeRed.deploy([
    tab,
    connectionTo(sandbox),
    injectOf("start", [middle[0]!.id], payload),
    ...middle,
    debugOf("end"),
    catchOf("caught", ["end"]),
  ]);
  await nodeRed.inject("start");
  return (await nodeRed.shown("end"))[0] as Record<string, any>;
}

const list = (fields: object, properties: object = {}) =>
  operationOf(listTrades, "list", ["end"], { fields, pages: "one", ...properties });

const asked = () => new URL(sandbox.requests.at(-1)!.url, sandbox.baseUrl).searchParams;

const code = (func: string, next: string): FlowNode => ({
  id: "code",
  type: "function",
  z: tab.id,
  func,
  outputs: 1,
  wires: [[next]],
});

test.each([
  ["a fixed value", typed("str", "forward,spot"), {}, "forward,spot"],
  ["a property of the message", typed("msg", "payload.types"), { types: ["ndf"] }, "ndf"],
  ["text from a message", typed("msg", "payload.types"), { types: "ndf, spot" }, "ndf,spot"],
  ["JSONata", typed("jsonata", 'payload.short ? ["spot"] : ["forward"]'), { short: true }, "spot"],
  ["an environment variable", typed("env", "TRADE_TYPE"), {}, "spot"],
  ["an environment variable in a fixed value", typed("str", "${TRADE_TYPE}"), {}, "spot"],
  ["a template", typed("template", "{{payload.first}},drawdown"), { first: "ndf" }, "ndf,drawdown"],
])("%s", async (_source, value, payload, expected) => {
  await through(payload, list({ trade_type: value }));

  expect(asked().get("trade_type")).toBe(expected);
});

test.each(["flow", "global"])("a value of the %s context", async (context) => {
  await through({}, code(`${context}.set("kept.types", ["forward"]); return msg;`, "list"), {
    ...list({ trade_type: typed(context, "kept.types") }),
  });

  expect(asked().get("trade_type")).toBe("forward");
});

test("numbers come from text, and a number stands for text", async () => {
  await through(
    { size: "7", parent: 4711 },
    list({ page_size: typed("msg", "payload.size"), parent_trade_id: typed("msg", "payload.parent") }),
  );

  expect(asked().get("page_size")).toBe("7");
  expect(asked().get("parent_trade_id")).toBe("4711");
});

test("a template escapes nothing", async () => {
  await through({ id: "FI/21=A&B" }, list({ parent_trade_id: typed("template", "{{payload.id}}") }));

  expect(asked().get("parent_trade_id")).toBe("FI/21=A&B");
});

test("an optional field without a value is left out", async () => {
  await through({}, list({ trade_type: typed("msg", "payload.nothing.here"), page: typed("str", "") }));

  expect([...asked().keys()]).toEqual(["client_id"]);
});

test("empty fields come from the payload when the node says so", async () => {
  await through(
    { trade_type: ["ndf"], page_size: 3 },
    list({ page_size: typed("num", "9") }, { fromPayload: true }),
  );

  expect(asked().get("trade_type")).toBe("ndf");
  expect(asked().get("page_size")).toBe("9");
});

test.each([
  [
    "a missing value of a template",
    typed("template", "{{payload.id}}"),
    "needs {{payload.id}}, which has no value",
  ],
  [
    "a missing environment variable",
    typed("env", "NOT_THERE"),
    "the environment variable NOT_THERE is not set",
  ],
  ["an unresolved variable", typed("str", "${NOT_THERE}"), "the environment variable NOT_THERE is not set"],
  ["a JSONata expression that is none", typed("jsonata", "payload..["), "trade_id"],
  ["a template that is none", typed("template", "{{#payload}}"), "trade_id"],
  ["a path that is none", typed("msg", "payload[["), "trade_id"],
  ["a required field without a value", typed("msg", "payload.id"), "trade_id is required"],
])("%s is named, and nothing is sent", async (_what, value, says) => {
  const before = sandbox.requests.length;

  const { error } = await through({}, operationOf(getTrade, "get", ["end"], { fields: { trade_id: value } }));

  expect(error.code).toBe("invalid_input");
  expect(error.message).toContain("trade_id");
  expect(error.message).toContain(says);
  expect(sandbox.requests).toHaveLength(before);
});

test("a field that the operation does not have is named", async () => {
  const { error } = await through({}, list({ trade_typ: typed("str", "spot") }));

  expect(error.message).toContain("trade_typ is not a field here; the fields are trade_type");
});

test("other properties of the message stay", async () => {
  const msg = await through({}, code(`msg.topic = "kept"; return msg;`, "list"), list({}));

  expect(msg).toMatchObject({ topic: "kept", statusCode: 200, fxdesk: { operation: "trades.list" } });
});
