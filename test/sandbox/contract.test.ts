/** Validates the responses of the sandbox against the OpenAPI document derived from the declarations. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Declaration, fieldsOf, operations, type Values } from "@fxdesk/toolkit/operations";
import type { Sandbox } from "@fxdesk/sandbox";
import { assertConforms, statusesOf } from "../support/conformance";
import { contractOperations, operationNamed } from "../support/operations";
import { sampleInput } from "../support/samples";
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
/** Further calls of operations, with their expected statuses. */
const others: readonly (readonly [
  name: string,
  message: string,
  status: number,
  values: Values | (() => Values | Promise<Values>),
])[] = [
  ["accountDetails.request", "no country", 400, { country: undefined }],
  ["accountDetails.updateAlias", "an alias too long", 422, { alias: "x".repeat(51) }],
  ["accountDetails.updateAlias", "pooled details", 405, pooled],
  ["accountDetails.updateAlias", "unknown details", 404, { account_details_id: nowhere }],
  ["accountDetails.makeDefault", "pooled details", 405, pooled],
  ["accountDetails.makeDefault", "details that are not active", 409, pending],
  ["accountDetails.makeDefault", "unknown details", 404, { account_details_id: nowhere }],
  ["accountDetails.makeDefault", "no UUID", 400, { account_details_id: "details" }],
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
  ["trades.book", "an unknown quote", 404, { quote_id: "quote" }],
  ["trades.book", "an unknown reason", 400, { reason: "fun" }],
  ["trades.list", "an unknown type", 400, { trade_type: ["swap"] }],
  ["trades.get", "an unknown trade", 404, { trade_id: "trade" }],
  ["trades.get", "a short model", 200, { response_model: "BookedTrade" }],
];

test.each(others)("%s with %s responds with %i", async (name, _description, status, more) => {
  const input = await sampleInput(name, client);
  const values = { ...input, ...(typeof more === "function" ? await more() : more) };
  expect((await validatedResponseTo(operationNamed(name), values)).status).toBe(status);
});
