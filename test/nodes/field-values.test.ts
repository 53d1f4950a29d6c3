/** Sources of field values, verified by the requests to the service. */
import { callerFields, type Declaration } from "@fxdesk/toolkit/operations";
import { listAccounts } from "../../core/contract/accounts";
import { listOpenBankingTransactions } from "../../core/contract/open-banking";
import { emailMt940Statement, emailTradesStatement } from "../../core/contract/statements";
import { listTransactions } from "../../core/contract/transactions";
import { initiateBulkPayment, initiatePayment } from "../../core/contract/payments";
import { bookTrade, getTrade, listTrades } from "../../core/contract/trades";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { z } from "zod";
import { getExposure } from "../../core/procedures/get-exposure";
import { convertStatements } from "../../core/procedures/convert-statements";
import { fetchStatements } from "../../core/procedures/fetch-statements";
import { reconcileTransactions } from "../../core/procedures/reconcile-transactions";
import type { Callable } from "../../core/spec/operation";
import { createCoercer } from "../../nodes/shared/coerce";
import {
  catchNode,
  connectionConfig,
  debugNode,
  injectNode,
  operationNode,
  tab,
  typed,
} from "./support/flows";
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

/** A message with the payload goes through the middle nodes; returns what comes out, or the error. */
async function runThrough(payload: unknown, ...middle: readonly FlowNode[]): Promise<Record<string, any>> {
  await nodeRed.deploy([
    tab,
    connectionConfig(sandbox),
    injectNode("start", [middle[0]!.id], payload),
    ...middle,
    debugNode("end"),
    catchNode("caught", ["end"]),
  ]);
  await nodeRed.inject("start");
  return (await nodeRed.nextDebugValues("end"))[0] as Record<string, any>;
}

const list = (fields: object, properties: object = {}) =>
  operationNode(listTrades, "list", ["end"], { fields, pages: "one", ...properties });

const lastQuery = () => new URL(sandbox.requests.at(-1)!.url, sandbox.baseUrl).searchParams;

const functionNode = (func: string, next: string): FlowNode => ({
  id: "code",
  type: "function",
  z: tab.id,
  func,
  outputs: 1,
  wires: [[next]],
});

const fromPayload = typed("msg", "payload");

test.each([
  ["a fixed value", typed("str", "forward,spot"), {}, "forward,spot"],
  ["a property of the message", typed("msg", "payload.types"), { types: ["ndf"] }, "ndf"],
  ["text from a message", typed("msg", "payload.types"), { types: "ndf, spot" }, "ndf,spot"],
  ["JSONata", typed("jsonata", 'payload.short ? ["spot"] : ["forward"]'), { short: true }, "spot"],
  ["an environment variable", typed("env", "TRADE_TYPE"), {}, "spot"],
  ["an environment variable in a fixed value", typed("str", "${TRADE_TYPE}"), {}, "spot"],
  ["a template", typed("template", "{{payload.first}},drawdown"), { first: "ndf" }, "ndf,drawdown"],
])("%s", async (_source, value, payload, expected) => {
  await runThrough(payload, list({ trade_type: value }));

  expect(lastQuery().get("trade_type")).toBe(expected);
});

test.each(["flow", "global"])("a value of the %s context", async (context) => {
  await runThrough({}, functionNode(`${context}.set("kept.types", ["forward"]); return msg;`, "list"), {
    ...list({ trade_type: typed(context, "kept.types") }),
  });

  expect(lastQuery().get("trade_type")).toBe("forward");
});

const procedureNode = (procedure: Callable, id: string, fields: object, next = "end") =>
  operationNode(procedure as Declaration, id, [next], { fields });

const exposure = procedureNode(getExposure, "exposure", { flows: fromPayload });

/** Returns the expected amount of a currency in the resulting exposure. */
const expectedIn = ({ payload, error }: Record<string, any>, currency: string) => {
  expect(error).toBeUndefined();
  return payload.currencies.find((each: Record<string, any>) => each.currency === currency).expected;
};

test("accepts numbers and times in lists of objects like in fields", async () => {
  const flows = [
    { date: "2027-01-01", currency: "USD", amount: 1000 },
    { date: Date.UTC(2027, 1, 1, 9), currency: "USD", amount: -0.5 },
  ];
  expect(expectedIn(await runThrough(flows, exposure), "USD")).toBe("999.50");

  const dated = functionNode("msg.payload[0].date = new Date(msg.payload[0].date); return msg;", "exposure");
  expect(expectedIn(await runThrough(flows, dated, exposure), "USD")).toBe("999.50");
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
  const { payload, error } = await runThrough(
    "amount,currency,reference,party,date\n1250.5,EUR,4711,Duval,\n20,EUR,RE-1,,2026-01-31\n",
    csv,
    procedureNode(reconcileTransactions, "reconcile", { items: fromPayload }),
  );

  expect(error).toBeUndefined();
  expect(payload.open_items.map(({ reference, amount }: Record<string, any>) => [reference, amount])).toEqual(
    [
      ["4711", "1250.50"],
      ["RE-1", "20.00"],
    ],
  );
});

test.each([
  ["a year as a day", { date: 2027 }, "flows.1.date must be a time; numbers are milliseconds since 1970"],
  ["more digits than a number holds", { amount: 12345678901234567000 }, "flows.1.amount has more digits"],
  ["a number that is none as an amount", { amount: "1.000,00" }, "flows.1.amount must be a decimal amount"],
  ["no day", { date: null }, "flows.1.date must be a string, not null"],
])("%s inside a list is named with its path", async (_what, wrong, message) => {
  const flow = { date: "2027-01-01", currency: "USD", amount: "1" };
  const { error } = await runThrough([flow, { ...flow, ...wrong }], exposure);

  expect(error).toMatchObject({ code: "invalid_input", message: expect.stringContaining(message) as string });
});

test("coerces nested objects at any depth and changes nothing else", () => {
  expect(coerceField(initiatePayment, "instructedAmount", { currency: "EUR", amount: 1.5 })).toEqual({
    currency: "EUR",
    amount: "1.5",
  });
  expect(coerceField(initiatePayment, "instructedAmount", '{"currency":"EUR","amount":1.50}')).toEqual({
    currency: "EUR",
    amount: "1.5",
  });
  const payment = {
    instructedAmount: { amount: 20, currency: "EUR" },
    creditorAddress: { country: "FR", buildingNumber: 12, townName: null },
    remittanceInformationUnstructured: "",
    unknown: { amount: 1 },
  };
  expect(coerceField(initiateBulkPayment, "payments", [payment])).toEqual([
    {
      instructedAmount: { amount: "20", currency: "EUR" },
      creditorAddress: { country: "FR", buildingNumber: "12" },
      remittanceInformationUnstructured: "",
      unknown: { amount: 1 },
    },
  ]);
  expect(payment.instructedAmount.amount).toBe(20);
});

test("leaves values that are not plain data to validation", () => {
  for (const value of [new Date(start), new Map([["amount", 1]]), Number.NaN, () => 1])
    expect(coerceField(initiatePayment, "instructedAmount", value)).toBe(value);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(coerceField(bookTrade, "reference", value)).toBe(value);
});

test("refuses numbers that lost digits", () => {
  expect(coerceField(bookTrade, "reference", Number.MAX_SAFE_INTEGER)).toBe("9007199254740991");
  expect(() => coerceField(bookTrade, "reference", 2 ** 53)).toThrow(
    "has more digits than a number can hold",
  );
});

test("accepts numbers as text in a map", () => {
  const fit = createCoercer(z.record(z.string(), z.string()));
  expect(fit({ USD: 0.92, GBP: "1.15" })).toEqual({ USD: "0.92", GBP: "1.15" });
  expect(fit('{"USD":0.92}')).toEqual({ USD: "0.92" });
  expect(fit([0.92])).toEqual([0.92]);
});

test("converts text to numbers and numbers to text", async () => {
  await runThrough(
    { size: "7", parent: 4711 },
    list({ page_size: typed("msg", "payload.size"), parent_trade_id: typed("msg", "payload.parent") }),
  );

  expect(lastQuery().get("page_size")).toBe("7");
  expect(lastQuery().get("parent_trade_id")).toBe("4711");
});

const start = Date.UTC(2026, 2, 14, 22, 30, 15, 250);

/** Flow value, and the expected day and minute in the request. */
const times: readonly (readonly [string, string, unknown, string, string])[] = [
  ["what $now() gives", "payload", "2026-03-14T22:30:15.250Z", "2026-03-14", "2026-03-14T22:30"],
  ["a time with an offset", "payload", "2026-03-15T00:30:15+02:00", "2026-03-14", "2026-03-14T22:30"],
  ["a time without a zone, which is UTC", "payload", "2026-03-14T22:30:15", "2026-03-14", "2026-03-14T22:30"],
  ["milliseconds", "payload", start, "2026-03-14", "2026-03-14T22:30"],
  ["milliseconds as text", "payload", String(start), "2026-03-14", "2026-03-14T22:30"],
  ["a Date", "$toDate", start, "2026-03-14", "2026-03-14T22:30"],
  ["a day", "payload", "2026-03-14", "2026-03-14", "2026-03-13T23:59"],
];

const accountId = "0b7d6a52-2f8a-4c4f-9d0e-5f2b8f1f7c11";

const transactionsNode = (fields: object) =>
  operationNode(listTransactions, "list", ["end"], {
    pages: "one",
    fields: { account_id: typed("str", accountId), ...fields },
  });

const toDateNode = functionNode("msg.payload = new Date(msg.payload); return msg;", "list");

test.each(times)("%s is a time", async (_what, path, payload, day, minuteOf) => {
  const before = path === "$toDate" ? [toDateNode] : [];
  await runThrough(payload, ...before, {
    ...operationNode(listOpenBankingTransactions, "list", ["end"], {
      fields: {
        "Consent-ID": typed("str", "C1"),
        "account-id": typed("str", "A1"),
        bookingStatus: typed("str", "booked"),
        dateFrom: fromPayload,
      },
    }),
  });
  expect(lastQuery().get("dateFrom")).toBe(day);

  await runThrough(payload, ...before, transactionsNode({ from_value_datetime: fromPayload }));
  expect(lastQuery().get("from_value_datetime")).toBe(minuteOf);
});

test("converts a period of days to the minutes around it", async () => {
  await runThrough(
    { from: "2026-02-28", to: "2026-02-28" },
    transactionsNode({
      from_value_datetime: typed("msg", "payload.from"),
      to_value_datetime: typed("msg", "payload.to"),
    }),
  );

  expect(lastQuery().get("from_value_datetime")).toBe("2026-02-27T23:59");
  expect(lastQuery().get("to_value_datetime")).toBe("2026-03-01T00:00");
});

const coerceField = (operation: Callable, field: string, value: unknown) =>
  createCoercer(callerFields(operation).find(({ name }) => name === field)!.schema)(value);

test.each([
  ["2026-01", "2026-01"],
  ["2026-01-31T09:30:00Z", "2026-01-31"],
  [start, "2026-03-14"],
])("a field of a month or a day takes %s as %s", (value, expected) => {
  expect(coerceField(emailTradesStatement, "date_from", value)).toBe(expected);
});

test.each([
  ["2026-01-31T09:30:00+02:00", "2026-01-31T09:30:00+02:00"],
  ["2026-01-31", "2026-01-31T00:00:00Z"],
  [start, "2026-03-14T22:30:15.250Z"],
])("a field of an instant takes %s as %s", (value, expected) => {
  expect(coerceField(initiatePayment, "requestedExecutionTime", value)).toBe(expected);
});

test("a text field takes a Date in full and leaves texts unchanged", () => {
  expect(coerceField(bookTrade, "reference", new Date(start))).toBe("2026-03-14T22:30:15.250Z");
  expect(coerceField(bookTrade, "reference", "2026-03-14T22:30:15.250Z")).toBe("2026-03-14T22:30:15.250Z");
  expect(coerceField(bookTrade, "reference", start)).toBe(String(start));
});

test.each([
  ["slashes", "1/2/2026"],
  ["words", "last month"],
  ["seconds", Math.floor(start / 1000)],
  ["seconds as text", String(Math.floor(start / 1000))],
  ["a year", 2026],
  ["the digits of a date", 20_260_314],
  ["the digits of a time", 202_603_142_230],
  ["a day that does not exist", "2026-02-30"],
  ["a time on a day that does not exist", "2026-02-30T10:00:00Z"],
])("%s are no time: refused, with the field's name", async (_what, payload) => {
  const before = sandbox.requests.length;

  const { error } = await runThrough(payload, transactionsNode({ from_value_datetime: fromPayload }));

  expect(error.code).toBe("invalid_input");
  expect(error.message).toMatch(
    /from_value_datetime must be (a UTC time as YYYY-MM-DDThh:mm|on a day|a time; numbers are milliseconds since 1970)/,
  );
  expect(sandbox.requests).toHaveLength(before);
});

test.each([
  ["text with spaces", "EUR, GBP"],
  ["an array", ["EUR", "GBP"]],
  ["JSON text", '["EUR", "GBP"]'],
])("a list of codes may be %s", async (_what, payload) => {
  await runThrough(
    payload,
    operationNode(listAccounts, "list", ["end"], { fields: { currencies: typed("msg", "payload") } }),
  );

  expect(lastQuery().get("currencies")).toBe("EUR,GBP");
});

test.each([
  ["text with spaces", "spot, ndf"],
  ["an array", ["spot", "ndf"]],
  ["JSON text", '["spot", "ndf"]'],
])("a list of choices may be %s", async (_what, payload) => {
  await runThrough(payload, list({ trade_type: typed("msg", "payload") }));

  expect(lastQuery().get("trade_type")).toBe("spot,ndf");
});

test("converts texts in a list to numbers", () => {
  for (const value of [["1", 2], "1, 2", '["1", 2]'])
    expect(coerceField(emailMt940Statement, "account_ids", value)).toEqual([1, 2]);
});

test("templates are not escaped", async () => {
  await runThrough({ id: "FI/21=A&B" }, list({ parent_trade_id: typed("template", "{{payload.id}}") }));

  expect(lastQuery().get("parent_trade_id")).toBe("FI/21=A&B");
});

const convertFileNodes = (how: string, field: string) => [
  functionNode(`msg.payload = ${how}; return msg;`, "convert"),
  procedureNode(convertStatements, "convert", { [field]: fromPayload }),
];

test.each(["content", "content_base64"])("a file that was fetched is converted as %s", async (field) => {
  const fetched = procedureNode(
    fetchStatements,
    "fetch",
    {
      format: typed("str", "mt940"),
      currencies: typed("str", "EUR"),
      period: typed("str", "2000-01-01..2060-01-01"),
    },
    "code",
  );
  const { payload, error } = await runThrough(
    {},
    fetched,
    ...convertFileNodes("msg.payload.files[0].content", field),
  );

  expect(error).toBeUndefined();
  expect(payload).toMatchObject({ from: "mt940", statement_count: expect.any(Number) as number });
});

test("a list in CSV may be a Buffer", async () => {
  const { payload, error } = await runThrough(
    "amount,currency\n20,EUR\n",
    functionNode("msg.payload = Buffer.from(msg.payload); return msg;", "reconcile"),
    procedureNode(reconcileTransactions, "reconcile", { items_csv: fromPayload }),
  );

  expect(error).toBeUndefined();
  expect(payload.open_items).toHaveLength(1);
});

test("refuses bytes that are not UTF-8 and names the binary field", async () => {
  const { error } = await runThrough({}, ...convertFileNodes(`Buffer.from("Müller", "latin1")`, "content"));

  expect(error).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining(
      "content contains bytes that are not valid UTF-8: use content_base64 for binary data",
    ) as string,
  });
});

test("names a Buffer in the wrong place", async () => {
  const { error } = await runThrough(
    [1],
    functionNode("msg.payload = [Buffer.from('a')]; return msg;", "exposure"),
    exposure,
  );

  expect(error.message).toContain("flows.0 must be plain JSON data, not a Buffer");
});

test("omits an optional field without a value", async () => {
  await runThrough({}, list({ trade_type: typed("msg", "payload.nothing.here"), page: typed("str", "") }));

  expect([...lastQuery().keys()]).toEqual(["client_id"]);
});

test("fills empty fields from the payload if enabled", async () => {
  await runThrough(
    { trade_type: ["ndf"], page_size: 3 },
    list({ page_size: typed("num", "9") }, { fromPayload: true }),
  );

  expect(lastQuery().get("trade_type")).toBe("ndf");
  expect(lastQuery().get("page_size")).toBe("9");
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
])("%s is named, and nothing is sent", async (_what, value, message) => {
  const before = sandbox.requests.length;

  const { error } = await runThrough(
    {},
    operationNode(getTrade, "get", ["end"], { fields: { trade_id: value } }),
  );

  expect(error.code).toBe("invalid_input");
  expect(error.message).toContain("trade_id");
  expect(error.message).toContain(message);
  expect(sandbox.requests).toHaveLength(before);
});

test("names an unknown field", async () => {
  const { error } = await runThrough({}, list({ trade_typ: typed("str", "spot") }));

  expect(error.message).toContain("trade_typ is not a known field; the fields are trade_type");
});

test("other properties of the message stay", async () => {
  const msg = await runThrough({}, functionNode(`msg.topic = "kept"; return msg;`, "list"), list({}));

  expect(msg).toMatchObject({ topic: "kept", statusCode: 200, fxdesk: { operation: "trades.list" } });
});
