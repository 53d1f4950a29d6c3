/** Nodes of operations, any operation and the connection, in a real Node-RED against the sandbox. */
import { join } from "node:path";
import { type Declaration, operations } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { listAccounts } from "../../core/contract/accounts";
import { createConsent, deleteConsent, getConsent } from "../../core/contract/consents";
import { getPaymentStatus, initiatePayment } from "../../core/contract/payments";
import { getTrade, listTrades } from "../../core/contract/trades";
import { listTransactions } from "../../core/contract/transactions";
import { convertStatements } from "../../core/procedures/convert-statements";
import { fetchStatements } from "../../core/procedures/fetch-statements";
import { getExposure } from "../../core/procedures/get-exposure";
import { reconcileTransactions } from "../../core/procedures/reconcile-transactions";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import type { Callable } from "../../core/spec/operation";
import { createListFinder, type PickerOption } from "../../nodes/editor/field-lists";
import { callType } from "../../nodes/shared/node-names";
import type { TypedValue } from "../../nodes/shared/typed-values";
import { eventually } from "../support/eventually";
import { consentInput, sampleInput, sandboxClient } from "../support/samples";
import { type ExtensionModule, extensionModule } from "./support/extension";
import {
  connectionConfig,
  environmentFor,
  functionNode,
  operationNode,
  tab,
  testFlow,
  typed,
} from "./support/flows";
import { type FlowNode, type Message, NodeRed, root } from "./support/node-red";

const interceptorMessage = "Called through the interceptor.";

/** The sandbox's extension, with an interceptor of the user's. */
const extensionSource = `
const quotes = require(${JSON.stringify(join(root, "sandbox/dist/extensions/extension.js"))});
const interceptor = (_call, next) => {
  console.log(${JSON.stringify(interceptorMessage)});
  return next();
};
module.exports = (toolkit) => ({ ...quotes(toolkit), interceptors: [interceptor] });
`;

let sandbox: Sandbox;
let extension: ExtensionModule;
let nodeRed: NodeRed;

beforeAll(async () => {
  sandbox = await startSandbox();
  extension = await extensionModule(extensionSource);
  nodeRed = await NodeRed.start({
    env: {
      ...extension.env,
      ...environmentFor(sandbox),
      TRADE_TYPE: "spot",
      THE_TOKEN: demo.accessToken,
    },
  });
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await extension.remove();
  await sandbox.close();
});

/** Sends a payload through the nodes, and returns the message or error at the end. */
async function run(payload: unknown, ...nodes: readonly FlowNode[]): Promise<Message> {
  const [message] = await nodeRed.run(testFlow(connectionConfig(sandbox), ...nodes), { payload });
  return message;
}

const callableNode = (callable: Callable, id: string, fields: object, next = "end"): FlowNode =>
  operationNode(callable as Declaration, id, [next], { fields, pages: "one" });

const list = (fields: object, properties: object = {}) => ({
  ...callableNode(listTrades, "list", fields),
  ...properties,
});

const lastQuery = () => new URL(sandbox.requests.at(-1)!.url, sandbox.baseUrl).searchParams;
const payload = typed("msg", "payload");

describe("values of fields", () => {
  test.each([
    ["a fixed value", typed("str", "forward,spot"), {}, "forward,spot"],
    ["an array of a message", typed("msg", "payload.types"), { types: ["ndf", "spot"] }, "ndf,spot"],
    ["text of a message", typed("msg", "payload.types"), { types: "ndf, spot" }, "ndf,spot"],
    ["JSON text of a message", typed("msg", "payload.types"), { types: '["ndf", "spot"]' }, "ndf,spot"],
    ["JSONata", typed("jsonata", 'payload.short ? ["spot"] : ["forward"]'), { short: true }, "spot"],
    ["an environment variable", typed("env", "TRADE_TYPE"), {}, "spot"],
    ["an environment variable in a fixed value", typed("str", "${TRADE_TYPE}"), {}, "spot"],
    ["a template", typed("template", "{{payload.first}},drawdown"), { first: "ndf" }, "ndf,drawdown"],
    ["no value", typed("msg", "payload.nothing.here"), {}, null],
  ])("%s", async (_source, value, given, expected) => {
    await run(given, list({ trade_type: value }));

    expect(lastQuery().get("trade_type")).toBe(expected);
  });

  test.each(["flow", "global"])("a value of the %s context", async (context) => {
    const remember = functionNode(`${context}.set("kept.types", ["forward"]); return msg;`, "list");
    await run({}, remember, list({ trade_type: typed(context, "kept.types") }));

    expect(lastQuery().get("trade_type")).toBe("forward");
  });

  test("texts, numbers and dates take the type of the field, and templates are not escaped", async () => {
    await run(
      { size: "7", id: "FI/21=A&B <é>" },
      list({ page_size: typed("msg", "payload.size"), parent_trade_id: typed("template", "{{payload.id}}") }),
    );
    expect(Object.fromEntries(lastQuery())).toMatchObject({
      page_size: "7",
      parent_trade_id: "FI/21=A&B <é>",
    });

    await run("EUR, GBP", callableNode(listAccounts, "list", { currencies: payload }));
    expect(lastQuery().get("currencies")).toBe("EUR,GBP");

    const account = typed("str", "0b7d6a52-2f8a-4c4f-9d0e-5f2b8f1f7c11");
    await run(
      "2026-03-15T00:30:15+02:00",
      functionNode("msg.payload = new Date(msg.payload); return msg;", "list"),
      callableNode(listTransactions, "list", { account_id: account, from_value_datetime: payload }),
    );
    expect(lastQuery().get("from_value_datetime")).toBe("2026-03-14T22:30");
  });

  test("fills empty fields from the payload if enabled", async () => {
    await run(
      { trade_type: ["ndf"], page_size: 3 },
      list({ page_size: typed("num", "9") }, { fromPayload: true }),
    );

    expect(Object.fromEntries(lastQuery())).toMatchObject({ trade_type: "ndf", page_size: "9" });
  });

  const exposure = callableNode(getExposure, "exposure", { flows: payload });
  const flow = { date: "2027-01-01", currency: "USD", amount: "1" };

  test("lists of objects take numbers and Dates", async () => {
    const flows = [
      { ...flow, amount: 1000 },
      { ...flow, amount: -0.5 },
    ];
    const dated = functionNode(
      "msg.payload[0].date = new Date(msg.payload[0].date); return msg;",
      "exposure",
    );
    const { payload: result } = await run(flows, dated, exposure);

    const { expected } = result.currencies.find(({ currency }: Message) => currency === "USD");
    expect(expected).toBe("999.50");
  });

  test.each([
    ["a year as a day", { date: 2027 }, "flows.1.date"],
    ["more digits than a number holds", { amount: 12345678901234567000 }, "flows.1.amount"],
    ["a number that is none", { amount: "1.000,00" }, "flows.1.amount"],
    ["no day", { date: null }, "flows.1.date"],
  ])("%s inside a list is named with its path", async (_what, wrong, field) => {
    const { error } = await run([flow, { ...flow, ...wrong }], exposure);

    expect(error).toMatchObject({ code: "invalid_input", cause: { violations: [{ field }] } });
  });

  test("accepts the output of the CSV node", async () => {
    const csv = {
      id: "csv",
      type: "csv",
      z: tab.id,
      sep: ",",
      hdrin: true,
      multi: "mult",
      temp: "",
      skip: "0",
      strings: true,
      include_empty_strings: true,
      spec: "rfc",
      wires: [["reconcile"]],
    };
    const text = "amount,currency,reference,party,date\n1250.5,EUR,4711,Duval,\n20,EUR,RE-1,,2026-01-31\n";
    const { payload: result } = await run(
      text,
      csv,
      callableNode(reconcileTransactions, "reconcile", { items: payload }),
    );

    expect(result.open_items).toEqual([
      expect.objectContaining({ reference: "4711", amount: "1250.50" }),
      expect.objectContaining({ reference: "RE-1", amount: "20.00" }),
    ]);
  });

  test.each(["content", "content_base64"])("a fetched file is converted as %s", async (field) => {
    const fields = {
      format: typed("str", "mt940"),
      currencies: typed("str", "EUR"),
      period: typed("str", "2000-01-01..2060-01-01"),
    };
    const { payload: result } = await run(
      {},
      callableNode(fetchStatements, "fetch", fields, "convert"),
      callableNode(convertStatements, "convert", { [field]: typed("msg", "payload.files[0].content") }),
    );

    expect(result).toMatchObject({ from: "mt940", statement_count: expect.any(Number) });
  });

  test("refuses bytes that are not UTF-8 and names the binary field", async () => {
    const { error } = await run(
      {},
      functionNode('msg.payload = Buffer.from("Müller", "latin1"); return msg;', "convert"),
      callableNode(convertStatements, "convert", { content: payload }),
    );

    expect(error).toMatchObject({ code: "invalid_input", cause: { violations: [{ field: "content" }] } });
    expect(error.message).toContain("content_base64");
  });

  test.each([
    ["a missing value of a template", typed("template", "{{payload.id}}")],
    ["a missing environment variable", typed("env", "NOT_THERE")],
    ["an unresolved variable", typed("str", "${NOT_THERE}")],
    ["a JSONata expression that is none", typed("jsonata", "payload..[")],
    ["a template that is none", typed("template", "{{#payload}}")],
    ["a path that is none", typed("msg", "payload[[")],
    ["a required field without a value", typed("msg", "payload.id")],
  ])("%s is named, and nothing is sent", async (_what, value) => {
    const before = sandbox.requests.length;

    const { error } = await run({}, callableNode(getTrade, "get", { trade_id: value }));

    expect(error).toMatchObject({ code: "invalid_input", cause: { violations: [{ field: "trade_id" }] } });
    expect(sandbox.requests).toHaveLength(before);
  });

  test("names an unknown field", async () => {
    const { error } = await run({}, list({ trade_typ: typed("str", "spot") }));

    expect(error.cause.violations).toMatchObject([{ field: "trade_typ" }]);
  });

  test("other properties of the message stay", async () => {
    const msg = await run({}, functionNode(`msg.topic = "kept"; return msg;`, "list"), list({}));

    expect(msg).toMatchObject({ topic: "kept", statusCode: 200, fxdesk: { operation: "trades.list" } });
  });
});

describe("the node for any operation", () => {
  const call = (operation: string, given: unknown, input: TypedValue = payload, pages = "one") =>
    run(given, {
      id: "call",
      type: callType,
      z: tab.id,
      connection: "connection",
      operation,
      input,
      pages,
      wires: [["end"]],
    });

  test("calls an operation of the contract through the interceptors of an extension", async () => {
    const before = nodeRed.countInLog(interceptorMessage);
    const msg = await call("trades.list", { trade_type: "spot, ndf", page_size: "3" });

    expect(lastQuery().get("trade_type")).toBe("spot,ndf");
    expect(msg).toMatchObject({ statusCode: 200, fxdesk: { operation: "trades.list", violations: [] } });
    expect(nodeRed.countInLog(interceptorMessage) - before).toBe(1);
  });

  test("calls an operation of an extension", async () => {
    const terms = { amount: 1000, operation: "sell", buy_currency: "USD", sell_currency: "EUR" };

    expect((await call("quotes.create", terms)).payload.quote_id).toEqual(expect.any(String));
  });

  test.each([
    ["JSON", typed("json", '{"page_size": 4}'), "4"],
    ["JSONata", typed("jsonata", '{"page_size": payload.size + 1}'), "3"],
    ["a template", typed("template", '{"page_size": {{payload.size}}}'), "2"],
  ])("the input may be %s", async (_type, input, size) => {
    await call("trades.list", { size: 2 }, input);

    expect(lastQuery().get("page_size")).toBe(size);
  });

  test("reads all pages", async () => {
    const { fxdesk } = await call("trades.list", { page_size: 5 }, payload, "all");

    expect(fxdesk.pages).toBeGreaterThan(1);
  });

  test.each([
    ["an unknown operation", "trades.lists", {}, "Did you mean trades.list?"],
    ["an operation unlike any", "zzzzzzzz", {}, "FXDESK_EXTENSIONS"],
    ["no operation", "", {}, "Choose an operation"],
    ["text that is not JSON", "trades.list", "a: 1", "input"],
    ["a list", "trades.list", [1], "input"],
    ["an unknown field", "trades.list", { trade_typ: "spot" }, "trade_typ"],
  ])("%s is named, and nothing is sent", async (_what, operation, given, words) => {
    const before = sandbox.requests.length;

    const { error } = await call(operation, given);

    expect(error).toMatchObject({ code: "invalid_input", cause: { outcome: "not-sent" } });
    expect(error.message).toContain(words);
    expect(sandbox.requests).toHaveLength(before);
  });
});

describe("the connection", () => {
  const through = async (connection: FlowNode, properties: object = {}): Promise<Message> =>
    (await nodeRed.run(testFlow(connection, list({}, properties))))[0];
  const nowhere = { baseUrl: "", xs2aUrl: "" };

  test("secrets are in no flow", async () => {
    expect((await through(connectionConfig(sandbox))).statusCode).toBe(200);
    const flows = JSON.stringify(await nodeRed.json("/flows"));
    const shown = JSON.stringify(await nodeRed.json("/credentials/fxdesk-connection/connection"));

    expect(flows).toContain(demo.clientId);
    for (const secret of [demo.accessToken, demo.apiKey]) {
      expect(flows).not.toContain(secret);
      expect(shown).not.toContain(secret);
    }
    expect(shown).toContain('"has_accessToken":true');
  });

  test.each([
    [
      "one setting",
      () => connectionConfig(sandbox, { credentials: { accessToken: "${THE_TOKEN}", apiKey: demo.apiKey } }),
    ],
    [
      "all settings",
      () => ({ id: "connection", type: "fxdesk-connection", name: "", fromEnvironment: true }),
    ],
  ])("takes %s from the environment", async (_what, connection) => {
    expect((await through(connection())).statusCode).toBe(200);
  });

  test.each([
    ["without a connection", connectionConfig(nowhere), { connection: "" }, "Choose a connection"],
    [
      "with an address that is none",
      connectionConfig({ baseUrl: "nowhere", xs2aUrl: "" }),
      {},
      "baseUrl must be",
    ],
    [
      "with an unset variable",
      connectionConfig(nowhere, { credentials: { accessToken: "${NO_TOKEN}" } }),
      {},
      "NO_TOKEN is not set",
    ],
    ["with a deleted connection", { id: "other", type: "tls-config" }, {}, "no longer exists"],
    ["with a disabled connection", connectionConfig(nowhere, { d: true }), {}, "“Sandbox” is disabled"],
    [
      "with another node",
      { id: "connection", type: "tls-config", name: "Keys" },
      {},
      "“Keys” is a node of the type tls-config",
    ],
  ])("%s the log, the status and each error say what to do", async (_what, connection, properties, words) => {
    const before = nodeRed.countInLog(words);
    const { error } = await through(connection, properties);

    expect(error).toMatchObject({ code: "no_connection", cause: { outcome: "not-sent" } });
    expect(error.message).toContain(words);
    expect(nodeRed.countInLog(words)).toBeGreaterThan(before);
    expect((await nodeRed.waitForStatus("list", ({ fill }) => fill === "red")).text).toBe("no connection");
  });

  test("without an address, nothing is sent", async () => {
    const { error } = await through(connectionConfig(nowhere));

    expect(error).toMatchObject({ code: "invalid_input", cause: { outcome: "not-sent" } });
    expect(error.message).toContain("baseUrl");
  });

  test("a refused credential is not shown", async () => {
    const credentials = { accessToken: "wrong", apiKey: demo.apiKey };
    const { error } = await through(connectionConfig(sandbox, { credentials }));

    expect(error).toMatchObject({ code: "unauthorized", cause: { status: 401 } });
    expect(JSON.stringify(error)).not.toContain("wrong");
  });

  test("nodes and connection work after a redeploy", async () => {
    const flows = testFlow(connectionConfig(sandbox), list({}));
    await nodeRed.run(flows);
    await nodeRed.deploy(flows);

    expect((await nodeRed.run(flows))[0].statusCode).toBe(200);
  });

  test("a watch reports new entries, also those from the time of a deploy", async () => {
    const watch = (name: string) =>
      testFlow(connectionConfig(sandbox), {
        id: "watch",
        type: "fxdesk-watch-transactions",
        z: tab.id,
        name,
        connection: "connection",
        fields: { currencies: typed("str", "EUR") },
        every: "0.05",
        wires: [["end"], []],
      });
    const next = async () =>
      ((await nodeRed.nextDebugValues("end"))[0] as Message).payload.transaction_reference as string;
    await nodeRed.deploy(watch("first"));
    await nodeRed.waitForStatus("watch", ({ text }) => text === "watching");
    sandbox.control.payIn({ currency: "EUR", amount: "1.00", reference: "WATCHED-1" });
    expect(await next()).toBe("WATCHED-1");
    await nodeRed.waitForStatus("watch", ({ text }) => text === "1 change");
    await nodeRed.deploy([tab]);
    sandbox.control.payIn({ currency: "EUR", amount: "2.00", reference: "WATCHED-2" });
    await nodeRed.deploy(watch("second"));
    expect(await next()).toBe("WATCHED-2");
  });
});

describe("values for forms", () => {
  async function create(operation: Declaration, input: object, properties: object = {}): Promise<Message> {
    const node = operationNode(operation, "node", ["end"], { fromPayload: true, ...properties });
    const { payload: created, error } = await run(input, node);
    expect(error).toBeUndefined();
    return created;
  }

  const {
    id,
    type: _type,
    name: _name,
    credentials: _credentials,
    ...values
  } = connectionConfig({
    baseUrl: "",
    xs2aUrl: "",
  });
  const post = (action: "list" | "try", body: object) =>
    nodeRed.request(`/fxdesk/connection/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        id,
        values: {
          ...values,
          baseUrl: sandbox.baseUrl,
          xs2aUrl: sandbox.xs2aUrl,
          accessToken: "__PWRD__",
          apiKey: "__PWRD__",
        },
        ...body,
      }),
    });

  async function requestOptions(operation: Declaration, field: string): Promise<readonly PickerOption[]> {
    const described = callerFieldDocs(describeOperation(operation)).find(({ name }) => name === field)!;
    const response = await post("list", createListFinder(fxdeskService)(operation, described)!);
    expect(response.status).toBe(200);
    return ((await response.json()) as { entries: PickerOption[] }).entries;
  }

  const createdAtPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ/.source;
  const waitOptions = { withinMs: 20_000, what: "the change in what is offered" };

  test("offers a created consent until it is deleted", async () => {
    const { consentId } = await create(createConsent, consentInput);
    const find = async () =>
      (await requestOptions(getConsent, "consent-id")).find(({ value }) => value === consentId);
    const { title } = await eventually(find, waitOptions);
    expect(title).toMatch(new RegExp(`${createdAtPattern} · Valid until 9999-12-31$`));
    await create(deleteConsent, { "consent-id": consentId });

    expect(await eventually(async () => !(await find()), waitOptions)).toBe(true);
  });

  test("offers an initiated payment with amount and creditor", async () => {
    const client = sandboxClient(sandbox);
    const input = (await sampleInput("payments.initiate", client)) as object;
    await client.close();
    const { paymentId } = await create(initiatePayment, input, { requestKey: typed("str", "invoice 20418") });

    expect((await requestOptions(getPaymentStatus, "paymentId"))[0]).toEqual({
      value: paymentId,
      title: expect.stringMatching(new RegExp(`${createdAtPattern} · 125.50 EUR · Ferme Duval SARL$`)),
      label: "125.50 EUR",
    });
  });

  test("lists entries with stored secrets and reveals none", async () => {
    const response = await post("list", { from: "cash.getPosition", property: "account_id" });
    const text = await response.text();

    expect((JSON.parse(text) as { entries: unknown[] }).entries.length).toBeGreaterThan(2);
    for (const secret of [demo.accessToken, demo.apiKey]) expect(text).not.toContain(secret);
  });

  test("calls no operation that changes something", async () => {
    const bodies = [
      await post("list", { from: "consents.delete", property: "consent-id" }),
      await post("try", { operation: "trades.book", fields: {} }),
    ];
    expect(bodies.map(({ status }) => status)).toEqual([400, 400]);
  });
});

describe("the routes of the editor", () => {
  const language = ["de", "de-AT", "en-US", "fr", "../de", ""];
  const isGerman = [true, true, false, false, false, false];

  test.each([
    ["/fxdesk/words", "Anmeldung"],
    ["/fxdesk/help/fxdesk-list-trades", "<h3>Ausgaben</h3>"],
  ])("%s is in the language of the editor, or in English", async (path, words) => {
    const texts = await Promise.all(
      language.map(async (each) => (await nodeRed.request(`${path}?lang=${each}`)).text()),
    );
    expect(texts.map((text) => text.includes(words))).toEqual(isGerman);
  });

  test("Node-RED serves catalogues and summaries in the language of the editor", async () => {
    const catalogue = (set: string) => nodeRed.json<Message>(`/locales/@fxdesk/toolkit/${set}?lng=de`);
    const headers = { accept: "text/html", "accept-language": "de" };

    expect((await catalogue("fxdesk")).form.connection).toBe("Verbindung");
    expect((await catalogue("fxdesk-releases")).labels["fxdesk-release"]).toBe("Freigeben");
    expect(await (await nodeRed.request("/nodes", { headers })).text()).toContain(
      "Listet die Devisengeschäfte",
    );
  });

  test("offer all operations, including those of the extension", async () => {
    const all = await nodeRed.json<Message[]>("/fxdesk/operations");

    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...operations.map(({ name }) => name), "quotes.create"]),
    );
    expect(all.find(({ name }) => name === "quotes.create")).toMatchObject({
      title: "Create quote",
      effect: "change",
      fields: expect.arrayContaining([expect.objectContaining({ name: "amount", required: true })]),
    });
  });

  const routes: readonly (readonly [method: string, path: string])[] = [
    ["GET", "operations"],
    ["GET", "watches"],
    ["GET", "words"],
    ["GET", "help/fxdesk-list-trades"],
    ["POST", "check"],
    ["POST", "connection/test"],
    ["POST", "connection/login"],
    ["GET", "connection/login/x"],
    ["POST", "connection/list"],
    ["POST", "connection/try"],
  ];
  const statusesOf = (on: NodeRed, init: RequestInit = {}) =>
    Promise.all(
      routes.map(async ([method, path]) => (await on.request(`/fxdesk/${path}`, { ...init, method })).status),
    );

  test.each(["https://elsewhere.example", "http://127.0.0.1:1", "null"])("refuse %s", async (origin) => {
    expect(await statusesOf(nodeRed, { headers: { origin } })).toEqual(routes.map(() => 403));
    expect((await nodeRed.request("/fxdesk/operations", { headers: { origin: nodeRed.url } })).status).toBe(
      200,
    );
  });

  test("require a permission", async () => {
    const guarded = await NodeRed.start({ settings: { adminAuth: { type: "credentials", users: [] } } });
    const statuses = await statusesOf(guarded);
    await guarded.close();

    expect(statuses).toEqual(routes.map(() => 401));
  }, 60_000);

  test.each(["fxdesk-nothing", "inject", "..%2Fde%2Ffxdesk-list-trades", "%2e%2e"])(
    "have no help for %s",
    async (unknown) => {
      expect((await nodeRed.request(`/fxdesk/help/${unknown}?lang=en-US`)).status).toBe(404);
    },
  );
});
