/** Limits, patterns, enumerations and defaults of the JSON interface, from a table maintained by hand. */
import { callerFields, fieldsOf } from "../../../core/operations";
import { contractOperations, inputViolations, operationNamed } from "../../support/operations";

const uuid = "8f3b1c52-6d0e-4a57-9c11-2b7e90d4a6f1";
const range = { date_from: "2026-01-01", date_to: "2026-01-31" };
const config = { groups: [{ name: "A", members: ["c1"] }], rules: [] };
const band = {
  min_amount: 0,
  max_amount: null,
  currency: "EUR",
  combinations: [[{ group: "A", approvals: 1 }]],
};

/** Minimal valid input of each operation. */
const minimalInput: Readonly<Record<string, object>> = {
  "accountDetails.list": {},
  "accountDetails.listAll": {},
  "accountDetails.request": { country: "DE", currency: "EUR" },
  "accountDetails.updateAlias": { account_details_id: "1", alias: "Payroll" },
  "accountDetails.makeDefault": { account_details_id: uuid },
  "accountDetails.assignVirtual": { currency: "EUR" },
  "accounts.list": { currencies: "EUR" },
  "accounts.get": { account_id: uuid },
  "accounts.getFunding": { currency: "EUR" },
  "accounts.listCurrencyAccounts": {},
  "accounts.listBalances": { account_id: uuid },
  "statements.createFile": { account_id: uuid, from_value_datetime: "2026-01-01T00:00" },
  "statements.getFile": { account_id: uuid, statement_id: uuid },
  "statements.emailAccounts": range,
  "statements.emailMt940": { date_from: "2026-01-01" },
  "statements.emailTrades": { date_from: "2026-01" },
  "statements.emailIncomingFunds": range,
  "transactions.list": { account_id: uuid },
  "transactions.get": { account_id: uuid, transaction_id: uuid },
  "approvalsWorkflow.getConfig": {},
  "approvalsWorkflow.replaceConfig": config,
  "approvalsWorkflow.getSettings": {},
  "approvalsWorkflow.updateSettings": { enabled: true, dual_admin: true },
  "login.getPage": {
    scope: "openid",
    response_type: "code",
    client_id: "app",
    redirect_uri: "https://example.com/back",
    state: "s",
  },
  "trades.book": { quote_id: "q1", reason: "other" },
  "trades.list": {},
  "trades.get": { trade_id: "t1" },
};

const names = contractOperations.filter(({ server }) => server === "service").map(({ name }) => name);

describe.each(names)("%s", (name) => {
  test("accepts the minimal input", () => {
    expect(inputViolations(name, { ...minimalInput[name] })).toEqual([]);
  });

  test("names each missing required field", () => {
    const required = callerFields(operationNamed(name)).filter((field) => field.required);
    for (const { name: field } of required) {
      const { [field]: _, ...rest } = minimalInput[name] as Record<string, unknown>;
      expect(inputViolations(name, rest)).toContainEqual({
        field,
        message: expect.stringMatching(/^is required\b/),
      });
    }
  });

  test("refuses an unknown field", () => {
    expect(inputViolations(name, { ...minimalInput[name], colour: "red" })[0]).toMatchObject({
      field: "colour",
      message: expect.stringMatching(/^is not a known field/),
    });
  });

  test("describes each field with a title and one short sentence", () => {
    for (const { title, description } of callerFields(operationNamed(name))) {
      expect(title).toMatch(/^[A-Z0-9]/);
      expect(description).toMatch(/^[A-Z0-9`].{2,110}\.$/);
    }
  });
});

type LimitCase = readonly [
  operation: string,
  field: string,
  fits: readonly unknown[],
  fitsNot: readonly unknown[],
];

const text = (length: number) => "x".repeat(length);
const currency = [
  ["EUR", "XAU"],
  ["eur", "EU", "EURO", "E1R", ""],
] as const;
const country = [
  ["DE", "GB"],
  ["de", "DEU", "D", "D1", ""],
] as const;
const account36 = [
  [uuid, text(36)],
  [text(35), text(37), ""],
] as const;
const alias = [
  ["a", text(50)],
  ["", text(51)],
] as const;
const counting = [
  [1, 2, 1000],
  [0, -1, 1.5, "1"],
] as const;
const id = [
  ["1", "a b", "T-1"],
  ["", ".", "..", "a/b", "..\\b"],
] as const;
const ids = [
  [uuid, uuid.toUpperCase()],
  [text(36), uuid.slice(1), `${uuid}0`, "", "../trades"],
] as const;
const days = [
  ["2026-01-01", "2024-02-29"],
  ["2026-02-29", "2026-13-01", "2026-1-1", "01.01.2026", "2026-01-01T00:00", ""],
] as const;
const minutes = [
  ["2026-01-01T00:00", "2024-02-29T23:59"],
  ["2026-01-01", "2026-01-01T24:00", "2026-01-01T00:00:00", "2026-01-01T00:00Z", "2026-02-30T00:00"],
] as const;
const currencies = [
  ["EUR", "EUR,GBP", "EUR,GBP,"],
  ["", "eur", "EUR;GBP", "EUR, GBP", ["EUR"]],
] as const;

const rows: readonly LimitCase[] = [
  ["accountDetails.list", "account_details_type", ["dedicated", "pooled"], ["virtual", "Pooled", ""]],
  ["accountDetails.list", "account_id", ...account36],
  ["accountDetails.list", "country", ...country],
  ["accountDetails.list", "currency", ...currency],
  ["accountDetails.list", "alias", ...alias],
  ["accountDetails.list", "page", ...counting],
  ["accountDetails.list", "page_size", ...counting],
  ["accountDetails.request", "country", ...country],
  ["accountDetails.request", "currency", ...currency],
  ["accountDetails.updateAlias", "account_details_id", ...id],
  ["accountDetails.updateAlias", "alias", ...alias],
  ["accountDetails.makeDefault", "account_details_id", ...ids],
  ["accountDetails.assignVirtual", "currency", ...currency],
  ["accounts.list", "currencies", ...currencies],
  ["accounts.get", "account_id", ...ids],
  ["accounts.listBalances", "account_id", ...ids],
  [
    "accounts.listBalances",
    "balance_types",
    [
      ["InterimAvailable", "RequiredFunds", "RequiredFundsImmediate", "Outgoing"],
      ["Incoming", "InitialMargin", "MarginCall", "Processing"],
    ],
    ["InterimAvailable", ["interimAvailable"], [1]],
  ],
  ["statements.createFile", "account_id", ...ids],
  ["statements.createFile", "format", ["pdf", "csv", "mt940", "xls"], ["PDF", "coda", ""]],
  ["statements.createFile", "from_value_datetime", ...minutes],
  ["statements.getFile", "account_id", ...ids],
  ["statements.getFile", "statement_id", ...ids],
  ["statements.emailAccounts", "date_from", ["2026-01-01"], days[1]],
  ["statements.emailAccounts", "date_to", ["2026-01-01", "2028-02-29"], days[1]],
  ["statements.emailAccounts", "format", ["pdf", "csv", "xls", "coda"], ["mt940", "PDF"]],
  ["statements.emailAccounts", "currencies", ...currencies],
  ["statements.emailMt940", "date_from", ...days],
  ["statements.emailMt940", "account_ids", [[1], [1, 2], []], [["1"], [uuid], [1.5], 1]],
  ["statements.emailMt940", "sub_tags", [true, false], ["true", 1]],
  [
    "statements.emailTrades",
    "date_from",
    ["2026-01", "2026-01-31", "2024-02-29"],
    ["2025-13", "2025-00", "2025-02-29", "2025", "2025-1", "202501"],
  ],
  ["statements.emailIncomingFunds", "format", ["csv", "pdf"], ["xls", "CSV"]],
  ["transactions.list", "credit_debit_indicator", ["credit", "debit"], ["Credit", "D"]],
  ["transactions.list", "from_value_datetime", ...minutes],
  ["transactions.list", "to_value_datetime", ...minutes],
  ["transactions.list", "transaction_type", ["incoming", "a type of tomorrow"], [1, ["incoming"]]],
  ["transactions.list", "page", ...counting],
  ["transactions.list", "page_size", ...counting],
  ["transactions.get", "transaction_id", ...ids],
  [
    "approvalsWorkflow.replaceConfig",
    "rules",
    [[band], [{ ...band, max_amount: 1000, level: "as the service sent it" }]],
    [
      [{ ...band, currency: "eur" }],
      [{ ...band, min_amount: "0" }],
      [{ ...band, min_amount: -1 }],
      [{ ...band, max_amount: 0 }],
      [{ ...band, max_amount: -1000 }],
      "none",
    ],
  ],
  ["approvalsWorkflow.replaceConfig", "groups", [[], config.groups], [[{ name: "A" }], {}]],
  ["approvalsWorkflow.updateSettings", "enabled", [true, false], ["yes", null]],
  ["login.getPage", "scope", ["openid", "openid profile", "email openid"], ["", "profile", "openidx"]],
  ["login.getPage", "response_type", ["code"], ["token", ""]],
  [
    "trades.book",
    "reason",
    [
      "charitable_aid",
      "payment_for_goods",
      "capital_investment",
      "payment_for_services",
      "repatriation_of_goods",
      "repatriation_of_services",
      "property_purchase",
      "mortage_repayment",
      "property_rental_or_maintenance",
      "salary_payroll",
      "travel_costs",
      "living_costs",
      "repayment_of_loan",
      "balance_hedging",
      "repatriation_from_investment",
      "portfolio_netting",
      "not_related_to_goods_or_services",
      "other",
    ],
    ["mortgage_repayment", "Other", ""],
  ],
  [
    "trades.list",
    "trade_type",
    [["spot", "forward", "window_forward", "drawdown", "ndf"], []],
    ["spot", ["swap"], ["Spot"]],
  ],
  ["trades.list", "page", ...counting],
  ["trades.list", "page_size", ...counting],
  ["trades.get", "trade_id", ...id],
  ["trades.get", "response_model", ["BookedTrade", "ExtendedBookedTrade"], ["bookedTrade", ""]],
];

describe.each(rows)("%s, %s", (name, field, fits, fitsNot) => {
  const input = (value: unknown) => ({ ...minimalInput[name], [field]: value });

  test.each(fits.map((value) => [value]))("%j fits", (value) => {
    expect(inputViolations(name, input(value))).toEqual([]);
  });

  test.each(fitsNot.map((value) => [value]))("%j does not, and the field is named", (value) => {
    const violations = inputViolations(name, input(value));
    expect(violations.length).toBeGreaterThan(0);
    for (const violation of violations) expect(violation.field.split(/[.,]/)[0]).toBe(field);
  });
});

test("the table contains every closed enumeration with its exact values", () => {
  const declared = names.flatMap((name) =>
    callerFields(operationNamed(name)).flatMap((field) =>
      field.options ? [{ name, field: field.name, options: field.options }] : [],
    ),
  );
  const expected = declared.map(({ name, field }) => {
    const [, , fits] = rows.find((row) => row[0] === name && row[1] === field) ?? [];
    return { name, field, options: fits };
  });
  expect(declared).toHaveLength(8);
  expect(declared).toEqual(expected);
});

test("the defaults match the contract", () => {
  const defaults = names.flatMap((name) =>
    fieldsOf(operationNamed(name)).flatMap((field) =>
      "default" in field ? [`${name} ${field.name} ${JSON.stringify(field.default)}`] : [],
    ),
  );
  expect(defaults).toEqual([
    'accounts.listBalances balance_types ["InterimAvailable"]',
    'statements.createFile format "pdf"',
    'statements.emailAccounts format "pdf"',
    "statements.emailMt940 sub_tags false",
    'statements.emailIncomingFunds format "csv"',
    "transactions.list page 1",
    "transactions.list page_size 50",
    "trades.list page 1",
    "trades.list page_size 50",
  ]);
});

test("the connection fills client_id, except on the login page", () => {
  for (const name of names) {
    const { filledBy, required, location } = fieldsOf(operationNamed(name)).find(
      (field) => field.name === "client_id",
    )!;
    expect({ name, by: filledBy, required, place: location }).toEqual({
      name,
      by: name === "login.getPage" ? "caller" : "connection",
      required: true,
      place: "query",
    });
  }
});

const textCases: [string, object, string][] = [
  ["accountDetails.list", { currency: "eur" }, 'must be three capital letters, such as EUR, not "eur"'],
  ["accountDetails.list", { account_id: "1" }, 'must have exactly 36 characters, not "1"'],
  ["accountDetails.list", { alias: "" }, 'must have at least 1 characters, not ""'],
  ["accountDetails.list", { page: 0 }, "must be at least 1, not 0"],
  ["statements.emailIncomingFunds", { format: "xls" }, 'must be one of csv, pdf, not "xls"'],
  ["trades.get", { trade_id: "a/b" }, "must not be empty, a dot segment, or contain a slash"],
];

test.each(textCases)("%s says of %j what is right", (name, input, message) => {
  expect(inputViolations(name, { ...minimalInput[name], ...input })[0]?.message).toBe(message);
});
