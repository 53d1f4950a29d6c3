/** Writes statements as CSV. */
import {
  requireIndicator,
  normaliseAmount,
  normaliseBalance,
  normaliseExchange,
  RunningBalance,
} from "../amount";
import { removeControls } from "../charset";
import {
  type Balance,
  type DraftOf,
  type Entry,
  put,
  signedAmount,
  type Source,
  type Statement,
  type BookedHead,
  type BookedTail,
  isBooked,
  type StatementHead,
  type StatementSource,
  type StatementTail,
  withoutUndefined,
} from "../statement";
import { escapeFormula, formatRow } from "./cells";
import {
  assertCsvHead,
  columnPosition,
  columns,
  requireDate,
  entryCell,
  headCells,
  type Row,
  type RowKind,
  toHeldFields,
} from "./columns";

const exchangePositions = {
  exchangeRate: columnPosition("exchange_rate"),
  instructedAmount: columnPosition("instructed_amount"),
  charges: columnPosition("charges_amount"),
};

/** Returns an entry as CSV represents it. Details of details are dropped. */
function normaliseEntry(entry: Entry, currency: string): Entry {
  const { bookingDate, valueDate, amount, reversal, details = [] } = entry;
  const parts = details.map((detail) => normaliseEntry({ ...detail, details: [] }, currency));
  const held = toHeldFields("entry", entry) as DraftOf<Entry>;
  const exchange = normaliseExchange(held, exchangePositions);
  put(held, "exchangeRate", exchange.exchangeRate);
  put(held, "instructedAmount", exchange.instructedAmount);
  put(held, "charges", exchange.charges);
  if (reversal) held.reversal = true;
  if (parts.length > 0) held.details = parts;
  return Object.assign(held, {
    bookingDate: requireDate(bookingDate, columnPosition("booking_date")),
    valueDate: requireDate(valueDate, columnPosition("value_date")),
    amount: normaliseAmount(amount, currency, columnPosition("amount")),
    creditDebit: requireIndicator(entry, columnPosition("amount")),
  });
}

function normaliseHead(head: StatementHead): BookedHead {
  assertCsvHead(head);
  const { account, number, openingBalance } = head;
  const texts = toHeldFields("head", head) as Pick<StatementHead, "account" | "reference">;
  return { ...texts, number, openingBalance: requireBalance(openingBalance, account.currency) };
}

function requireBalance(balance: Balance | undefined, currency: string): Balance {
  if (balance) requireDate(balance.date, columnPosition("booking_date"));
  return normaliseBalance(balance, currency, columnPosition("balance"));
}

function normaliseTail(tail: StatementTail, currency: string): BookedTail {
  const { closingBalance, availableBalance, forwardBalances = [], information } = tail;
  const forward = forwardBalances.map((balance) => requireBalance(balance, currency));
  return withoutUndefined<BookedTail>({
    closingBalance: requireBalance(closingBalance, currency),
    availableBalance: availableBalance && requireBalance(availableBalance, currency),
    forwardBalances: forward.length > 0 ? forward : undefined,
    information: removeControls(information ?? "") || undefined,
  });
}

/**
 * Returns a statement as CSV represents it: exactly what reading the written file gives. Empty texts, control characters,
 * details of details, entries that are not booked and fields without a column are dropped.
 */
export function normaliseCsv(statement: Statement): Statement {
  const { currency } = statement.account;
  return {
    ...normaliseHead(statement),
    ...normaliseTail(statement, currency),
    entries: statement.entries.filter(isBooked).map((entry) => normaliseEntry(entry, currency)),
  };
}

/** Formats a row. Cells of the row win over those of the head and of the entry. */
const formatCells = (own: Row, head: Row, entry?: Entry) =>
  formatRow(
    columns.map(({ name, isText }) => {
      const cell = own[name] ?? head[name] ?? (entry ? entryCell(name, entry) : "");
      return isText ? escapeFormula(cell) : cell;
    }),
  );

const balanceRow = (head: Row, record: RowKind, balance: Balance, information = "") =>
  formatCells(
    {
      record,
      booking_date: balance.date,
      balance: signedAmount(balance),
      remittance_information: information,
    },
    head,
  );

const entryRow = (head: Row, record: RowKind, entry: Entry, balance: string) =>
  formatCells(
    {
      record,
      booking_date: entry.bookingDate,
      value_date: entry.valueDate,
      amount: signedAmount(entry),
      balance,
      reversal: entry.reversal ? "true" : "",
    },
    head,
    entry,
  );

const cellsOf = (head: StatementHead): Row => ({
  ...headCells(head),
  statement_number: String(head.number),
});

function tailRows(head: Row, tail: BookedTail): string[] {
  const { closingBalance, availableBalance, forwardBalances = [], information } = tail;
  return [
    balanceRow(head, "closing", closingBalance, information),
    ...(availableBalance ? [balanceRow(head, "available", availableBalance)] : []),
    ...forwardBalances.map((balance) => balanceRow(head, "forward", balance)),
  ];
}

async function* writeRows(statement: StatementSource): AsyncGenerator<string> {
  const head = normaliseHead(statement);
  const { currency } = head.account;
  const tail = normaliseTail(statement, currency);
  const cells = cellsOf(head);
  const running = new RunningBalance(head.openingBalance, currency, columnPosition("balance"));
  yield balanceRow(cells, "opening", head.openingBalance);
  for await (const given of statement.entries) {
    if (!isBooked(given)) continue;
    const entry = normaliseEntry(given, currency);
    running.add(entry, columnPosition("amount"));
    const details = (entry.details ?? []).map((detail) => entryRow(cells, "detail", detail, ""));
    yield (
      entryRow(cells, "entry", entry, signedAmount(running.balanceOn(entry.bookingDate))) + details.join("")
    );
  }
  running.check(tail.closingBalance, columnPosition("balance"));
  yield tailRows(cells, tail).join("");
}

/**
 * Writes statements as CSV (RFC 4180), row by row: a header row, then for each statement its opening balance, a row for
 * each entry with the balance after it, and its closing balance. Dates are ISO 8601, amounts have a decimal point, and
 * debits are negative. Text that a spreadsheet would run as a formula gets an apostrophe, which `readCsv` removes.
 *
 * Throws a FormatError for invalid amounts and dates and for balances that do not add up.
 */
export async function* writeCsv(statements: Source<StatementSource>): AsyncGenerator<string, void, void> {
  yield formatRow(columns.map(({ name }) => name));
  for await (const statement of statements) yield* writeRows(statement);
}
