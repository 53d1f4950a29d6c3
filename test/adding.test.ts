/**
 * Tests that an operation, a procedure and a watch appear on every surface by their declarations alone, also from an
 * extension module and for another service.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Sandbox } from "@fxdesk/sandbox";
import { type Client, createClient, type Interceptor, serviceFrom } from "../core";
import {
  contract,
  defineService,
  json,
  operation,
  operations,
  procedureFor,
  watchFor,
} from "../core/operations";
import { openApiDocument } from "../core/openapi/document";
import { nodeFiles } from "../nodes/generate/node-files";
import { operationsDocument } from "../build/operations-document";
import { typeFiles } from "../build/types";
import { variablesOf } from "./cli/run-command";
import { numbersService } from "./support/numbers-procedure";
import { closeLater, tempFolder } from "./support/resources";
import { openSandbox } from "./support/sandboxes";
import { secondService } from "./support/second-service";
import { runForOutput, withAssistant } from "./support/surfaces";

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
  responses: {
    200: json(z.object({ symbol: z.string(), rate: z.number() }).meta({ id: "FixingRate" }), "The fixing."),
  },
  errors: { 404: "No such pair." },
  contract: "none",
});
const fixing = { symbol: "EURUSD", rate: 1.090868 };

const codes = z.array(z.string().length(3)).min(1).meta({ description: "Such as EUR." });

const countAccounts = procedureFor<Client<typeof operations>>()({
  name: "accounts.count",
  tool: "count_accounts",
  title: "Count accounts",
  summary: "Counts the accounts in some currencies.",
  effect: "read",
  uses: ["accounts.list"],
  input: { codes },
  output: json(z.object({ count: z.int().meta({ description: "How many." }) }), "The count."),
  async run({ client, progress }, { codes: given }) {
    progress({ done: 0, total: 1, message: "Counting" });
    return { count: (await client.accounts.list({ currencies: given.join(",") })).length };
  },
});

const watchNames = watchFor<Client<typeof operations>>()({
  name: "accounts.watchNames",
  tool: "watch_account_names",
  title: "Watch account names",
  summary: "Reports new accounts.",
  uses: ["accounts.list"],
  input: { codes },
  output: json(z.object({ id: z.string(), currency: z.string() }), "An account."),
  defaultStart: "beginning",
  everyMs: 60_000,
  async read({ client }, { codes: given }) {
    const accounts = await client.accounts.list({ currencies: given.join(",") });
    return { entries: accounts.map(({ account_id: id, currency }) => ({ id, currency })), gaps: [] };
  },
  identify: ({ id }) => id,
  state: ({ currency }) => ({ currency }),
});

const service = defineService({
  ...contract,
  operations: [...operations, getFixing] as const,
  procedures: [countAccounts],
  watches: [watchNames],
});

let sandbox: Sandbox;
let client: ReturnType<typeof connect>;
beforeAll(async () => {
  const behaviours = { "fixings.get": () => ({ status: 200, body: fixing }) };
  sandbox = await openSandbox({ service, behaviours });
  client = connect();
});

function connect() {
  const { baseUrl, demo } = sandbox;
  const { clientId, contactId, accessToken } = demo;
  return closeLater(createClient({ baseUrl, clientId, contactId, credentials: { accessToken } }, service));
}

test("as client methods, with their types, options and progress", async () => {
  const { rate } = await client.fixings.get({ symbol: "EURUSD" });
  expect(rate.toFixed(6)).toBe("1.090868");
  await expect(client.fixings.get({ symbol: "EUR" })).rejects.toThrow("symbol must have");
  const steps: string[] = [];
  const onProgress = ({ message }: { message: string }) => steps.push(message);
  const { count } = await client.accounts.count({ codes: ["EUR"] }, { onProgress });
  expect([count.toFixed(0), steps]).toEqual(["1", ["Counting"]]);
  expect(await client.accounts.count.response({ codes: ["EUR"] })).toMatchObject({
    status: 200,
    attempts: 1,
  });
  await expect(client.accounts.count({ codes: ["EUR"] }, { clientId: "nobody" })).rejects.toMatchObject({
    operation: "accounts.list",
  });
  await expect(client.accounts.count({ codes: [] })).rejects.toMatchObject({
    code: "invalid_input",
    operation: "accounts.count",
  });
});

test("as an iterator and a polling method", async () => {
  const { changes } = await client.accounts.watchNames.since({ codes: ["EUR"] }, { consumer: "asks" });
  expect(changes.map(({ entry }) => entry?.currency.toLowerCase())).toEqual(["eur"]);
  for await (const change of client.accounts.watchNames({ codes: ["EUR"] })) {
    expect(change).toMatchObject({ watch: "accounts.watchNames", kind: "new", repeated: false });
    await change.ack();
    break;
  }
  expect(() => client.accounts.watchNames({ codes: [] })).toThrow("codes");
});

test("in the declarations of the client", () => {
  const text = typeFiles(service)["core/client/fxdesk-client.d.ts"]!;
  expect(text).toContain("readonly watchNames: WatchMethod<[input: WatchAccountNamesInput], ");
  expect(text).toContain("readonly count: CallMethod<RequiredArguments<CountAccountsInput>, ");
});

test("as a validating route of the sandbox, with an example response", async () => {
  const bare = await openSandbox({ service });
  const headers = { authorization: `Bearer ${bare.demo.accessToken}` };
  const status = async (path: string) => (await fetch(bare.baseUrl + path, { headers })).status;
  expect([await status("/fixings/EURUSD"), await status("/fixings/EUR")]).toEqual([200, 400]);
});

test("as tools, and a watch as a resource", async () => {
  await withAssistant({ client, toolsets: ["all"] }, async (assistant) => {
    const { tools } = await assistant.listTools();
    for (const { tool, title, summary } of [getFixing, countAccounts, watchNames])
      expect(tools.find(({ name }) => name === tool)).toMatchObject({
        title,
        description: summary,
        annotations: { readOnlyHint: true },
      });
    const call = async (name: string, input: object) =>
      (await assistant.callTool({ name, arguments: { ...input } })).structuredContent;
    expect(await call("get_fixing", { symbol: "EURUSD" })).toMatchObject({ rate: "1.090868" });
    expect(await call("count_accounts", { codes: ["EUR", "USD"] })).toMatchObject({ count: 2 });
    expect(await call("watch_account_names", { codes: ["EUR"] })).toMatchObject({
      changes: [{ kind: "new", entry: { currency: "EUR" } }],
    });
    const { resourceTemplates } = await assistant.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      "fxdesk://watches/watch_account_names{?codes,cursor}",
    );
  });
});

test("as commands, with their help", async () => {
  const run = (...args: string[]) => runForOutput(args, variablesOf(sandbox), service);
  const printed = async (...args: string[]): Promise<unknown> => JSON.parse(await run(...args));
  expect(await printed("call", "fixings.get", "--symbol", "EURUSD")).toEqual(fixing);
  expect(await printed("call", "accounts.count", "--codes", "EUR")).toEqual({ count: 1 });
  expect(await printed("watch", "account-names", "--codes", "EUR", "--once")).toMatchObject({ kind: "new" });
  expect(await run("call", "accounts.count", "--help")).toContain("Such as EUR.");
  expect(await run("watch", "account-names", "--help")).toContain("Such as EUR.");
  const listed = await run("operations");
  for (const name of ["fixings.get", "accounts.count"]) expect(listed).toContain(name);
  expect(await run("watch")).toContain("account-names");
});

/** The files of all node sets. */
const everyFile = (files: Readonly<Record<string, string>>, ending: string): string =>
  Object.entries(files)
    .filter(([path]) => !path.includes("/") && path.endsWith(ending))
    .map(([, text]) => text)
    .join("\n");

test.each([
  ["fxdesk-get-fixing", "Such as EURUSD.", getFixing],
  ["fxdesk-count-accounts", "Such as EUR.", countAccounts],
  ["fxdesk-watch-account-names", "Such as EUR.", watchNames],
])("as the node %s: runtime, form, words and help", (type, field, { summary }) => {
  const files = nodeFiles(service);
  expect(everyFile(files, ".js")).toContain(`registerType("${type}"`);
  expect(everyFile(files, ".html")).toMatch(new RegExp(`registerType\\(["']${type}["']`));
  expect(files["locales/en-US/forms.json"]).toContain(field);
  expect(files["locales/en-US/fxdesk.html"]).toContain(summary);
});

test("as a path of the OpenAPI document and sections of the documentation", () => {
  const { paths, components } = openApiDocument(service, { version: "1.0.0" });
  expect(paths["/fixings/{symbol}"]).toHaveProperty("get.operationId", "fixings.get");
  expect(components.schemas).toHaveProperty("FixingRate");
  const document = operationsDocument([getFixing, countAccounts, watchNames]);
  expect(document).toContain("GET /fixings/{symbol}");
  expect(document).toContain("`accounts.count`, calls `accounts.list`");
  expect(document).toContain("`fxdesk watch account-names`");
});

test("the main list of a result is a table below the other values, and CSV for a model", async () => {
  const args = ["call", "numbers.list", "--many", "2", "--table"];
  const table = (await runForOutput(args, variablesOf(sandbox), numbersService)).split("\n");
  expect(table).toEqual(expect.arrayContaining(["count      2", "numbers", "id  note               value"]));
  const { baseUrl, demo } = sandbox;
  const credentials = { accessToken: demo.accessToken };
  const lister = closeLater(createClient({ baseUrl, clientId: demo.clientId, credentials }, numbersService));
  await withAssistant({ client: lister }, async (assistant) => {
    const asked = await assistant.callTool({ name: "list_numbers", arguments: { many: 2 } });
    const numbers = [
      { id: "N0", value: 0, note: 'even, "two\nlines"' },
      { id: "N1", value: 1 },
    ];
    expect(asked.structuredContent).toMatchObject({ count: 2, complete: true, numbers });
    const [{ text }] = asked.content as unknown as [{ text: string }];
    expect(text.split("\n").slice(-4)).toEqual([
      "numbers:",
      "id,note,value",
      String.raw`N0,"even, \"two\nlines\"",0`,
      "N1,,1",
    ]);
  });
});

test("a result list must be in the output", () => {
  const { output, ...rest } = { ...countAccounts, output: countAccounts.responses[200] };
  expect(() => procedureFor()({ ...rest, output, resultList: "count" } as never)).toThrow("no list count");
});

const flaws: [string, object, string][] = [
  ["an operation that is not there", { uses: ["accounts.lose"] }, "`uses` lists accounts.lose"],
  ["an effect below what it uses", { uses: ["trades.book"] }, "has the effect money"],
  ["the name of another", { name: "accounts.list" }, "The name accounts.list is declared twice"],
];

test.each(flaws)("a procedure or watch with %s is refused", (_, flaw, message) => {
  const procedures = [{ ...countAccounts, ...flaw }];
  expect(() => defineService({ ...contract, procedures })).toThrow(message);
  expect(() => defineService({ ...contract, watches: [{ ...watchNames, ...flaw }] })).toThrow(message);
});

test("a watch with an overlap, but without days, is refused", () => {
  const watches = [{ ...watchNames, overlapDays: 3 }];
  expect(() => defineService({ ...contract, watches })).toThrow("must be declared together");
});

const extension = `
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

test("an operation and an interceptor of an extension module are on every surface", async () => {
  const path = join(await tempFolder(), "limits.js");
  await writeFile(path, extension, { mode: 0o600 });
  const extended = serviceFrom({ FXDESK_EXTENSIONS: path });
  const behaviours = { "limits.get": () => ({ status: 200, body: { limit: 250_000 } }) };
  const { baseUrl, demo } = await openSandbox({ service: extended, behaviours });
  const { clientId, accessToken, apiKey } = demo;
  const caller = closeLater(
    createClient({ baseUrl, clientId, credentials: { accessToken, apiKey } }, extended),
  );
  const response = await caller.call(extended.operations.at(-1)!, { currency: "EUR" });
  expect(response).toMatchObject({ body: { limit: 250_000 } });
  await withAssistant({ client: caller }, (assistant) =>
    assistant.callTool({ name: "get_limit", arguments: { currency: "SEK" } }),
  );
  const variables = { FXDESK_BASE_URL: baseUrl, FXDESK_ACCESS_TOKEN: accessToken, FXDESK_EXTENSIONS: path };
  await runForOutput(["call", "limits.get", "--currency", "USD"], variables);
  expect((await readFile(`${path}.log`, "utf8")).trim().split("\n")).toEqual([
    "/limits/EUR 200",
    "/limits/SEK 200",
    "/limits/USD 200",
  ]);
  expect(nodeFiles(extended)["locales/en-US/fxdesk.html"]).toContain("Returns the dealing limit");
});

describe("another service", () => {
  const rate = { pair: "EURUSD", rate: 1.1 };
  let other: Sandbox;
  beforeAll(async () => {
    const behaviours = { "rates.get": () => ({ status: 200, body: rate }) };
    other = await openSandbox({ service: secondService, behaviours });
  });

  test("is called with its credential and through interceptors, and its errors are parsed", async () => {
    const seen: string[] = [];
    const audit: Interceptor = async (call, next) => {
      const response = await next(call);
      seen.push(`${call.target} ${response.status}`);
      return response;
    };
    const connectWith = (deskKey: string) =>
      closeLater(
        createClient({ settings: { deskUrl: other.baseUrl, deskKey }, interceptors: [audit] }, secondService),
      );
    const [known, stranger] = [connectWith(other.demo.deskKey!), connectWith("a wrong key")];
    expect(await known.rates.get({ pair: "EURUSD" })).toEqual(rate);
    await expect(stranger.rates.get({ pair: "EURUSD" })).rejects.toMatchObject({
      code: "unauthorized",
      service: { code: "token_invalid" },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    await withAssistant({ client: known }, async (assistant) => {
      const { tools } = await assistant.listTools();
      expect(tools.map(({ name }) => name)).toEqual(["get_rate"]);
      await assistant.callTool({ name: "get_rate", arguments: { pair: "EURSEK" } });
    });
    expect(seen).toEqual(expect.arrayContaining(["/v1/rates/EURUSD 200", "/v1/rates/EURSEK 200"]));
  });

  test("has commands, flags and variables", async () => {
    const variables = { FXDESK_DESK_KEY: other.demo.deskKey! };
    const args = ["call", "rates.get", "--pair", "EURUSD", "--desk-url", other.baseUrl];
    expect(JSON.parse(await runForOutput(args, variables, secondService))).toEqual(rate);
    const help = await runForOutput(["call", "--help"], {}, secondService);
    expect(help).toMatch(/FXDESK_DESK_URL .*--desk-url/);
    expect(help).toMatch(/FXDESK_DESK_KEY .*no flag: secret/s);
    expect(help).not.toContain("FXDESK_API_KEY");
  });

  test("has nodes with its connection settings, and an OpenAPI document", () => {
    const files = nodeFiles(secondService);
    expect(everyFile(files, ".js")).toContain('registerType("fxdesk-get-rate"');
    expect(everyFile(files, ".html")).toContain("deskUrl");
    expect(everyFile(files, ".html")).not.toContain("contactId");
    const { paths, components } = openApiDocument(secondService, { version: "1" });
    expect(Object.keys(paths)).toEqual(["/v1/rates/{pair}", "/v1/rates"]);
    expect(components.securitySchemes).toMatchObject({
      deskKey: { type: "apiKey", in: "header", name: "X-Desk-Key" },
    });
  });
});
