/** Reading statements from CSV, as `writeCsv` writes them. */
import { amountText, decimal, normalBalance, RunningBalance } from "../amount";
import { FormatError, type FormatErrorCode, quoted } from "../error";
import { looksLike } from "../kinds";
import { Length, longestField, longestPart, tooLong } from "../limits";
import { type LineReader, readParts, type StatementPart, statementsFrom } from "../parts";
import {
  type Account,
  type Balance,
  type Entry,
  given,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { crAlone, endsWithCrAlone, type Line, type TextSource } from "../text";
import { cellsFrom, leavesQuoteOpen, original } from "./cells";
import { columns, fieldsOf, neededColumns, type Row, type RowKind } from "./columns";
import { checkedDate, inColumn } from "./normalise";

/** Which rows a row may follow; the end of a statement is as good as the beginning of a file. */
const mayFollow: Readonly<Record<RowKind, readonly RowKind[]>> = {
  opening: ["closing", "available", "forward"],
  entry: ["opening", "entry", "detail"],
  detail: ["entry", "detail"],
  closing: ["opening", "entry", "detail"],
  available: ["closing"],
  forward: ["closing", "available", "forward"],
};

const isRowKind = (text: string): text is RowKind => Object.hasOwn(mayFollow, text);

interface NumberedRow {
  readonly cells: Row;
  /** As it is written. */
  readonly text: string;
  /** The line it begins on. */
  readonly line: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const cell = ({ cells }: NumberedRow, column: string) => cells[column] ?? "";

function signedAmount(
  row: NumberedRow,
  column: "amount" | "balance",
): Pick<Balance, "creditDebit" | "amount"> {
  const text = cell(row, column);
  const amount = text.replace(/^-/, "");
  decimal(amount, inColumn(column, row.line));
  return { creditDebit: text.startsWith("-") ? "Debit" : "Credit", amount };
}

const dateIn = (row: NumberedRow, column: string) =>
  checkedDate(cell(row, column), inColumn(column, row.line));

function balanceFrom(row: NumberedRow): Balance {
  const balance = { ...signedAmount(row, "balance"), date: dateIn(row, "booking_date") };
  return normalBalance(balance, cell(row, "currency"), inColumn("balance", row.line));
}

function headFrom(row: NumberedRow): StatementHead {
  const fail = (code: FormatErrorCode, column: string, message: string): never => {
    throw new FormatError(code, inColumn(column, row.line), message);
  };
  const number = cell(row, "statement_number");
  if (!/^\d{1,15}$/.test(number)) fail("invalid", "statement_number", `not a number: ${quoted(number)}`);
  if (cell(row, "account_number") === "") fail("missing", "account_number", "it is empty");
  if (!/^[A-Z]{3}$/.test(cell(row, "currency")))
    fail("invalid", "currency", "a currency is three capital letters");
  const texts = fieldsOf("head", row.cells) as Pick<StatementHead, "account" | "reference">;
  return { ...texts, number: Number(number), openingBalance: balanceFrom(row) };
}

/** Spreadsheets write TRUE and FALSE. */
function isReversal(row: NumberedRow): boolean {
  const text = cell(row, "reversal");
  if (/^(?:true|false)?$/i.test(text)) return text.toLowerCase() === "true";
  throw new FormatError(
    "invalid",
    inColumn("reversal", row.line),
    `it is true, false or empty, not ${quoted(text)}`,
  );
}

/** Throws a FormatError for a row that is of another account or currency than the statement it stands in. */
function checkAccount({ number, currency }: Account, row: NumberedRow): void {
  const expected = { account_number: number, currency };
  for (const [column, text] of Object.entries(expected))
    if (cell(row, column) !== text)
      throw new FormatError(
        "misplaced",
        inColumn(column, row.line),
        `the statement is of ${text}, the row of ${quoted(cell(row, column))}`,
      );
}

/** Amounts of their own currency are as whole as they are written. */
function entryFrom(row: NumberedRow): Entry {
  const { amount, creditDebit } = signedAmount(row, "amount");
  const place = inColumn("amount", row.line);
  return given<Entry>({
    ...(fieldsOf("entry", row.cells) as Partial<Entry>),
    bookingDate: dateIn(row, "booking_date"),
    valueDate: dateIn(row, "value_date"),
    amount: amountText(decimal(amount, place), cell(row, "currency")),
    creditDebit,
    reversal: isReversal(row) || undefined,
  });
}

/** The names in the header row. */
function namesFrom(header: string, line: number): readonly string[] {
  const cells = cellsFrom(header);
  if (endsWithCrAlone(header)) throw new FormatError("invalid", inColumn("record", line), crAlone);
  if (!cells?.includes("record"))
    throw new FormatError(
      "unrecognised",
      inColumn("record", line),
      `the header has no such column${looksLike(header)}`,
    );
  const missing = neededColumns.find((name) => !cells.includes(name));
  if (missing !== undefined)
    throw new FormatError("missing", inColumn(missing, line), "the header has no such column");
  const twice = columns.find(({ name }) => cells.indexOf(name) !== cells.lastIndexOf(name));
  if (twice) throw new FormatError("invalid", inColumn(twice.name, line), "the header has the column twice");
  return cells;
}

const textColumns = new Set(columns.filter(({ isText }) => isText).map(({ name }) => name));

/** Cells by name, text as it was before it was made harmless. */
function rowFrom(names: readonly string[], cells: readonly string[]): Row {
  const row: Record<string, string> = {};
  for (const [index, name] of names.entries())
    row[name] = textColumns.has(name) ? original(cells[index]!) : cells[index]!;
  return row;
}

class CsvReader implements LineReader {
  readonly format = "CSV";
  readonly fields = { opening: "balance", entry: "amount", closing: "balance" };

  /** The beginning of a row that goes on in the next line, inside quotes. */
  #begun: { text: string; line: number } | undefined;
  #names: readonly string[] | undefined;
  #last: RowKind = "closing";
  #lastLine = 0;
  #account: Account | undefined;
  #running: RunningBalance | undefined;
  #entry: { entry: Entry; details: Entry[]; line: number } | undefined;
  /** Of the details of an entry, or of the balances behind the closing one. */
  readonly #partLength = new Length("an entry, or what follows the entries,", longestPart);
  #tail: { tail: Mutable<StatementTail>; forwardBalances: Balance[]; line: number } | undefined;

  line({ number, text, ending }: Line): StatementPart[] {
    this.#lastLine = number;
    const open = leavesQuoteOpen(text) !== (this.#begun !== undefined);
    const row = { text: (this.#begun?.text ?? "") + text, line: this.#begun?.line ?? number };
    if (row.text.length > longestField) throw this.#refusal(row.text, row.line);
    this.#begun = open ? { text: row.text + ending, line: row.line } : undefined;
    return open || row.text.trim() === "" ? [] : this.#row(row.text, row.line);
  }

  /** The error for a row that is too long, and may have no end. */
  #refusal(text: string, line: number): FormatError {
    if (!this.#names) namesFrom(text, line);
    return tooLong("a row, also with a quote that is not closed,", longestField, inColumn("record", line));
  }

  end(): StatementPart[] {
    if (this.#begun)
      throw new FormatError("invalid", inColumn("record", this.#begun.line), "a quote is never closed");
    if (!mayFollow.opening.includes(this.#last))
      throw new FormatError("missing", inColumn("record", this.#lastLine), "there is no closing balance");
    return this.#endStatement();
  }

  #row(text: string, line: number): StatementPart[] {
    if (!this.#names) {
      this.#names = namesFrom(text, line);
      return [];
    }
    const cells = cellsFrom(text);
    if (!cells) throw new FormatError("invalid", inColumn("record", line), "a quote stands where none may");
    const { length } = this.#names;
    if (cells.length !== length)
      throw new FormatError(
        "invalid",
        inColumn("record", line),
        `a row has ${length} cells, not ${cells.length}`,
      );
    return this.#read({ cells: rowFrom(this.#names, cells), text, line });
  }

  #read(row: NumberedRow): StatementPart[] {
    const record = cell(row, "record");
    const place = inColumn("record", row.line);
    if (!isRowKind(record))
      throw new FormatError("invalid", place, `there is no such record: ${quoted(record)}`);
    if (!mayFollow[record].includes(this.#last))
      throw new FormatError("misplaced", place, `${record} may not follow ${this.#last}`);
    this.#last = record;
    if (this.#account && record !== "opening") checkAccount(this.#account, row);
    if (record === "entry" || record === "closing") this.#partLength.restart();
    this.#partLength.add(row.text, place);
    return this.#handlers[record](row);
  }

  readonly #handlers: Readonly<Record<RowKind, (row: NumberedRow) => StatementPart[]>> = {
    opening: (row) => {
      const parts = this.#endStatement();
      const opening = headFrom(row);
      const { currency } = opening.account;
      this.#account = opening.account;
      this.#running = new RunningBalance(opening.openingBalance, currency, inColumn("balance", row.line));
      return [...parts, { kind: "opening", opening, line: row.line }];
    },
    entry: (row) => {
      const parts = this.#endEntry();
      const entry = entryFrom(row);
      this.#running?.add(entry, inColumn("amount", row.line));
      this.#running?.check(balanceFrom(row), inColumn("balance", row.line));
      this.#entry = { entry, details: [], line: row.line };
      return parts;
    },
    detail: (row) => {
      this.#entry?.details.push(entryFrom(row));
      return [];
    },
    closing: (row) => {
      const closingBalance = balanceFrom(row);
      const information = cell(row, "remittance_information") || undefined;
      const tail = given<StatementTail>({ closingBalance, information });
      this.#tail = { tail, forwardBalances: [], line: row.line };
      return this.#endEntry();
    },
    available: (row) => {
      if (this.#tail) this.#tail.tail.availableBalance = balanceFrom(row);
      return [];
    },
    forward: (row) => {
      this.#tail?.forwardBalances.push(balanceFrom(row));
      return [];
    },
  };

  #endEntry(): StatementPart[] {
    if (!this.#entry) return [];
    const { entry, details, line } = this.#entry;
    this.#entry = undefined;
    return [{ kind: "entry", entry: details.length > 0 ? { ...entry, details } : entry, line }];
  }

  #endStatement(): StatementPart[] {
    if (!this.#tail) return [];
    const { tail, forwardBalances, line } = this.#tail;
    this.#tail = undefined;
    const closing = forwardBalances.length > 0 ? { ...tail, forwardBalances } : tail;
    return [{ kind: "closing", closing, line }];
  }
}

/** Reads CSV piece by piece. Errors as `readCsv`. */
export const readCsvParts = (source: TextSource): AsyncGenerator<StatementPart, void, void> =>
  readParts(source, new CsvReader());

/**
 * Reads the statements of a CSV text, or of a stream of text, with the columns of `writeCsv` in any order; further columns
 * are passed over. A text of nothing but white space holds no statements.
 *
 * Throws a FormatError with line and column for what is broken, also when balances and entries do not add up.
 */
export const readCsv = (source: TextSource): AsyncGenerator<Statement, void, void> =>
  statementsFrom(readCsvParts(source));
