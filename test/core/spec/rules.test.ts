/** Conditions over several fields, on 31 January 2026. */
import { inputViolations } from "../../support/operations";

const account = "8f3b1c52-6d0e-4a57-9c11-2b7e90d4a6f1";

interface Case {
  readonly operation: string;
  readonly fields: string;
  readonly valid: readonly object[];
  readonly broken: readonly object[];
}

const ordered = (operation: string, from: string, to: string, rest: object = {}): Case => {
  const time = from.endsWith("time") ? "T00:00" : "";
  const range = (first: string, last: string) => ({ ...rest, [from]: first + time, [to]: last + time });
  return {
    operation,
    fields: `${from}, ${to}`,
    valid: [range("2025-12-31", "2026-01-01"), range("2026-01-31", "2026-01-31")],
    broken: [range("2026-01-02", "2026-01-01"), range("2026-01-01", "2025-12-31")],
  };
};

const dates = (...texts: readonly string[]) => texts.map((date_from) => ({ date_from }));

const cases: readonly Case[] = [
  {
    operation: "accountDetails.list",
    fields: "alias",
    valid: [{ alias: "Payroll" }, { alias: "Payroll", account_details_type: "dedicated" }],
    broken: [{ alias: "Payroll", account_details_type: "pooled" }],
  },
  {
    operation: "accounts.getFunding",
    fields: "currency, account_id",
    valid: [{ currency: "EUR" }, { account_id: account }],
    broken: [{}, { currency: "EUR", account_id: account }],
  },
  ordered("statements.createFile", "from_value_datetime", "to_value_datetime", { account_id: account }),
  ordered("statements.emailAccounts", "date_from", "date_to"),
  ordered("statements.emailMt940", "date_from", "date_to"),
  ordered("statements.emailIncomingFunds", "date_from", "date_to"),
  ordered("transactions.list", "from_value_datetime", "to_value_datetime", { account_id: account }),
  {
    operation: "statements.emailTrades",
    fields: "date_from",
    valid: dates("2026-01", "2026-01-31", "2025-12", "2025-12-31"),
    broken: dates("2026-02", "2026-02-01", "2027-01", "2027-01-01"),
  },
];

test.each(cases)("$operation: the rule for $fields", ({ operation, fields, valid, broken }) => {
  for (const input of valid) expect(inputViolations(operation, { ...input })).toEqual([]);
  for (const input of broken)
    expect(inputViolations(operation, { ...input })).toMatchObject([{ field: fields, rule: true }]);
});

test("accepts a range with one open end", () => {
  const from = { account_id: account, from_value_datetime: "2026-01-31T00:00" };
  expect(inputViolations("transactions.list", from)).toEqual([]);
  expect(inputViolations("statements.createFile", from)).toEqual([]);
});

test("skips rules with invalid fields", () => {
  const backwards = { date_from: "2026-02-01", date_to: "2026-01-01" };
  const violated = (input: object) =>
    inputViolations("statements.emailAccounts", { ...backwards, ...input }).map(({ field }) => field);
  expect(violated({ format: "doc" })).toEqual(["format", "date_from, date_to"]);
  expect(violated({ date_to: "01.01.2026" })).toEqual(["date_to"]);
  expect(violated({ date_to: { toString: 1 } })).toEqual(["date_to"]);
});
