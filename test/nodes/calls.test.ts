/** Nodes of operations, any operation and the connection, in a real Node-RED against the sandbox. */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Declaration, operations } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { getTrade, listTrades } from "../../core/contract/trades";
import { getCashPosition } from "../../core/procedures/cash-position";
import { convertStatements } from "../../core/procedures/convert-statements";
import { fetchStatements } from "../../core/procedures/fetch-statements";
import { getExposure } from "../../core/procedures/get-exposure";
import type { Callable } from "../../core/spec/operation";
import type { CatalogueNode } from "../../nodes/generate/catalogue";
import { callType, nodeTypeOf } from "../../nodes/shared/node-names";
import type { TypedValue } from "../../nodes/shared/typed-values";
import { startConnectProxy } from "../support/connect-proxy";
import { failuresToTry } from "../support/operations";
import { tempFolder } from "../support/resources";
import { sampleInput } from "../support/samples";
import { openClient, openSandbox } from "../support/sandboxes";
import { writeExtension } from "./support/extension";
import {
  catchNode,
  connectionConfig,
  debugNode,
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
let nodeRed: NodeRed;
let spansFile: string;

beforeAll(async () => {
  spansFile = join(await tempFolder(), "spans");
  sandbox = await openSandbox();
  nodeRed = await NodeRed.start({
    env: {
      ...(await writeExtension(extensionSource)),
      NODE_OPTIONS: ["./support/short-waits", "../support/collect-spans"]
        .map((each) => `--require=${require.resolve(each)}`)
        .join(" "),
      SPANS_FILE: spansFile,
      TRADE_TYPE: "spot",
      THE_TOKEN: demo.accessToken,
      ...environmentFor(sandbox),
    },
  });
}, 60_000);

/** Sends a payload through the nodes, and returns the message or error at the end. */
async function run(payload: unknown, ...nodes: readonly FlowNode[]): Promise<Message> {
  const [message] = await nodeRed.run(testFlow(connectionConfig(sandbox), ...nodes), { payload });
  return message;
}

const callableNode = (callable: Callable, id: string, fields: object, next = "end"): FlowNode =>
  operationNode(callable as Declaration, id, [next], { fields, results: "one" });

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

  test("a template is not escaped", async () => {
    await run({ id: "FI/21=A&B <é>" }, list({ parent_trade_id: typed("template", "{{payload.id}}") }));

    expect(lastQuery().get("parent_trade_id")).toBe("FI/21=A&B <é>");
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
  ])("%s inside a list is named with its path", async (_what, wrong, field) => {
    const { error } = await run([flow, { ...flow, ...wrong }], exposure);

    expect(error).toMatchObject({ code: "invalid_input", cause: { violations: [{ field }] } });
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
  const call = (operation: string, given: unknown, input: TypedValue = payload, results = "one") =>
    run(given, {
      id: "call",
      type: callType,
      z: tab.id,
      connection: "connection",
      operation,
      input,
      results,
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

  test("reaches the service through a proxy, whose credentials are in no flow and no error", async () => {
    const port = Number(new URL(sandbox.baseUrl).port);
    const credentials = "desk:canary-password";
    const proxy = await startConnectProxy({ routes: { [`service.test:${port}`]: port }, credentials });
    const given = (proxyCredentials: string) =>
      connectionConfig(
        { baseUrl: `http://service.test:${port}`, xs2aUrl: sandbox.xs2aUrl },
        {
          proxy: `http://127.0.0.1:${proxy.port}`,
          credentials: { accessToken: demo.accessToken, apiKey: demo.apiKey, proxyCredentials },
        },
      );
    expect((await through(given(credentials))).statusCode).toBe(200);
    expect(JSON.stringify(await nodeRed.json("/flows"))).not.toContain("canary");
    const { error } = await through(given("desk:canary-wrong"));
    expect(error).toMatchObject({ code: "unavailable", cause: { outcome: "not-sent" } });
    expect(JSON.stringify(error)).not.toContain("canary");
    expect(proxy.targets).toHaveLength(2);
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
    [
      "with a connection named like its ID",
      connectionConfig(nowhere, { name: "connection" }),
      {},
      "is named like its own ID",
    ],
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

  test("a refused credential is not shown", async () => {
    const credentials = { accessToken: "wrong", apiKey: demo.apiKey };
    const { error } = await through(connectionConfig(sandbox, { credentials }));

    expect(error).toMatchObject({ code: "unauthorized", cause: { status: 401 } });
    expect(JSON.stringify(error)).not.toContain("wrong");
  });
});

describe("every operation", () => {
  /** HTTP response: the message sent by the node, or the error seen by a Catch node. */
  interface Outcome {
    readonly statusCode?: number;
    readonly fxdesk?: Record<string, unknown>;
    readonly error?: Record<"message" | "code", string> & { readonly cause: object };
  }

  const responseFunction = (id: string, code: string): FlowNode => ({
    id,
    type: "function",
    z: tab.id,
    func: code,
    outputs: 1,
    wires: [["response"]],
  });

  /** An http endpoint for each operation: the body of a request is the input of the node. */
  const branch = (operation: Declaration): FlowNode[] => [
    {
      id: `in-${operation.tool}`,
      type: "http in",
      z: tab.id,
      url: `/call/${operation.tool}`,
      method: "post",
      wires: [[operation.tool]],
    },
    operationNode(operation, operation.tool, ["answer"], {
      fromPayload: true,
      results: "one",
      requestKey: typed("msg", "req.query.key"),
    }),
  ];

  let client: FxdeskClient;
  beforeAll(async () => {
    client = openClient(sandbox);
    await nodeRed.deploy([
      tab,
      connectionConfig(sandbox),
      ...operations.flatMap(branch),
      catchNode("caught", ["failure"]),
      responseFunction(
        "answer",
        "return Object.assign(msg, { statusCode: 200, payload: { statusCode: msg.statusCode, fxdesk: msg.fxdesk } });",
      ),
      responseFunction(
        "failure",
        "return Object.assign(msg, { statusCode: 200, payload: { error: msg.error } });",
      ),
      { id: "response", type: "http response", z: tab.id, statusCode: "", headers: {}, wires: [] },
    ]);
  });

  async function post(operation: Declaration, input: unknown): Promise<Outcome> {
    const response = await nodeRed.request(`/call/${operation.tool}?key=${randomUUID()}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    return (await response.json()) as Outcome;
  }

  const each = operations.map((operation): [string, Declaration] => [operation.name, operation]);

  test.each(each)("%s succeeds", async (name, operation) => {
    const { error, statusCode, fxdesk } = await post(operation, await sampleInput(name, client));

    expect(error).toBeUndefined();
    expect(Object.keys(operation.responses).map(Number)).toContain(statusCode);
    expect(fxdesk).toMatchObject({ operation: name, violations: [] });
  });

  /** A read is tried again, twice, when the service is busy. */
  const attempts = ({ effect }: Declaration, status: number) =>
    effect === "read" && [429, 502, 503, 504].includes(status) ? 3 : 1;

  const failures = failuresToTry().map(([operation, status]) => [operation.name, status, operation] as const);

  test.each(failures)("%s: %i reaches a Catch node", async (name, status, operation) => {
    const input = await sampleInput(name, client);
    sandbox.force(name, status, { times: attempts(operation, status) });

    const { error } = await post(operation, input);

    expect(error).toMatchObject({
      message: expect.stringMatching(new RegExp(`^${name}: .*\\(${status}\\)`)) as string,
      code: expect.stringMatching(/^[a-z_]+$/) as string,
      cause: {
        operation: name,
        status,
        outcome: status >= 500 || status === 408 ? "unknown" : "rejected",
        retryable: expect.any(Boolean) as boolean,
      },
      source: { type: nodeTypeOf(operation) },
    });
  });
});

test("one trace of OpenTelemetry leads through the nodes of a flow, from the trace of its message", async () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const message = { payload: {}, traceparent: `00-${trace}-00f067aa0ba902b7-01` };
  const flow = [callableNode(listTrades, "first", {}, "second"), callableNode(getCashPosition, "second", {})];
  const [{ traceparent }] = await nodeRed.run(testFlow(connectionConfig(sandbox), ...flow), message);

  const lines = readFileSync(spansFile, "utf8").trim().split("\n");
  const spans = lines.map((line) => JSON.parse(line) as Record<string, string>);
  const [first, second] = spans.filter(({ name, traceId }) => traceId === trace && name!.startsWith("node "));
  expect([first!.name, first!.parent]).toEqual(["node trades.list", "00f067aa0ba902b7"]);
  expect([second!.name, second!.parent]).toEqual(["node cash.getPosition", first!.spanId]);
  expect(traceparent).toBe(`00-${trace}-${second!.spanId}-01`);
});

describe("the catalogue of the nodes", () => {
  const catalogue = JSON.parse(
    readFileSync(join(root, "dist/nodes/catalogue.json"), "utf8"),
  ) as CatalogueNode[];
  /** The example flow of a node, with IDs and a connection of this test. */
  const flowOf = ({ type, example }: CatalogueNode) =>
    (example as FlowNode[]).map((node) => ({
      ...node,
      id: `${type}-${node.id}`,
      z: tab.id,
      ...("connection" in node && { connection: "connection" }),
      wires: (node.wires as string[][]).map((port) => port.map((id) => `${type}-${id}`)),
    }));
  /** True if the example refers to nothing that only exists in a company. */
  const isComplete = ({ example }: CatalogueNode) =>
    !/0000-|"example"|"payments\//.test(JSON.stringify(example));
  const dailyReads = catalogue.filter(({ effect, isDaily }) => effect === "read" && isDaily);

  test("is enough to write flows of each node that run and answer", async () => {
    const errors = [catchNode("caught", ["refused"]), debugNode("refused")];
    await nodeRed.deploy([tab, connectionConfig(sandbox), ...catalogue.flatMap(flowOf), ...errors]);
    expect(catalogue.length).toBeGreaterThan(70);
    const answers: string[] = [];
    for (const node of dailyReads.filter(({ inputs }) => inputs === 1)) {
      await nodeRed.inject(`${node.type}-start`);
      const [answer] = (await nodeRed.nextDebugValues(isComplete(node) ? `${node.type}-end` : "refused")) as [
        Message,
      ];
      answers.push(`${node.type} ${isComplete(node) ? "answers" : answer.error.code}`);
      if (isComplete(node)) expect(answer.fxdesk).toMatchObject({ violations: [] });
    }
    expect(answers.filter((text) => text.endsWith(" answers")).length).toBeGreaterThan(8);
    expect(answers.filter((text) => !/ (answers|not_found|forbidden)$/.test(text))).toEqual([]);
    for (const node of dailyReads.filter((each) => each.inputs === 0 && isComplete(each)))
      await nodeRed.waitForStatus(`${node.type}-node`, ({ fill }) => fill === "green");
  });

  test("is what the skill for assistants uses: its flow runs", async () => {
    const skill = readFileSync(join(root, "skills/node-red-flow/SKILL.md"), "utf8");
    const flow = JSON.parse(/```json\n(.*?)```/s.exec(skill)![1]!) as FlowNode[];
    const connection = connectionConfig(sandbox, { id: "fxdesk.connection" });
    await nodeRed.deploy([connection, ...flow]);
    await nodeRed.inject("fx-start");
    const [{ payload: entries }] = (await nodeRed.nextDebugValues("fx-end")) as [Message];
    expect(new Set((entries as { currency: string }[]).map(({ currency }) => currency))).toEqual(
      new Set(["EUR", "USD"]),
    );
    const known = catalogue.find(({ type }) => type === "fxdesk-get-cash-position")!;
    expect(known.fields.map(({ name }) => name)).toContain("currencies");
  });
});

describe("the entries of a result", () => {
  const formNode = (properties: object) => ({
    ...callableNode(getCashPosition, "position", {}),
    ...properties,
  });
  const read = async (properties: object, count = 1): Promise<Message[]> =>
    nodeRed.run(testFlow(connectionConfig(sandbox), formNode(properties)), {}, count);

  test.each([
    ["", "balances"],
    ["totals", "totals"],
  ])("are those of the list %p, in one array, one by one, or as CSV", async (chosen, name) => {
    const [{ payload: whole }] = (await read({ results: "all" })) as [Message];
    const { [name]: entries, at: _at, ...rest } = whole as Record<string, object[]>;
    const [array] = (await read({ results: "list", list: chosen })) as [Message];
    const each = await read({ results: "each", list: chosen }, entries!.length);
    const [csv] = (await read({ results: "csv", list: chosen })) as [Message];

    expect(array.payload).toEqual(entries);
    expect(each.map(({ payload: entry }) => entry as object)).toEqual(entries);
    expect(each.map(({ parts }) => parts.count)).toEqual(entries!.map(() => entries!.length));
    const [header, ...rows] = String(csv.payload).trimEnd().split("\r\n");
    expect(header!.split(",")).toEqual(expect.arrayContaining(Object.keys(entries![0]!)));
    expect(rows).toHaveLength(entries!.length);
    for (const { fxdesk } of [array, each[0]!, csv]) expect(fxdesk.result).toMatchObject(rest);
  });

  test("of a list that the result does not have are an error that names the others", async () => {
    const [{ error }] = (await read({ results: "list", list: "rows" })) as [Message];

    expect(error).toMatchObject({ code: "invalid_input", cause: { violations: [{ field: "list" }] } });
    expect(error.message).toContain("balances, totals");
  });
});
