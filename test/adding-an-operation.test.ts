/**
 * Tests that an operation appears on every surface by its declaration alone, also from an extension module and for another
 * service.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { startSandbox, type Sandbox } from "@fxdesk/sandbox";
import { callCommands } from "../cli/call/command";
import { runCommand } from "../cli/command-line/command";
import { createClient, type Interceptor, type Service, serviceFrom } from "../core";
import { contract, json, operation, operations } from "../core/operations";
import { openApiDocument } from "../core/openapi/document";
import { nodeFiles } from "../nodes/generate/node-files";
import { operationsDocument } from "../build/operations-document";
import { secondService } from "./support/second-service";
import { runForOutput, withAssistant } from "./support/surfaces";

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
  responses: { 200: json(Rate, "The fixing.") },
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

test("as a validating route of the sandbox, with an example response", async () => {
  const bare = await startSandbox({ service });
  const headers = { authorization: `Bearer ${bare.demo.accessToken}` };
  const status = async (path: string) => (await fetch(bare.baseUrl + path, { headers })).status;
  expect(await status("/fixings/EURUSD")).toBe(200);
  expect(await status("/fixings/EUR")).toBe(400);
  await bare.close();
});

test("as an MCP tool", async () => {
  const connected = client();
  await withAssistant({ client: connected }, async (assistant) => {
    const { tools } = await assistant.listTools();
    expect(tools.find(({ name }) => name === "get_fixing")).toMatchObject({
      title: "Get fixing",
      inputSchema: { required: ["symbol"] },
      annotations: { readOnlyHint: true },
    });
    const asked = await assistant.callTool({ name: "get_fixing", arguments: { symbol: "EURUSD" } });
    expect(asked.structuredContent).toMatchObject({ symbol: "EURUSD", rate: "1.090868" });
  });
  await connected.close();
});

test("as a command", async () => {
  const terminal = {
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    environment: { FXDESK_BASE_URL: sandbox.baseUrl, FXDESK_ACCESS_TOKEN: sandbox.demo.accessToken },
  };
  const [command, args] = callCommands(service)(["fixings.get", "--symbol", "EURUSD"]);
  expect(await runCommand(command, args, terminal)).toBe(0);
  terminal.stdout.end();
  expect(JSON.parse(await text(terminal.stdout))).toEqual(fixing);
});

test("as a Node-RED node: runtime, form, words and help", () => {
  const files = nodeFiles(service);
  expect(files["fxdesk.js"]).toContain('registerType("fxdesk-get-fixing"');
  expect(files["fxdesk.html"]).toMatch(/registerType\(["']fxdesk-get-fixing["']/);
  expect(files["locales/en-US/forms.json"]).toContain("Such as EURUSD.");
  expect(files["locales/en-US/fxdesk.html"]).toContain("Returns the fixing of a currency pair.");
});

test("as a path of the OpenAPI document and a section of the documentation", () => {
  const { paths, components } = openApiDocument(service, { version: "1.0.0" });
  expect(paths["/fixings/{symbol}"]).toHaveProperty("get.operationId", "fixings.get");
  expect(components.schemas).toHaveProperty("FixingRate");
  expect(operationsDocument(all)).toContain("GET /fixings/{symbol}");
});

describe("an operation from an extension module", () => {
  const code = `
const { appendFileSync } = require("node:fs");

const getLimit = ({ operation, json, z }) =>
  operation({
    name: "limits.get",
    tool: "get_limit",
    title: "Get limit",
    summary: "Returns the dealing limit in a currency.",
    effect: "read",
    method: "GET",
    path: "/limits/{currency}",
    server: "service",
    credentials: ["accessToken"],
    parameters: { currency: z.string().length(3).meta({ description: "Such as EUR." }) },
    responses: { 200: json(z.object({ limit: z.number() }), "The limit.") },
    errors: {},
    contract: "none",
  });

const audit = async (call, next) => {
  const response = await next();
  appendFileSync(__filename + ".log", call.target + " " + response.status + "\\n");
  return response;
};

module.exports = (toolkit) => ({ operations: [getLimit(toolkit)], interceptors: [audit] });
`;
  const limit = { limit: 250_000 };
  let folder: string;
  let variables: Record<string, string>;
  let more: Service;
  let playing: Sandbox;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fxdesk-adding-"));
    const path = join(folder, "limits.js");
    await writeFile(path, code, { mode: 0o600 });
    more = serviceFrom({ FXDESK_EXTENSIONS: path });
    const behaviours = { "limits.get": () => ({ status: 200, body: limit }) };
    playing = await startSandbox({ service: more, behaviours });
    variables = {
      FXDESK_BASE_URL: playing.baseUrl,
      FXDESK_ACCESS_TOKEN: playing.demo.accessToken,
      FXDESK_EXTENSIONS: path,
    };
  });
  afterAll(async () => {
    await playing.close();
    await rm(folder, { recursive: true });
  });

  const connect = () => {
    const { baseUrl, demo } = playing;
    const { clientId, contactId, accessToken, apiKey } = demo;
    return createClient({ baseUrl, clientId, contactId, credentials: { accessToken, apiKey } }, more);
  };

  test("is called by the client, and by an assistant", async () => {
    const connected = connect();
    const declaration = more.operations.at(-1)!;
    expect(await connected.call(declaration, { currency: "EUR" })).toMatchObject({ body: limit });
    await expect(connected.call(declaration, { currency: "E" })).rejects.toThrow(
      "currency must have exactly",
    );
    await withAssistant({ client: connected }, async (assistant) => {
      const asked = await assistant.callTool({ name: "get_limit", arguments: { currency: "EUR" } });
      expect(asked.structuredContent).toMatchObject({ limit: "250000" });
    });
    await connected.close();
  });

  test("is called through the interceptor of the module, on every surface", async () => {
    const log = `${variables.FXDESK_EXTENSIONS}.log`;
    await rm(log, { force: true });
    const connected = connect();
    await connected.call(more.operations.at(-1)!, { currency: "EUR" });
    const ofContract = more.operations.find(({ name }) => name === "approvalsWorkflow.getConfig")!;
    await connected.call(ofContract, {});
    await withAssistant({ client: connected }, (assistant) =>
      assistant.callTool({ name: "get_limit", arguments: { currency: "SEK" } }),
    );
    await runForOutput(["call", "limits.get", "--currency", "USD"], variables);
    await connected.close();
    expect((await readFile(log, "utf8")).split("\n")).toEqual([
      "/limits/EUR 200",
      expect.stringMatching(/^\/approvals.* 200$/),
      "/limits/SEK 200",
      "/limits/USD 200",
      "",
    ]);
  });

  test("is listed, described and called on the command line", async () => {
    const response = await runForOutput(["call", "limits.get", "--currency", "EUR"], variables);
    expect(JSON.parse(response)).toEqual(limit);
    expect(await runForOutput(["operations"], variables)).toContain("limits.get");
    expect(await runForOutput(["call", "limits.get", "--help"], variables)).toContain("Such as EUR.");
    expect(await runForOutput(["openapi"], variables)).toContain("/limits/{currency}");
  });

  test("is in the sandbox, the OpenAPI document, the documentation and the node texts", async () => {
    const headers = { authorization: `Bearer ${playing.demo.accessToken}` };
    const status = async (path: string) => (await fetch(playing.baseUrl + path, { headers })).status;
    expect([await status("/limits/EUR"), await status("/limits/E")]).toEqual([200, 400]);
    expect(openApiDocument(more, { version: "1" }).paths).toHaveProperty(["/limits/{currency}", "get"]);
    expect(operationsDocument(more.operations)).toContain("GET /limits/{currency}");
    expect(nodeFiles(more)["locales/en-US/fxdesk.html"]).toContain("Returns the dealing limit");
  });
});

describe("another service", () => {
  const rate = { pair: "EURUSD", rate: 1.1 };
  let playing: Sandbox;
  let variables: Record<string, string>;

  beforeAll(async () => {
    const behaviours = { "rates.get": () => ({ status: 200, body: rate }) };
    playing = await startSandbox({ service: secondService, behaviours });
    variables = { FXDESK_DESK_URL: playing.baseUrl, FXDESK_DESK_KEY: playing.demo.deskKey! };
  });
  afterAll(() => playing.close());

  const connect = (interceptors: readonly Interceptor[] = [], deskKey = playing.demo.deskKey!) =>
    createClient({ settings: { deskUrl: playing.baseUrl, deskKey }, interceptors }, secondService);

  test("is called with its credential, and its errors are parsed", async () => {
    const [known, unknown] = [connect(), connect([], "a wrong key")];
    expect(await known.rates.get({ pair: "EURUSD" })).toEqual(rate);
    await expect(unknown.rates.get({ pair: "EURUSD" })).rejects.toMatchObject({
      code: "unauthorized",
      service: { code: "token_invalid", message: "X-Desk-Key is missing or unknown." },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    await Promise.all([known.close(), unknown.close()]);
  });

  test("has tools", async () => {
    const connected = connect();
    await withAssistant({ client: connected }, async (assistant) => {
      const { tools } = await assistant.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["get_rate"]);
      const asked = await assistant.callTool({ name: "get_rate", arguments: { pair: "EURUSD" } });
      expect(asked.structuredContent).toMatchObject({ pair: "EURUSD", rate: "1.1" });
    });
    await connected.close();
  });

  test("has commands, flags and variables", async () => {
    const call = ["call", "rates.get", "--pair", "EURUSD"];
    expect(JSON.parse(await runForOutput(call, variables, secondService))).toEqual(rate);
    const { FXDESK_DESK_URL, ...others } = variables;
    const flagged = await runForOutput([...call, "--desk-url", FXDESK_DESK_URL!], others, secondService);
    expect(JSON.parse(flagged)).toEqual(rate);
    const help = await runForOutput(["call", "--help"], {}, secondService);
    expect(help).toMatch(/FXDESK_DESK_URL .*--desk-url/);
    expect(help).toMatch(/FXDESK_DESK_KEY .*no flag: secret/s);
    expect(help).not.toContain("FXDESK_API_KEY");
  });

  test("has nodes with its connection settings", () => {
    const files = nodeFiles(secondService);
    expect(files["fxdesk.js"]).toContain('registerType("fxdesk-get-rate"');
    expect(files["fxdesk.html"]).toContain("deskUrl");
    expect(files["fxdesk.html"]).not.toContain("contactId");
  });

  test("has an OpenAPI document and documentation", () => {
    const { paths, components } = openApiDocument(secondService, { version: "1" });
    expect(Object.keys(paths)).toEqual(["/v1/rates/{pair}", "/v1/rates"]);
    expect(components.securitySchemes).toMatchObject({
      deskKey: { type: "apiKey", in: "header", name: "X-Desk-Key" },
    });
    expect(operationsDocument(secondService.operations)).toContain("GET /v1/rates/{pair}");
  });

  test("is called through a user interceptor, on each surface with a client", async () => {
    const seen: string[] = [];
    const audit: Interceptor = async (call, next) => {
      const response = await next(call);
      seen.push(`${call.operation.name} ${call.target} ${response.status}`);
      return response;
    };
    const connected = connect([audit]);
    const { operations: declared } = connected.service;
    await connected.rates.get({ pair: "EURUSD" });
    await connected.call(declared[0]!, { pair: "EURGBP" });
    await withAssistant({ client: connected }, (assistant) =>
      assistant.callTool({ name: "get_rate", arguments: { pair: "EURSEK" } }),
    );
    expect(seen).toEqual([
      "rates.get /v1/rates/EURUSD 200",
      "rates.get /v1/rates/EURGBP 200",
      "rates.get /v1/rates/EURSEK 200",
    ]);
    await connected.close();
  });
});
