/** Validation of rows from the service. Invalid rows are reported, never guessed. */
import { InvalidResponse } from "../spec/errors";
import { isDay } from "../values/values";
import { valueAt } from "../values/json";

/** Shortens a value for a message. */
const abbreviate = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
};

type FieldCheck = readonly [path: string, fits: (value: unknown) => boolean, expected: string];

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isDecimal = (value: unknown) =>
  (typeof value === "string" || typeof value === "number") && /^-?\d+(\.\d+)?$/.test(String(value));
const isDirection = (value: unknown) => typeof value === "string" && /^(credit|debit)$/i.test(value);
/** The service may omit it. */
const isTime = (value: unknown) =>
  value === undefined || value === null || (typeof value === "string" && isDay(value.slice(0, 10)));

const isNumber = (value: unknown) => typeof value === "number";
const isExistingDay = (value: unknown) => typeof value === "string" && isDay(value);

const moneyChecks: readonly FieldCheck[] = [
  ["amount.amount", isDecimal, "a decimal amount"],
  ["amount.currency", isText, "a currency"],
  ["credit_debit_indicator", isDirection, "Credit or Debit"],
];

/** The field that identifies a row in messages, and the checks of its fields. */
const rows = {
  Balance: { id: "type", checks: [["type", isText, "a type"], ...moneyChecks] },
  Transaction: {
    id: "transaction_id",
    checks: [
      ["transaction_id", isText, "an ID"],
      ...moneyChecks,
      ["value_datetime", isTime, "a date and time"],
      ["booking_datetime", isTime, "a date and time"],
    ],
  },
  Trade: {
    id: "trade_id",
    checks: [
      ["trade_id", isText, "an ID"],
      ["maturity_date", isExistingDay, "a day"],
      ["status", isText, "a status"],
      ["buy_amount", isNumber, "a number"],
      ["buy_currency", isText, "a currency"],
      ["sell_amount", isNumber, "a number"],
      ["sell_currency", isText, "a currency"],
    ],
  },
} as const satisfies Readonly<Record<string, { id: string; checks: readonly FieldCheck[] }>>;

/** Returns the first problem that prevents counting a row, or undefined. */
export function findRowProblem(kind: keyof typeof rows, row: unknown): string | undefined {
  const { id: field, checks } = rows[kind];
  const id = valueAt(row, [field]);
  for (const [path, fits, expected] of checks) {
    const value = valueAt(row, path.split("."));
    if (!fits(value))
      return `${kind} ${isText(id) ? id : "without an ID"}: ${path} is ${abbreviate(value)}, not ${expected}.`;
  }
  return undefined;
}

/** Returns the balances. Throws InvalidResponse for the first invalid one. */
export function assertBalances<T>(balances: readonly T[]): readonly T[] {
  const problem = Array.isArray(balances)
    ? balances.map((each) => findRowProblem("Balance", each)).find((found) => found !== undefined)
    : "The response is not a list.";
  if (problem === undefined) return balances;
  const operation = "accounts.listBalances";
  throw new InvalidResponse(`${operation}: ${problem}`, {
    operation,
    code: "invalid_response",
    outcome: "unknown",
  });
}
