/** Validates the responses of the sandbox against the OpenAPI document derived from the declarations. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Declaration, fieldsOf, operations, type Values } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { assertConforms, statusesOf } from "../support/conformance";
import { contractOperations, operationNamed } from "../support/operations";
import { makeQuote, sampleInput } from "../support/samples";
import { openSandboxAndClient } from "../support/sandboxes";
import { checkStandard } from "./open-banking/standard";
import { ask, callOperation } from "./support/http";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  // A stepped clock keeps pending resources pending until the next request.
  ({ sandbox, client } = await openSandboxAndClient({ now: new Date("2026-03-16T09:00:00Z") }));
  checkStandard(sandbox);
});

type Call = [operation: Declaration, values: Values, headers?: Readonly<Record<string, string>>];

const responseTo = (...call: Call) => callOperation((path, request) => ask(sandbox, path, request), ...call);

/** Calls an operation and validates its response completely. */
async function validatedResponseTo(...call: Call) {
  const response = await responseTo(...call);
  assertConforms(call[0], response);
  return response;
}

const cases = operations.map((operation) => [operation.name, operation as Declaration] as const);

test.each(cases)(
  "%s responds to its sample, and with each status that it documents",
  async (name, operation) => {
    const input = await sampleInput(name, client);
    const { status: first, violations } = await client.call(operation, input);
    expect([Object.keys(operation.responses).includes(String(first)), violations]).toEqual([true, []]);
    for (const status of statusesOf(operation)) {
      sandbox.force(name, status);
      expect((await validatedResponseTo(operation, input)).status).toBe(status);
    }
  },
);

/** Invalid part of an otherwise valid call: headers or values. */
interface Wrong {
  readonly headers?: Readonly<Record<string, string>>;
  readonly values?: Values;
}

/** Invalid calls that apply to every operation of a client. */
const wrongs: readonly Wrong[] = [
  { headers: { authorization: "" } },
  { headers: { authorization: "Bearer of bad news" } },
  { values: { client_id: "" } },
  { values: { client_id: "client-nobody" } },
  { values: { client_id: "client-other" } },
  { headers: { "x-contact-id": "contact-blocked" } },
];

/** Expected statuses, in the same order. Operations with equal statuses share a row. */
const refusals: readonly (readonly [statuses: readonly number[], ...names: string[]])[] = [
  [[401, 401, 400, 403, 403, 403], "accountDetails.list"],
  [[401, 401, 400, 404, 404, 404], "accountDetails.listAll", "accounts.getFunding"],
  [[401, 401, 422, 404, 404, 404], "accountDetails.updateAlias"],
  [[401, 401, 403, 409, 403, 409], "accountDetails.makeDefault"],
  [[401, 401, 403, 404, 403, 409], "accountDetails.request", "accountDetails.assignVirtual"],
  [
    [401, 401, 400, 404, 403, 409],
    "accounts.list",
    "accounts.get",
    "accounts.listBalances",
    "statements.createFile",
    "statements.getFile",
    "transactions.list",
    "transactions.get",
    "approvalsWorkflow.replaceConfig",
    "trades.book",
  ],
  [
    [401, 401, 400, 404, 403, 403],
    "accounts.listCurrencyAccounts",
    "statements.emailAccounts",
    "statements.emailMt940",
    "statements.emailTrades",
    "statements.emailIncomingFunds",
    "approvalsWorkflow.getConfig",
    "approvalsWorkflow.getSettings",
    "approvalsWorkflow.updateSettings",
    "trades.list",
    "trades.get",
  ],
];

const rows = refusals.flatMap(([statuses, ...names]) => names.map((name) => [name, statuses] as const));

test.each(rows)("%s refuses unauthorised callers with %j", async (name, statuses) => {
  const operation = operationNamed(name);
  const input = await sampleInput(name, client);
  const seen: number[] = [];
  for (const { headers, values } of wrongs)
    seen.push((await validatedResponseTo(operation, { ...input, ...values }, headers)).status);
  expect(seen).toEqual(statuses);
});

test("covers every operation of a client in the contract", () => {
  const isAboutClient = (operation: Declaration) =>
    fieldsOf(operation).some(({ setting }) => setting === "clientId");
  const names = contractOperations.filter(isAboutClient).map(({ name }) => name);
  expect(rows.map(([name]) => name).toSorted()).toEqual(names.toSorted());
});

const openBanking = cases.filter(([, { server }]) => server === "xs2a");

test.each(openBanking)("%s refuses calls in both formats of the standard", async (name, operation) => {
  const input = await sampleInput(name, client);
  const statusOf = async (headers: Readonly<Record<string, string>>, values: Values = {}) =>
    (await responseTo(operation, { ...input, ...values }, headers)).status;
  for (const accept of ["application/json", "application/problem+json"]) {
    expect(await statusOf({ accept }, { "X-Request-ID": "no UUID" })).toBe(400);
    expect(await statusOf({ accept, authorization: "Bearer nobody" })).toBe(401);
    for (const status of Object.keys(operation.errors).map(Number)) {
      sandbox.force(name, status);
      expect(await statusOf({ accept })).toBe(status);
    }
  }
  if (operation.body) expect(await statusOf({ "content-type": "text/csv" })).toBe(415);
  sandbox.control.addFault({ operation: name, kind: "throttle", retry_after: 3 });
  expect(await statusOf({})).toBe(429);
});

const nowhere = "00000000-0000-4000-8000-000000000000";

const details = async (by: { type: "pooled" | "dedicated"; status: string }) => {
  const found = await client.accountDetails.list({ account_details_type: by.type });
  return { account_details_id: found.find(({ status }) => status === by.status)!.account_details_id };
};
const pooled = () => details({ type: "pooled", status: "confirmed" });
const pending = async () => {
  await client.accountDetails.request({ country: "GB", currency: "GBP" });
  return details({ type: "dedicated", status: "pending" });
};
const bookedQuote = async () => {
  const quote_id = await makeQuote(client);
  await client.trades.book({ quote_id, reason: "other" });
  return { quote_id };
};
const forwardQuote = async () => {
  const day = new Date(Date.parse(sandbox.control.getClock().now) + 60 * 86_400_000)
    .toISOString()
    .slice(0, 10);
  return { quote_id: await makeQuote(client, { trade_type: "forward", value_date: day }) };
};

/** Further calls of operations, with their expected statuses. */
const others: readonly (readonly [
  name: string,
  message: string,
  status: number,
  values: Values | (() => Values | Promise<Values>),
])[] = [
  ["accountDetails.list", "a page before the first", 400, { page: 0 }],
  ["accountDetails.request", "a pair that is not enabled", 409, { country: "US", currency: "SEK" }],
  ["accountDetails.request", "no country", 400, { country: undefined }],
  ["accountDetails.updateAlias", "an alias too long", 422, { alias: "x".repeat(51) }],
  ["accountDetails.updateAlias", "pooled details", 405, pooled],
  ["accountDetails.updateAlias", "unknown details", 404, { account_details_id: nowhere }],
  ["accountDetails.makeDefault", "pooled details", 405, pooled],
  ["accountDetails.makeDefault", "details that are not active", 409, pending],
  ["accountDetails.makeDefault", "unknown details", 404, { account_details_id: nowhere }],
  ["accountDetails.makeDefault", "no UUID", 400, { account_details_id: "details" }],
  ["accountDetails.assignVirtual", "a currency that has one", 409, { currency: "EUR" }],
  ["accountDetails.assignVirtual", "a currency without", 403, { currency: "XAU" }],
  ["accountDetails.assignVirtual", "no currency", 400, { currency: "euro" }],
  ["accounts.list", "no currency", 400, { currencies: "" }],
  ["accounts.get", "an unknown account", 404, { account_id: nowhere }],
  ["accounts.getFunding", "two criteria", 400, { account_id: nowhere }],
  ["accounts.getFunding", "a currency without an account", 404, { currency: "SEK" }],
  ["accounts.listBalances", "an unknown account", 404, { account_id: nowhere }],
  ["accounts.listBalances", "an unknown balance", 400, { balance_types: ["Gold"] }],
  ["statements.createFile", "an unknown account", 404, { account_id: nowhere }],
  ["statements.createFile", "an unknown format", 400, { format: "docx" }],
  ["statements.getFile", "a file that is not ready", 202, {}],
  ["statements.getFile", "an unknown statement", 404, { statement_id: nowhere }],
  ["statements.emailAccounts", "no date", 400, { date_from: "yesterday" }],
  ["statements.emailMt940", "an unknown account", 400, { account_ids: [1] }],
  ["statements.emailTrades", "the future", 400, { date_from: "9999-01" }],
  ["statements.emailIncomingFunds", "an unknown format", 400, { format: "xls" }],
  ["transactions.list", "an unknown account", 404, { account_id: nowhere }],
  ["transactions.list", "no time", 400, { from_value_datetime: "2026-01-01" }],
  ["transactions.get", "an unknown transaction", 404, { transaction_id: nowhere }],
  ["approvalsWorkflow.replaceConfig", "no rules", 400, { rules: [] }],
  ["approvalsWorkflow.updateSettings", "another currency", 400, { currency: "USD" }],
  ["login.getPage", "another application", 400, { client_id: "somebody" }],
  ["login.getPage", "no state", 400, { state: undefined }],
  ["trades.book", "an unknown quote", 404, { quote_id: "quote" }],
  ["trades.book", "a quote that is booked", 409, bookedQuote],
  ["trades.book", "an unknown reason", 400, { reason: "fun" }],
  [
    "trades.book",
    "a reason for spot trades only",
    400,
    async () => ({ ...(await forwardQuote()), reason: "not_related_to_goods_or_services" }),
  ],
  ["trades.list", "an unknown type", 400, { trade_type: ["swap"] }],
  ["trades.get", "an unknown trade", 404, { trade_id: "trade" }],
  ["trades.get", "a short model", 200, { response_model: "BookedTrade" }],
];

test.each(others)("%s with %s responds with %i", async (name, _description, status, more) => {
  const input = await sampleInput(name, client);
  const values = { ...input, ...(typeof more === "function" ? await more() : more) };
  expect((await validatedResponseTo(operationNamed(name), values)).status).toBe(status);
});

test("refuses another approvals configuration while one is pending", async () => {
  const replace = operationNamed("approvalsWorkflow.replaceConfig");
  await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: true });
  const input = await sampleInput(replace.name, client);
  const replaced = () => validatedResponseTo(replace, input, { "x-contact-id": demo.contactId });
  expect([(await replaced()).status, (await replaced()).status]).toEqual([200, 409]);
  expect((await validatedResponseTo(operationNamed("approvalsWorkflow.getConfig"), {})).status).toBe(200);
});

test.each(["pdf", "csv", "mt940", "xls"] as const)(
  "returns a %s statement as a file once it is ready",
  async (format) => {
    const [account] = await client.accounts.list({ currencies: "EUR" });
    const { account_id } = account!;
    const { url } = await client.statements.createFile({
      account_id,
      format,
      from_value_datetime: "2026-01-01T00:00",
    });
    sandbox.advance(10_000);
    const values = { account_id, statement_id: url.split("/").at(-2) };
    expect((await validatedResponseTo(operationNamed("statements.getFile"), values)).status).toBe(200);
  },
);

test("responds to a failed statement with 202", async () => {
  sandbox.control.decideStatement({ decision: "fail" });
  const input = await sampleInput("statements.getFile", client);
  sandbox.advance(10_000);
  const { status, text } = await validatedResponseTo(operationNamed("statements.getFile"), input);
  expect([status, JSON.parse(text)]).toEqual([202, { status: "Failed" }]);
});
