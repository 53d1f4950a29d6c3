/** Conditions over several fields, on 31 January 2026. */
import { inputViolations } from "../../support/operations";

const account = "8f3b1c52-6d0e-4a57-9c11-2b7e90d4a6f1";

interface Case {
  operation: string;
  fields: string;
  description: string;
  good: object[];
  bad: object[];
}

const ordered = (operation: string, from: string, to: string, rest: object = {}): Case => {
  const time = from.endsWith("time") ? "T00:00" : "";
  const range = (first: string, last: string) => ({ ...rest, [from]: first + time, [to]: last + time });
  return {
    operation,
    fields: `${from}, ${to}`,
    description: `${from} must not be after ${to}.`,
    good: [
      range("2026-01-01", "2026-01-31"),
      range("2026-01-31", "2026-01-31"),
      range("2025-12-31", "2026-01-01"),
    ],
    bad: [range("2026-01-02", "2026-01-01"), range("2026-01-01", "2025-12-31")],
  };
};

const cases: Case[] = [
  {
    operation: "accountDetails.list",
    fields: "alias",
    description: "Only dedicated accounts can be filtered by alias.",
    good: [{ alias: "Payroll" }, { alias: "Payroll", account_details_type: "dedicated" }],
    bad: [{ alias: "Payroll", account_details_type: "pooled" }],
  },
  {
    operation: "accounts.getFunding",
    fields: "currency, account_id",
    description: "Exactly one of currency and account_id must be given.",
    good: [{ currency: "EUR" }, { account_id: account }],
    bad: [{}, { currency: "EUR", account_id: account }],
  },
  ordered("statements.createFile", "from_value_datetime", "to_value_datetime", { account_id: account }),
  ordered("statements.emailAccounts", "date_from", "date_to"),
  ordered("statements.emailMt940", "date_from", "date_to"),
  ordered("statements.emailIncomingFunds", "date_from", "date_to"),
  ordered("transactions.list", "from_value_datetime", "to_value_datetime", { account_id: account }),
  {
    operation: "statements.emailTrades",
    fields: "date_from",
    description: "date_from must not be in the future.",
    good: ["2026-01", "2026-01-31", "2025-12", "2025-12-31"].map((date_from) => ({ date_from })),
    bad: ["2026-02", "2026-02-01", "2027-01", "2027-01-01"].map((date_from) => ({ date_from })),
  },
];

describe.each(cases)("$operation: $says", ({ operation, fields, description, good, bad }) => {
  test.each(good)("accepts %j", (input) => {
    expect(inputViolations(operation, { ...input })).toEqual([]);
  });

  test.each(bad)("refuses %j and names the fields", (input) => {
    expect(inputViolations(operation, { ...input })).toEqual([
      { field: fields, message: description, rule: true },
    ]);
  });
});

test("accepts a range with one open end", () => {
  const from = { account_id: account, from_value_datetime: "2026-01-31T00:00" };
  expect(inputViolations("transactions.list", from)).toEqual([]);
  expect(inputViolations("statements.createFile", from)).toEqual([]);
  expect(inputViolations("statements.emailMt940", { date_from: "2026-01-01" })).toEqual([]);
});

test("skips rules with invalid fields", () => {
  const backwards = { date_from: "2026-02-01", date_to: "2026-01-01", format: "doc" };
  const violations = inputViolations("statements.emailAccounts", backwards);
  expect(violations.map(({ field }) => field)).toEqual(["format", "date_from, date_to"]);
  const unreadable = inputViolations("statements.emailAccounts", {
    date_from: "2026-02-01",
    date_to: "01.01.2026",
  });
  expect(unreadable.map(({ field }) => field)).toEqual(["date_to"]);
});

test("does not evaluate a rule on invalid values", () => {
  const noText = { toString: 1 };
  const message = inputViolations("statements.emailMt940", { date_from: "2026-01-01", date_to: noText });
  expect(message.map(({ field }) => field)).toEqual(["date_to"]);
});
