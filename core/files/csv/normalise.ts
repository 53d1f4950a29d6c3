import { isDay } from "../../values/values";
import { requireIndicator, normaliseAmount, normaliseBalance, normaliseExchange } from "../amount";
import { removeControls } from "../charset";
import { FormatError, type Position, quoteValue } from "../format-error";
import {
  type Balance,
  assertHead,
  type Entry,
  withoutUndefined,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { toCells, toFields } from "./columns";

export const columnPosition = (field: string, line?: number): Position => ({
  format: "CSV",
  field,
  ...(line !== undefined && { line }),
});

export function requireDate(date: string, position: Position): string {
  if (isDay(date)) return date;
  throw new FormatError(
    "invalid",
    position,
    `expected an existing date as YYYY-MM-DD, found ${quoteValue(date)}`,
  );
}

const exchangePositions = {
  exchangeRate: columnPosition("exchange_rate"),
  instructedAmount: columnPosition("instructed_amount"),
  charges: columnPosition("charges_amount"),
};

/** Returns an entry as CSV represents it. Details of details are dropped. */
export function normaliseEntry(entry: Entry, currency: string): Entry {
  const { bookingDate, valueDate, amount, reversal, details = [] } = entry;
  const parts = details.map((detail) => normaliseEntry({ ...detail, details: [] }, currency));
  const texts = toFields("entry", toCells("entry", entry)) as Partial<Entry>;
  return withoutUndefined<Entry>({
    ...texts,
    bookingDate: requireDate(bookingDate, columnPosition("booking_date")),
    valueDate: requireDate(valueDate, columnPosition("value_date")),
    amount: normaliseAmount(amount, currency, columnPosition("amount")),
    creditDebit: requireIndicator(entry, columnPosition("amount")),
    reversal: reversal || undefined,
    ...normaliseExchange(texts, exchangePositions),
    details: parts.length > 0 ? parts : undefined,
  });
}

export function normaliseHead(head: StatementHead): StatementHead {
  assertHead(head, {
    account: columnPosition("account_number"),
    currency: columnPosition("currency"),
    number: columnPosition("statement_number"),
  });
  const { account, number, openingBalance } = head;
  const texts = toFields("head", toCells("head", head)) as Pick<StatementHead, "account" | "reference">;
  return { ...texts, number, openingBalance: requireBalance(openingBalance, account.currency) };
}

function requireBalance(balance: Balance, currency: string): Balance {
  requireDate(balance.date, columnPosition("booking_date"));
  return normaliseBalance(balance, currency, columnPosition("balance"));
}

export function normaliseTail(tail: StatementTail, currency: string): StatementTail {
  const { closingBalance, availableBalance, forwardBalances = [], information } = tail;
  const forward = forwardBalances.map((balance) => requireBalance(balance, currency));
  return withoutUndefined<StatementTail>({
    closingBalance: requireBalance(closingBalance, currency),
    availableBalance: availableBalance && requireBalance(availableBalance, currency),
    forwardBalances: forward.length > 0 ? forward : undefined,
    information: removeControls(information ?? "") || undefined,
  });
}

/**
 * Returns a statement as CSV represents it: exactly what reading the written file gives. Only empty texts, control
 * characters and details of details are dropped.
 */
export function normaliseCsv(statement: Statement): Statement {
  const { currency } = statement.account;
  return {
    ...normaliseHead(statement),
    ...normaliseTail(statement, currency),
    entries: statement.entries.map((entry) => normaliseEntry(entry, currency)),
  };
}
