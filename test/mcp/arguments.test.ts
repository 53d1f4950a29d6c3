/**
 * Arguments of models: typical errors, of which an unambiguous value is corrected and sent and another one is answered with the
 * correction, and the key of a request.
 */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createClient } from "@fxdesk/toolkit";
import { openJournal } from "../../core/journal/journal";
import { parseStoreSettings } from "../../core/store/settings";
import { createToolbox } from "../../mcp/toolbox";
import type { Toolbox } from "../../mcp/protocol";
import type { JsonObject } from "../../mcp/render/content";
import { type FaultServer, faultServer, respond } from "../support/fault-server";
import { closeLater, listen } from "../support/resources";
import { callTool, textOf } from "./support/clients";

const toolsAt = (url: string): Toolbox =>
  createToolbox({
    client: closeLater(
      createClient({
        baseUrl: url,
        xs2aUrl: url,
        clientId: "C-1",
        actor: "desk",
        settings: { redirectUri: "https://app.example/done" },
        credentials: { accessToken: "token" },
      }),
    ),
    toolsets: ["all"],
    allow: ["change", "money"],
    release: "never",
  });

let tools: Toolbox;
/** Requests that arrived, each as target and body. */
const sent: string[] = [];

beforeAll(async () => {
  jest.spyOn(console, "error").mockImplementation();
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      const headers = ["consent-id", "tpp-redirect-uri", "tpp-explicit-authorisation-preferred"]
        .filter((name) => name in request.headers)
        .map((name) => `${name}: ${String(request.headers[name])}`);
      sent.push([decodeURIComponent(request.url!), ...headers, body].join(" "));
      response.writeHead(400, { "content-type": "application/json" }).end("{}");
    });
  });
  tools = toolsAt(`http://127.0.0.1:${await listen(server)}`);
});
beforeEach(() => {
  sent.length = 0;
});

/** Payments need a unique key. */
const keyOf = (tool: string) =>
  /^initiate_(bulk_)?payment$/.test(tool) ? { request_key: randomUUID() } : undefined;
const call = async (tool: string, input: JsonObject) =>
  textOf(await callTool(tools, tool, { ...input, ...keyOf(tool) }));

const account_id = "6f0c1d4e-3b9a-4b0f-9a53-0f0b7f4d2c11";
const period = { date_from: "2026-01-01", date_to: "2026-01-31" };
const booking = { quote_id: "Q-1", reason: "other" };
const rule = {
  min_amount: "0",
  max_amount: null,
  currency: "EUR",
  combinations: [[{ group: "A", approvals: 1 }]],
};
const approvalsConfig = (changes: JsonObject) => ({
  groups: [{ id: "g-1", name: "A", members: ["c-1"] }],
  rules: [{ ...rule, ...changes }],
});
const payment = {
  payment_service: "payments",
  payment_product: "sepa-credit-transfers",
  debtor_account: { iban: "DE40100100103307118608" },
  instructed_amount: { currency: "EUR", amount: "123.50" },
  creditor_account: { iban: "FR6400000000000000012345697" },
  creditor_name: "Ferme Duval",
};
const consent = {
  access: { all_psd2: "allAccounts" },
  recurring_indicator: true,
  valid_until: "9999-12-31",
  frequency_per_day: 4,
  combined_service_indicator: false,
};

/** Accepted inputs: description, tool, arguments, and the expected part of the request. */
const acceptedInputs: readonly (readonly [
  mistake: string,
  tool: string,
  input: JsonObject,
  request: string,
])[] = [
  [
    "null for an optional field",
    "list_trades",
    { parent_trade_id: null, trade_type: null },
    "/trades?client_id=C-1&page=1",
  ],
  [
    "null inside an object",
    "initiate_payment",
    { ...payment, creditor_address: null, debtor_account: { iban: "DE40100100103307118608", bban: null } },
    '"debtorAccount":{"iban":"DE40100100103307118608"}',
  ],
  ["an unknown name without a value", "list_trades", { status: null }, "/trades?"],
  ["a number as text", "list_trades", { page_size: "20" }, "page_size=20"],
  [
    "an approval band as returned by a read",
    "replace_approvals_config",
    approvalsConfig({ min_amount: "10000.50", max_amount: "50000" }),
    '"min_amount":10000.5,"max_amount":50000',
  ],
  ["null where it means no limit", "replace_approvals_config", approvalsConfig({}), '"max_amount":null'],
  [
    "one entry in place of a list",
    "email_mt940_statement",
    { ...period, account_ids: 12 },
    '"account_ids":[12]',
  ],
  ["a list in one text", "list_trades", { trade_type: "spot,forward" }, "trade_type=spot,forward"],
  ["a list as JSON in a text", "list_trades", { trade_type: '["spot"]' }, "trade_type=spot"],
  ["a list in place of codes", "list_accounts", { currencies: ["EUR", "GBP"] }, "currencies=EUR,GBP"],
  ["a code in small letters", "get_funding_account", { currency: "eur" }, "currency=EUR"],
  [
    "an option in capitals",
    "list_transactions",
    { account_id, credit_debit_indicator: "Debit" },
    "credit_debit_indicator=debit",
  ],
  [
    "an option with spaces",
    "book_trade",
    { ...booking, reason: "payment for goods" },
    '"reason":"payment_for_goods"',
  ],
  [
    "a known value in capitals",
    "list_transactions",
    { account_id, transaction_type: "Incoming" },
    "transaction_type=incoming",
  ],
  ["the path's name", "get_consent", { "consent-id": "K-1" }, "/v1/consents/K-1"],
  ["the standard's name", "get_consent", { consentId: "K-1" }, "/v1/consents/K-1"],
  ["camel case", "list_transactions", { accountId: account_id, pageSize: 5 }, "page_size=5"],
  [
    "names of the standard, inside too",
    "initiate_payment",
    {
      ...payment,
      instructed_amount: undefined,
      instructedAmount: { currency: "EUR", amount: "1" },
      creditorAddress: { country: "FR", townName: "Paris" },
    },
    '"townName":"Paris"',
  ],
  [
    "an amount as a number",
    "initiate_payment",
    { ...payment, instructed_amount: { currency: "EUR", amount: 123.5 } },
    '"amount":"123.5"',
  ],
  [
    "an IBAN with spaces",
    "initiate_payment",
    { ...payment, debtor_account: { iban: "DE40 1001 0010 3307 1186 08" } },
    '"iban":"DE40100100103307118608"',
  ],
  [
    "an object as JSON in a text",
    "initiate_payment",
    { ...payment, debtor_account: '{"iban":"DE40100100103307118608"}' },
    '"debtorAccount":{"iban"',
  ],
  [
    "a flag as text",
    "create_consent",
    { ...consent, recurring_indicator: "true" },
    '"recurringIndicator":true',
  ],
  [
    "a day as the start of a period",
    "list_transactions",
    { account_id, from_value_datetime: "2026-01-01" },
    "from_value_datetime=2025-12-31T23:59",
  ],
  [
    "a day as the end of a period",
    "list_transactions",
    { account_id, to_value_datetime: "2026-01-31" },
    "to_value_datetime=2026-02-01T00:00",
  ],
  [
    "a time with seconds and zone",
    "list_transactions",
    { account_id, from_value_datetime: "2026-01-01T09:30:00Z" },
    "from_value_datetime=2026-01-01T09:30",
  ],
  [
    "a time in another zone",
    "list_transactions",
    { account_id, from_value_datetime: "2026-01-01T09:30:00+02:00" },
    "from_value_datetime=2026-01-01T07:30",
  ],
  [
    "a day with slashes",
    "email_incoming_funds_statement",
    { ...period, date_from: "2026/01/01" },
    '"date_from":"2026-01-01"',
  ],
  ["the client of the connection", "list_trades", { client_id: "C-1" }, "client_id=C-1"],
  ["an identifier as a number", "get_trade", { trade_id: 4711 }, "/trades/4711"],
  ["spaces around a value", "get_account", { account_id: ` ${account_id} ` }, `/accounts/${account_id}?`],
  [
    "another spelling of an option",
    "list_payment_authorisations",
    {
      payment_service: "payments",
      payment_product: "sepa_credit_transfers",
      payment_id: "P-1",
      payment_authorisation: "cancellation_authorisations",
    },
    "/v1/payments/sepa-credit-transfers/P-1/cancellation-authorisations",
  ],
];

test.each(acceptedInputs)("%s accepts %s", async (_, tool, input, request) => {
  await call(tool, input);
  expect(sent).toEqual([expect.stringContaining(request)]);
});

/** Rejected inputs: description, tool, arguments, and the expected parts of the result. */
const rejectedInputs: readonly (readonly [
  mistake: string,
  tool: string,
  input: JsonObject,
  message: readonly string[],
])[] = [
  [
    "grouped digits",
    "replace_approvals_config",
    approvalsConfig({ min_amount: "10.000,50" }),
    ["must be a number with a decimal point and no grouping"],
  ],
  [
    "an amount that can mean two",
    "replace_approvals_config",
    approvalsConfig({ min_amount: "10.000" }),
    ["can mean 10 or 10000"],
  ],
  [
    "more digits than a number holds",
    "replace_approvals_config",
    approvalsConfig({ min_amount: "12345678901234567.89" }),
    ["more digits than a number can hold exactly"],
  ],
  [
    "an amount with a comma",
    "initiate_payment",
    { ...payment, instructed_amount: { currency: "EUR", amount: "1,5" } },
    ["instructed_amount.amount must be a decimal amount with a dot, such as 1234.50"],
  ],
  ["a wrong option", "book_trade", { ...booking, reason: "hedging" }, ["reason must be one of"]],
  [
    "a name with a slip",
    "list_trades",
    { page_sise: 5 },
    ["page_sise is not an argument of this tool; did you mean page_size?"],
  ],
  [
    "a field of a result",
    "list_trades",
    { status: "Created" },
    [
      "status is not an argument of this tool",
      "The arguments are trade_type, parent_trade_id, page, page_size",
    ],
  ],
  [
    "an unknown name inside",
    "initiate_payment",
    { ...payment, debtor_account: { number: "1" } },
    ["debtor_account.number is not a field of this object; its fields are iban, bban"],
  ],
  [
    "another client",
    "list_trades",
    { client_id: "C-2" },
    ["client_id is set by the operator of this server; leave it out"],
  ],
  [
    "a redirect address by the header's name",
    "create_consent",
    { ...consent, "TPP-Notification-URI": "http://169.254.169.254/" },
    ["is set by the operator of this server"],
  ],
  [
    "an execution time without a time of day",
    "initiate_bulk_payment",
    {
      payment_product: "sepa-credit-transfers",
      debtor_account: payment.debtor_account,
      payments: [],
      requested_execution_time: "2026-01-31",
    },
    ["requested_execution_time must have a time: send 2026-01-31T00:00:00Z"],
  ],
  [
    "seconds other than zero",
    "list_transactions",
    { account_id, from_value_datetime: "2026-01-01T09:30:15Z" },
    ["must not have seconds: send 2026-01-01T09:30"],
  ],
  ["today", "email_incoming_funds_statement", { ...period, date_to: "today" }, ["today is 20"]],
  [
    "a nonexistent day",
    "email_incoming_funds_statement",
    { ...period, date_to: "2026-02-30" },
    ["date_to must be an existing day as YYYY-MM-DD"],
  ],
  [
    "yes for true",
    "create_consent",
    { ...consent, recurring_indicator: "yes" },
    ["recurring_indicator must be true or false"],
  ],
  [
    "one name twice",
    "get_consent",
    { consent_id: "K-1", "Consent-ID": "K-2" },
    ["consent_id is given twice, in two spellings"],
  ],
  ["neither of two", "get_funding_account", {}, ["Exactly one of currency and account_id must be given."]],
  ["null for a required field", "get_trade", { trade_id: null }, ["trade_id is required"]],
];

test.each(rejectedInputs)("refuses %s with a correction: %s", async (_, tool, input, message) => {
  const text = await call(tool, input);
  for (const part of message) expect(text).toContain(part);
  expect(sent).toEqual([]);
});

test("reports all violations together", async () => {
  const text = await call("book_trade", { reason: "hedging", valuta: "x" });
  expect(text).toContain("valuta is not an argument of this tool");
  expect(text).toContain("reason must be one of");
  expect(text).toContain("quote_id is required");
});

test("mentions a corrected spelling once in a successful result", async () => {
  const server = closeLater(await faultServer(respond(200, "[]")));
  const result = await callTool(toolsAt(server.url), "list_trades", { pageSize: 5, parentTradeId: "T-1" });
  const note =
    "Argument names were corrected: page_size (not pageSize), parent_trade_id (not parentTradeId).";
  expect(result.structuredContent!.fxdesk).toEqual({ notes: [note] });
  expect(textOf(result).split(note)).toHaveLength(2);
});

test.each<[tool: string, input: JsonObject, setting: string]>([
  [
    "get_login_page",
    { scope: "openid", response_type: "code", client_id: "app", state: "s" },
    "redirect_uri",
  ],
  ["list_trades", {}, "clientId"],
])("%s refers a missing setting to the operator", async (tool, input, setting) => {
  const client = closeLater(createClient({ baseUrl: "http://127.0.0.1:1" }));
  expect(textOf(await callTool(createToolbox({ client, toolsets: ["all"] }), tool, input))).toContain(
    `${setting} is required; ask the operator of this server to set it`,
  );
});

describe("the key of a request", () => {
  let server: FaultServer;
  let paying: Toolbox;
  beforeEach(async () => {
    const links = { self: { href: "/p-1" } };
    const created = { paymentId: "p-1", transactionStatus: "RCVD", _links: links };
    server = closeLater(await faultServer(respond(201, JSON.stringify(created))));
    paying = toolsAt(server.url);
  });

  test("makes a payment once, in any spelling of the arguments", async () => {
    const first = await callTool(paying, "initiate_payment", { ...payment, request_key: "INV-17" });
    const again = await callTool(paying, "initiate_payment", { ...payment, requestKey: "INV-17" });
    expect(server.heads).toHaveLength(1);
    const { journal_entry: entry } = first.structuredContent!.fxdesk as { journal_entry: string };
    expect(again.structuredContent).toMatchObject({
      paymentId: "p-1",
      fxdesk: {
        journal_entry: entry,
        notes: expect.arrayContaining([expect.stringContaining("Nothing was sent now")]) as string[],
      },
    });
    const changed = { ...payment, creditor_name: "Ferme Durand", request_key: "INV-17" };
    const other = textOf(await callTool(paying, "initiate_payment", changed));
    for (const words of [
      'The key "INV-17" was already used',
      "p-1",
      "ask the user before you call initiate_payment again",
      `Journal entry: ${entry}.`,
    ])
      expect(other).toContain(words);
    expect(server.heads).toHaveLength(1);

    const journal = closeLater(await openJournal(parseStoreSettings({})));
    const stored = { key: "INV-17", surface: "mcp", intent: { actor: "desk" } };
    expect(await journal.get(entry)).toMatchObject(stored);
  });

  test.each(["initiate_payment", "initiate_bulk_payment"])("is required by %s", async (tool) => {
    const { instructed_amount, creditor_account, creditor_name, payment_service: _, ...others } = payment;
    const bulk = { ...others, payments: [{ instructed_amount, creditor_account, creditor_name }] };
    for (const key of [undefined, null]) {
      const given = { ...(tool === "initiate_payment" ? payment : bulk), request_key: key };
      expect(textOf(await callTool(paying, tool, given as JsonObject))).toMatch(
        /request_key is required: choose a text/,
      );
    }
    expect(server.heads).toHaveLength(0);
  });
});
