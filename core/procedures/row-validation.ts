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

const moneyChecks: readonly FieldCheck[] = [
  ["amount.amount", isDecimal, "a decimal amount"],
  ["amount.currency", isText, "a currency"],
  ["credit_debit_indicator", isDirection, "Credit or Debit"],
];
const balanceChecks: readonly FieldCheck[] = [["type", isText, "a type"], ...moneyChecks];
const transactionChecks: readonly FieldCheck[] = [
  ["transaction_id", isText, "an ID"],
  ...moneyChecks,
  ["value_datetime", isTime, "a date and time"],
  ["booking_datetime", isTime, "a date and time"],
];

function findProblem(checks: readonly FieldCheck[], row: unknown): string | undefined {
  for (const [path, fits, expected] of checks) {
    const value = valueAt(row, path.split("."));
    if (!fits(value)) return `${path} is ${abbreviate(value)}, not ${expected}.`;
  }
  return undefined;
}

export const findTransactionProblem = (row: unknown): string | undefined => {
  const problem = findProblem(transactionChecks, row);
  const id = valueAt(row, ["transaction_id"]);
  return problem && `Transaction ${isText(id) ? id : "without an ID"}: ${problem}`;
};

const invalidBalancesError = (message: string): InvalidResponse =>
  new InvalidResponse(`accounts.listBalances: ${message}`, {
    operation: "accounts.listBalances",
    code: "invalid_response",
    outcome: "unknown",
  });

/** Returns the balances. Throws InvalidResponse for the first invalid one. */
export function assertBalances<T>(balances: readonly T[]): readonly T[] {
  if (!Array.isArray(balances)) throw invalidBalancesError("The response is not a list.");
  for (const each of balances) {
    const problem = findProblem(balanceChecks, each);
    if (problem !== undefined)
      throw invalidBalancesError(`Balance ${abbreviate(valueAt(each, ["type"]))}: ${problem}`);
  }
  return balances;
}
