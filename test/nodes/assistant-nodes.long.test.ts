/** AI assistants in a real Node-RED: an MCP server on its own address, and a flow that is one of its tools. */
import type { Sandbox } from "@fxdesk/sandbox";
import { openSandbox } from "../support/sandboxes";
import { type McpClient, revisions, textOf } from "../mcp/support/clients";
import { catchNode, connectionConfig, tab } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";

const token = "a token of 32 characters for flows";
let sandbox: Sandbox;
let nodeRed: NodeRed;

beforeAll(async () => {
  sandbox = await openSandbox();
  nodeRed = await NodeRed.start();
}, 60_000);

const server = (more: object = {}): FlowNode => ({
  id: "server",
  type: "fxdesk-mcp-server",
  connection: "connection",
  path: "/assistant/mcp",
  allow: "change",
  toolsets: "",
  credentials: { token },
  ...more,
});

const argument = (name: string, kind: string, required = true) => ({
  name,
  kind,
  description: `The ${name}.`,
  required,
});

const flowTool = (more: object = {}): FlowNode => ({
  id: "tool",
  type: "fxdesk-tool",
  z: tab.id,
  server: "server",
  tool: "notify_treasurer",
  title: "Notify treasurer",
  description: "Tells the treasurer something by message.",
  changes: false,
  fields: [argument("text", "text"), argument("amount", "number", false)],
  timeoutSeconds: 20,
  wires: [["told"]],
  ...more,
});

/** Says back what it was given; where that is “fail”, it fails. */
const flow = (...own: FlowNode[]): FlowNode[] => [
  tab,
  connectionConfig(sandbox),
  ...own,
  {
    id: "told",
    type: "function",
    z: tab.id,
    func: 'if (msg.payload.text === "fail") throw new Error("nobody is there");\nif (msg.payload.text !== "wait") return { ...msg, payload: { told: msg.payload.text, amount: msg.payload.amount } };',
    outputs: 1,
    wires: [["result"]],
  },
  catchNode("caught", ["result"]),
  { id: "result", type: "fxdesk-tool-result", z: tab.id, wires: [] },
];

const connect = async (path = "/assistant/mcp"): Promise<McpClient> =>
  revisions["2026-07-28"].http(`${nodeRed.url}${path}`, { authorization: `Bearer ${token}` });

/** Deploys, until the server is there. */
async function deployAndServe(path: string, ...own: FlowNode[]): Promise<void> {
  const words = `MCP is served at ${path}.`;
  const times = nodeRed.countInLog(words);
  await nodeRed.deploy(flow(...own));
  await nodeRed.waitForLog(words, times + 1);
}

const namesIn = async (client: McpClient) => (await client.listTools()).tools.map(({ name }) => name);

test("the tools of a connection are served behind a token, and a flow is one of them", async () => {
  await deployAndServe("/assistant/mcp", server(), flowTool());
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["get_cash_position", "find_transactions", "notify_treasurer"]),
  );
  expect(tools.find(({ name }) => name === "notify_treasurer")).toMatchObject({
    title: "Notify treasurer",
    inputSchema: { required: ["text"], properties: { text: { type: "string" }, amount: { type: "number" } } },
    annotations: { readOnlyHint: true },
  });
  const position = await client.callTool({ name: "get_cash_position", arguments: {} });
  expect(position.isError).toBeUndefined();
  const call = (args: Record<string, unknown>) =>
    client.callTool({ name: "notify_treasurer", arguments: args });
  expect(await call({ text: "Cash is low.", amount: 12.5 })).toMatchObject({
    structuredContent: { told: "Cash is low.", amount: 12.5 },
  });
  const failed = await call({ text: "fail" });
  expect([failed.isError, textOf(failed)]).toEqual([true, expect.stringContaining("nobody is there")]);
  expect(textOf(await call({ amount: 1 }))).toMatch(/notify_treasurer was not called: text: /);
  await client.close();

  const without = await nodeRed.request("/assistant/mcp", { method: "POST", body: "{}" });
  expect(without.status).toBe(401);
});

test("ends waiting calls, removes deleted tools and starts no second server at a deploy", async () => {
  await deployAndServe("/assistant/mcp", server(), flowTool());
  const client = await connect();
  const waiting = client.callTool({ name: "notify_treasurer", arguments: { text: "wait" } });
  await client.callTool({ name: "notify_treasurer", arguments: { text: "now" } });
  await deployAndServe("/other", server({ path: "/other" }));
  expect(textOf(await waiting)).toMatch(/redeployed|shutting down/);
  await client.close();
  const gone = await nodeRed.request("/assistant/mcp", { method: "POST", body: "{}" });
  expect(gone.status).toBe(404);
  const other = await connect("/other");
  expect(await namesIn(other)).not.toContain("notify_treasurer");
  await other.close();
});

test("a flow that does more than read is offered where changes are allowed", async () => {
  for (const [allow, isOffered] of [
    ["", false],
    ["change", true],
  ] as const) {
    await deployAndServe("/assistant/mcp", server({ allow }), flowTool({ changes: true }));
    const client = await connect();
    expect((await namesIn(client)).includes("notify_treasurer")).toBe(isOffered);
    await client.close();
  }
});

test.each<[string, FlowNode[], string]>([
  ["a short token", [{ ...server(), credentials: { token: "short" } }], "at least 32 characters"],
  ["no token", [{ ...server(), credentials: { token: "" } }], "has no token"],
  ["no connection", [server({ connection: "" })], "Choose a connection"],
  ["two servers at one path", [server(), server({ id: "second" })], "Another MCP server already uses"],
  [
    "a name that is none",
    [server(), flowTool({ tool: "Notify treasurer" })],
    "Tool names consist of lower-case letters",
  ],
  ["no description", [server(), flowTool({ description: " " })], "The description is missing"],
  [
    "two tools of one name",
    [server(), flowTool(), flowTool({ id: "twice" })],
    "Another node already offers the tool",
  ],
  ["a time limit that is none", [server(), flowTool({ timeoutSeconds: "soon" })], "The time limit must be"],
])("%s is reported at the deploy", async (_, own, words) => {
  const times = nodeRed.countInLog(words);
  await nodeRed.deploy(flow(...own));
  await nodeRed.waitForLog(words, times + 1);
});
