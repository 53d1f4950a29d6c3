/** The one idea of the design: a declaration, and nothing else, puts an operation on every surface. */
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { startSandbox, type Sandbox } from "@fxdesk/sandbox";
import { callCommand } from "../cli/call/command";
import { execute } from "../cli/command";
import { contract, createClient, json, operation, operations } from "../core";
import { openApiDocument } from "../core/openapi/document";
import { createMcpServer } from "../mcp";
import { nodeFiles } from "../nodes/generate/files";
import { operationsDocument } from "../build/docs";

const Rate = z.object({ symbol: z.string(), rate: z.number() }).meta({ id: "FixingRate" });

const getFixing = operation({
  name: "fixings.get",
  tool: "get_fixing",
  title: "Get fixing",
  summary: "Returns the fixing of a currency pair.",
  effect: "read",
  method: "GET",
  path: "/fixings/{symbol}",
  server: "service",
  credentials: ["accessToken"],
  parameters: { symbol: z.string().length(6).meta({ title: "Symbol", description: "Such as EURUSD." }) },
  answers: { 200: json(Rate, "The fixing.") },
  errors: { 404: "No such pair." },
  contract: "none",
});

const all = [...operations, getFixing] as const;
const service = { ...contract, operations: all };
const fixing = { symbol: "EURUSD", rate: 1.090868 };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    service,
    behaviours: { "fixings.get": () => ({ status: 200, body: fixing }) },
  });
});
afterAll(() => sandbox.close());

const client = () =>
  createClient({ baseUrl: sandbox.baseUrl, credentials: { accessToken: sandbox.demo.accessToken } }, service);

test("as a client method, with its types", async () => {
  const connected = client();
  const { rate } = await connected.fixings.get({ symbol: "EURUSD" });
  expect(rate.toFixed(6)).toBe("1.090868");
  await expect(connected.fixings.get({ symbol: "EUR" })).rejects.toThrow(
    "symbol must have exactly 6 characters",
  );
  await connected.close();
});

test("as a route of the sandbox that validates, even with nothing behind it", async () => {
  const bare = await startSandbox({ service });
  const headers = { authorization: `Bearer ${bare.demo.accessToken}` };
  const status = async (path: string) => (await fetch(bare.baseUrl + path, { headers })).status;
  expect(await status("/fixings/EURUSD")).toBe(501);
  expect(await status("/fixings/EUR")).toBe(400);
  await bare.close();
});

test("as an MCP tool", async () => {
  const connected = client();
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer({ client: connected, operations: all });
  await server.connect(near);
  const assistant = new Client({ name: "test", version: "1" });
  await assistant.connect(far);
  const { tools } = await assistant.listTools();
  expect(tools.find(({ name }) => name === "get_fixing")).toMatchObject({
    title: "Get fixing",
    inputSchema: { required: ["symbol"], additionalProperties: false },
    annotations: { readOnlyHint: true },
  });
  const { structuredContent } = await assistant.callTool({
    name: "get_fixing",
    arguments: { symbol: "EURUSD" },
  });
  expect(structuredContent).toMatchObject({ symbol: "EURUSD", rate: "1.090868" });
  await assistant.close();
  await connected.close();
});

test("as a command", async () => {
  const terminal = {
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    environment: { FXDESK_BASE_URL: sandbox.baseUrl, FXDESK_ACCESS_TOKEN: sandbox.demo.accessToken },
  };
  const [command, args] = callCommand(["fixings.get", "--symbol", "EURUSD"], service);
  expect(await execute(command, args, terminal)).toBe(0);
  terminal.stdout.end();
  expect(JSON.parse(await text(terminal.stdout))).toEqual(fixing);
});

test("as a Node-RED node: runtime, form, words and help", () => {
  const files = nodeFiles(service);
  expect(files["fxdesk.js"]).toContain('registerType("fxdesk-get-fixing"');
  expect(files["fxdesk.html"]).toMatch(/registerType\(["']fxdesk-get-fixing["']/);
  expect(files["locales/en-US/fxdesk.json"]).toContain("Such as EURUSD.");
  expect(files["locales/en-US/fxdesk.html"]).toContain("Returns the fixing of a currency pair.");
});

test("as a path of the OpenAPI document and a chapter of the documentation", () => {
  const { paths, components } = openApiDocument(service, { version: "1.0.0" });
  expect(paths["/fixings/{symbol}"]).toHaveProperty("get.operationId", "fixings.get");
  expect(components.schemas).toHaveProperty("FixingRate");
  expect(operationsDocument(all)).toContain("GET /fixings/{symbol}");
});
