/** Writes statements as CSV. */
import { RunningBalance } from "../amount";
import type { Balance, Entry, Source, StatementHead, StatementSource, StatementTail } from "../statement";
import { escapeFormula, formatRow } from "./cells";
import { toCells, columns, type Row, type RowKind } from "./columns";
import { columnPosition, normaliseEntry, normaliseHead, normaliseTail } from "./normalise";

/** Formats a signed amount: a debit is negative. */
const formatSignedAmount = ({ creditDebit, amount }: Pick<Balance, "creditDebit" | "amount">) =>
  creditDebit === "Debit" ? `-${amount}` : amount;

/** Formats a row. Cells of the row win over those of the entry, and these over those of the head. */
const formatCells = (own: Row, head: Row, entry: Row = {}) =>
  formatRow(
    columns.map(({ name, isText }) => {
      const cell = own[name] ?? entry[name] ?? head[name] ?? "";
      return isText ? escapeFormula(cell) : cell;
    }),
  );

const balanceRow = (head: Row, record: RowKind, { date, ...amount }: Balance, information = "") =>
  formatCells(
    { record, booking_date: date, balance: formatSignedAmount(amount), remittance_information: information },
    head,
  );

const entryRow = (head: Row, record: RowKind, entry: Entry, balance: string) =>
  formatCells(
    {
      record,
      booking_date: entry.bookingDate,
      value_date: entry.valueDate,
      amount: formatSignedAmount(entry),
      balance,
      reversal: entry.reversal ? "true" : "",
    },
    head,
    toCells("entry", entry),
  );

const headCells = (head: StatementHead): Row => ({
  ...toCells("head", head),
  statement_number: String(head.number),
});

function tailRows(head: Row, tail: StatementTail): string[] {
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
  const cells = headCells(head);
  const running = new RunningBalance(head.openingBalance, currency, columnPosition("balance"));
  yield balanceRow(cells, "opening", head.openingBalance);
  for await (const given of statement.entries) {
    const entry = normaliseEntry(given, currency);
    running.add(entry, columnPosition("amount"));
    const details = (entry.details ?? []).map((detail) => entryRow(cells, "detail", detail, ""));
    yield (
      entryRow(cells, "entry", entry, formatSignedAmount(running.balanceOn(entry.bookingDate))) +
        details.join("")
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
