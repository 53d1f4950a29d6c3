/** Conversion of flow values to the type of a field. */
import { callerFields } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { replaceApprovalsConfig } from "../../core/contract/approvals-workflow";
import { listOpenBankingTransactions } from "../../core/contract/open-banking";
import { initiateBulkPayment, initiatePayment } from "../../core/contract/payments";
import { emailMt940Statement, emailTradesStatement } from "../../core/contract/statements";
import { bookTrade } from "../../core/contract/trades";
import { listTransactions } from "../../core/contract/transactions";
import type { Callable } from "../../core/spec/operation";
import { coerce } from "../../nodes/shared/coerce";

const schemaOf = (operation: Callable, field: string) =>
  callerFields(operation).find(({ name }) => name === field)!.schema;

const coerceField = (operation: Callable, field: string, value: unknown) =>
  coerce(schemaOf(operation, field), value);

const start = Date.UTC(2026, 2, 14, 22, 30, 15, 250);

test.each([
  ["what $now() gives", "2026-03-14T22:30:15.250Z", "2026-03-14", "2026-03-14T22:30"],
  ["a time with an offset", "2026-03-15T00:30:15+02:00", "2026-03-14", "2026-03-14T22:30"],
  ["a time without a zone, which is UTC", "2026-03-14T22:30:15", "2026-03-14", "2026-03-14T22:30"],
  ["milliseconds", start, "2026-03-14", "2026-03-14T22:30"],
  ["milliseconds as text", String(start), "2026-03-14", "2026-03-14T22:30"],
  ["a Date", new Date(start), "2026-03-14", "2026-03-14T22:30"],
  ["a day", "2026-03-14", "2026-03-14", "2026-03-13T23:59"],
])("%s is a time", (_what, value, day, minute) => {
  expect(coerceField(listOpenBankingTransactions, "dateFrom", value)).toBe(day);
  expect(coerceField(listTransactions, "from_value_datetime", value)).toBe(minute);
});

test.each([
  [emailTradesStatement, "date_from", "2026-01", "2026-01"],
  [emailTradesStatement, "date_from", start, "2026-03-14"],
  [listTransactions, "to_value_datetime", "2026-02-28", "2026-03-01T00:00"],
  [initiatePayment, "requestedExecutionTime", "2026-01-31T09:30:00+02:00", "2026-01-31T09:30:00+02:00"],
  [initiatePayment, "requestedExecutionTime", "2026-01-31", "2026-01-31T00:00:00Z"],
  [initiatePayment, "requestedExecutionTime", start, "2026-03-14T22:30:15.250Z"],
  [bookTrade, "reference", new Date(start), "2026-03-14T22:30:15.250Z"],
  [bookTrade, "reference", start, String(start)],
  [bookTrade, "reference", Number.MAX_SAFE_INTEGER, "9007199254740991"],
  [emailMt940Statement, "account_ids", ["1", 2], [1, 2]],
  [emailMt940Statement, "account_ids", "1, 2", [1, 2]],
  [emailMt940Statement, "account_ids", '["1", 2]', [1, 2]],
  [
    initiatePayment,
    "instructedAmount",
    '{"currency":"EUR","amount":1.50}',
    { currency: "EUR", amount: "1.5" },
  ],
] as const)("$name: %s takes %j as %j", (operation, field, value, expected) => {
  expect(coerceField(operation, field, value)).toEqual(expected);
});

test.each([
  ["10.000", "10.000"],
  ["10.000\n", "10.000\n"],
  ["10.50", 10.5],
])("the bound %s of an approval rule, as text, is %j", (text, expected) => {
  const [rule] = coerceField(replaceApprovalsConfig, "rules", [{ min_amount: text }]) as [object];
  expect(rule).toEqual({ min_amount: expected });
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
])("%s are no time", (_what, value) => {
  const accept = () =>
    schemaOf(listTransactions, "from_value_datetime").parse(
      coerceField(listTransactions, "from_value_datetime", value),
    );
  expect(accept).toThrow(/must be|time|day/);
});

test("coerces nested objects at any depth and changes nothing else", () => {
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
  expect(() => coerceField(bookTrade, "reference", 2 ** 53)).toThrow("more digits");
});

test("accepts numbers as text in a map", () => {
  const rates = z.record(z.string(), z.string());
  expect(coerce(rates, { USD: 0.92, GBP: "1.15" })).toEqual({ USD: "0.92", GBP: "1.15" });
  expect(coerce(rates, '{"USD":0.92}')).toEqual({ USD: "0.92" });
  expect(coerce(rates, [0.92])).toEqual([0.92]);
});
