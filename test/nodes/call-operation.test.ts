/** The node that calls any operation: of the contract, and of a module of the user's. */
import { join } from "node:path";
import { operations } from "@fxdesk/toolkit/operations";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { callType } from "../../nodes/shared/node-names";
import { catchNode, connectionConfig, debugNode, injectNode, tab, typed } from "./support/flows";
import { type ExtensionModule, extensionModule } from "./support/extension";
import { NodeRed, root } from "./support/node-red";

let sandbox: Sandbox;
let extension: ExtensionModule;
let nodeRed: NodeRed;

beforeAll(async () => {
  sandbox = await startSandbox();
  extension = await extensionModule(extensionSource);
  nodeRed = await NodeRed.start({ env: { ...extension.env, TRADE_TYPE: "spot" } });
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await extension.remove();
  await sandbox.close();
});

const interceptorMessage = "Called through the link.";

/** The sandbox's extension, with a link of the user's. */
const extensionSource = `
const quotes = require(${JSON.stringify(join(root, "sandbox/dist/extensions/extension.js"))});
const link = (_call, next) => {
  console.log(${JSON.stringify(interceptorMessage)});
  return next();
};
module.exports = (toolkit) => ({ ...quotes(toolkit), interceptors: [link] });
`;

type Message = Record<string, any>;

/** Returns the result of a message with the payload. */
async function callWithPayload(
  operation: string,
  payload: unknown,
  properties: object = {},
): Promise<Message> {
  await nodeRed.deploy([
    tab,
    connectionConfig(sandbox),
    injectNode("start", ["call"], payload),
    {
      id: "call",
      type: callType,
      z: tab.id,
      connection: "connection",
      operation,
      ...callProperties(properties),
    },
    debugNode("end"),
    catchNode("caught", ["end"]),
  ]);
  await nodeRed.inject("start");
  return (await nodeRed.nextDebugValues("end"))[0] as Message;
}

const callProperties = (properties: object) => ({
  input: typed("msg", "payload"),
  pages: "one",
  ...properties,
  wires: [["end"]],
});

const lastQuery = () => new URL(sandbox.requests.at(-1)!.url, sandbox.baseUrl).searchParams;

test("calls an operation of the contract", async () => {
  const msg = await callWithPayload("trades.list", { trade_type: "spot, ndf", page_size: "3" });

  expect(lastQuery().get("trade_type")).toBe("spot,ndf");
  expect(msg).toMatchObject({ statusCode: 200, fxdesk: { operation: "trades.list", violations: [] } });
  expect(msg.payload.length).toBeLessThanOrEqual(3);
});

test("calls through the links of an extension", async () => {
  const before = nodeRed.countInLog(interceptorMessage);
  await callWithPayload("trades.list", { page_size: 1 });

  expect(nodeRed.countInLog(interceptorMessage) - before).toBe(1);
});

test("calls an operation of an extension", async () => {
  const terms = { amount: 1000, operation: "sell", buy_currency: "USD", sell_currency: "EUR" };
  const { payload } = await callWithPayload("quotes.create", terms);

  expect(payload.quote_id).toEqual(expect.any(String));
});

test.each([
  ["JSON", typed("json", '{"page_size": 4}'), "4"],
  ["JSONata", typed("jsonata", '{"page_size": payload.size + 1}'), "3"],
  ["a template", typed("template", '{"page_size": {{payload.size}}}'), "2"],
])("the input may be %s", async (_type, input, size) => {
  await callWithPayload("trades.list", { size: 2 }, { input });

  expect(lastQuery().get("page_size")).toBe(size);
});

test("pages are read as by the other nodes", async () => {
  const msg = await callWithPayload("trades.list", { page_size: 5 }, { pages: "all" });

  expect(msg.fxdesk.pages).toBeGreaterThan(1);
  expect(msg.payload).toHaveLength(
    await nodeRed.waitForStatus("call", ({ fill }) => fill === "green").then(({ text }) => parseInt(text!)),
  );
});

test.each([
  [
    "an operation that is not there",
    "trades.lists",
    {},
    "trades.lists: The service has no such operation. Did you mean trades.list?",
  ],
  [
    "an operation unlike any",
    "zzzzzzzz",
    {},
    "zzzzzzzz: The service has no such operation. Operations beyond the contract require an extension module: set FXDESK_EXTENSIONS",
  ],
  ["no operation", "", {}, "No operation: Choose an operation in the node."],
  ["text that is not JSON", "trades.list", "a: 1", "input is not JSON"],
  ["a list", "trades.list", [1], "input must be an object"],
  ["a field that is not there", "trades.list", { trade_typ: "spot" }, "trade_typ is not a known field"],
])("%s is named, and nothing is sent", async (_what, operation, payload, words) => {
  const before = sandbox.requests.length;

  const { error } = await callWithPayload(operation, payload);

  expect(error).toMatchObject({ code: "invalid_input", cause: { outcome: "not-sent" } });
  expect(error.message).toContain(words);
  expect(sandbox.requests).toHaveLength(before);
});

test("an unknown operation is shown at the deploy", async () => {
  await callWithPayload("trades.lists", {});

  expect(await nodeRed.waitForStatus("call", ({ fill }) => fill === "red")).toBeDefined();
});

test("serves all operations to the editor, including those of the extension", async () => {
  const list = await nodeRed.json<Message[]>("/fxdesk/operations");

  expect(list.map(({ name }) => name)).toEqual(
    expect.arrayContaining([...operations.map(({ name }) => name), "quotes.create"]),
  );
  expect(list.find(({ name }) => name === "quotes.create")).toEqual({
    name: "quotes.create",
    title: "Create quote",
    summary: expect.any(String) as string,
    effect: "change",
    fields: expect.arrayContaining([
      {
        name: "amount",
        kind: expect.any(String) as string,
        required: true,
        description: expect.any(String) as string,
      },
    ]) as unknown,
  });
});

const readPaths = ["/fxdesk/operations", "/fxdesk/words", "/fxdesk/help/fxdesk-list-trades?lang=en-US"];

test.each([
  ["the editor itself", () => nodeRed.url, 200],
  ["another site", () => "https://elsewhere.example", 403],
  ["another port", () => "http://127.0.0.1:1", 403],
  ["a page without an origin", () => "null", 403],
])("%s asks for the operations, the words of forms, and help", async (_who, origin, status) => {
  const headers = { origin: origin() };
  for (const path of readPaths)
    expect([path, (await nodeRed.request(path, { headers })).status]).toEqual([path, status]);
});

test.each(["fxdesk-nothing", "inject", "..%2Fde%2Ffxdesk-list-trades", "%2e%2e"])(
  "there is no help for %s",
  async (type) => {
    const response = await nodeRed.request(`/fxdesk/help/${type}?lang=en-US`);

    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("<h3>");
  },
);

test("requires read permission for operations, form texts and help", async () => {
  const guarded = await NodeRed.start({ settings: { adminAuth: { type: "credentials", users: [] } } });

  for (const path of readPaths) expect([path, (await guarded.request(path)).status]).toEqual([path, 401]);

  await guarded.close();
}, 60_000);
