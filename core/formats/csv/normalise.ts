import { isDay } from "../../schema/values";
import { checkedIndicator, normalAmount, normalBalance, normalExchange } from "../amount";
import { withoutControls } from "../charset";
import { FormatError, type Place, quoted } from "../error";
import {
  type Balance,
  checkHead,
  type Entry,
  given,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { cellsOf, fieldsOf } from "./columns";

export const inColumn = (field: string, line?: number): Place => ({
  format: "CSV",
  field,
  ...(line !== undefined && { line }),
});

export function checkedDate(date: string, place: Place): string {
  if (isDay(date)) return date;
  throw new FormatError("invalid", place, `a date is a day that exists as YYYY-MM-DD, not ${quoted(date)}`);
}

const exchangeColumns = {
  exchangeRate: inColumn("exchange_rate"),
  instructedAmount: inColumn("instructed_amount"),
  charges: inColumn("charges_amount"),
};

/** An entry as CSV carries it; its details are entries of the same kind, without further details. */
export function normalEntry(entry: Entry, currency: string): Entry {
  const { bookingDate, valueDate, amount, reversal, details = [] } = entry;
  const parts = details.map((detail) => normalEntry({ ...detail, details: [] }, currency));
  const texts = fieldsOf("entry", cellsOf("entry", entry)) as Partial<Entry>;
  return given<Entry>({
    ...texts,
    bookingDate: checkedDate(bookingDate, inColumn("booking_date")),
    valueDate: checkedDate(valueDate, inColumn("value_date")),
    amount: normalAmount(amount, currency, inColumn("amount")),
    creditDebit: checkedIndicator(entry, inColumn("amount")),
    reversal: reversal || undefined,
    ...normalExchange(texts, exchangeColumns),
    details: parts.length > 0 ? parts : undefined,
  });
}

export function normalHead(head: StatementHead): StatementHead {
  checkHead(head, {
    account: inColumn("account_number"),
    currency: inColumn("currency"),
    number: inColumn("statement_number"),
  });
  const { account, number, openingBalance } = head;
  const texts = fieldsOf("head", cellsOf("head", head)) as Pick<StatementHead, "account" | "reference">;
  return { ...texts, number, openingBalance: checkedBalance(openingBalance, account.currency) };
}

function checkedBalance(balance: Balance, currency: string): Balance {
  checkedDate(balance.date, inColumn("booking_date"));
  return normalBalance(balance, currency, inColumn("balance"));
}

export function normalTail(tail: StatementTail, currency: string): StatementTail {
  const { closingBalance, availableBalance, forwardBalances = [], information } = tail;
  const forward = forwardBalances.map((balance) => checkedBalance(balance, currency));
  return given<StatementTail>({
    closingBalance: checkedBalance(closingBalance, currency),
    availableBalance: availableBalance && checkedBalance(availableBalance, currency),
    forwardBalances: forward.length > 0 ? forward : undefined,
    information: withoutControls(information ?? "") || undefined,
  });
}

/**
 * A statement as CSV carries it: reading what was written gives exactly this. Empty texts, control characters and the
 * details of details are left out; nothing else is lost.
 */
export function normaliseCsv(statement: Statement): Statement {
  const { currency } = statement.account;
  return {
    ...normalHead(statement),
    ...normalTail(statement, currency),
    entries: statement.entries.map((entry) => normalEntry(entry, currency)),
  };
}
