/** Reads statements from CSV in the format of `writeCsv`. */
import { formatAmount, parseDecimal, normaliseBalance } from "../amount";
import { FormatError, quoteValue, looksLikeHint, type ReadOptions } from "../format-error";
import {
  type Emit,
  type LineReader,
  readParts,
  reportFault,
  type StatementPart,
  collectStatements,
} from "../statement-parts";
import {
  type Account,
  type Balance,
  type Entry,
  withoutUndefined,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "../statement";
import {
  bareCrMessage,
  hasBareCr,
  LengthLimit,
  type Line,
  maxFieldLength,
  maxPartLength,
  type TextSource,
  tooLongError,
} from "../text-lines";
import { parseRow, RowJoiner, unescapeFormula } from "./cells";
import {
  assertCsvHead,
  columnPosition,
  columns,
  requiredColumns,
  requireDate,
  type Row,
  type RowKind,
  toFields,
} from "./columns";

/** Allowed predecessors of each row. The start of the file counts as the end of a statement. */
const allowedPredecessors: Readonly<Record<RowKind, readonly RowKind[]>> = {
  opening: ["closing", "available", "forward"],
  entry: ["opening", "entry", "detail"],
  detail: ["entry", "detail"],
  closing: ["opening", "entry", "detail"],
  available: ["closing"],
  forward: ["closing", "available", "forward"],
};

const isRowKind = (text: string): text is RowKind => Object.hasOwn(allowedPredecessors, text);

interface NumberedRow {
  readonly cells: Row;
  /** The unparsed row. */
  readonly text: string;
  /** First line of the row. */
  readonly line: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const cell = ({ cells }: NumberedRow, column: string) => cells[column] ?? "";

function parseSignedAmount(
  row: NumberedRow,
  column: "amount" | "balance",
): Pick<Balance, "creditDebit" | "amount"> {
  const text = cell(row, column);
  const amount = text.replace(/^-/, "");
  parseDecimal(amount, columnPosition(column, row.line));
  return { creditDebit: text.startsWith("-") ? "Debit" : "Credit", amount };
}

const parseDate = (row: NumberedRow, column: string) =>
  requireDate(cell(row, column), columnPosition(column, row.line));

function parseBalance(row: NumberedRow): Balance {
  const balance = { ...parseSignedAmount(row, "balance"), date: parseDate(row, "booking_date") };
  return normaliseBalance(balance, cell(row, "currency"), columnPosition("balance", row.line));
}

/** Parses the head without its opening balance. */
function parseHead(row: NumberedRow): StatementHead {
  const { account, ...texts } = toFields("head", row.cells) as Partial<StatementHead>;
  const number = cell(row, "statement_number");
  const head = {
    ...texts,
    account: { number: "", currency: "", ...account },
    number: /^\d{1,15}$/.test(number) ? Number(number) : Number.NaN,
  };
  assertCsvHead(head, row.line);
  return head;
}

/** Parses the reversal flag in any case, because spreadsheets write TRUE and FALSE. */
function isReversal(row: NumberedRow): boolean {
  const text = cell(row, "reversal");
  if (/^(?:true|false)?$/i.test(text)) return text.toLowerCase() === "true";
  throw new FormatError(
    "invalid",
    columnPosition("reversal", row.line),
    `must be true, false or empty, not ${quoteValue(text)}`,
  );
}

/** Throws a FormatError for a row with another account or currency than its statement. */
function assertSameAccount({ number, currency }: Account, row: NumberedRow): void {
  const expected = { account_number: number, currency };
  for (const [column, text] of Object.entries(expected))
    if (cell(row, column) !== text)
      throw new FormatError(
        "misplaced",
        columnPosition(column, row.line),
        `the statement is for ${text}, but the row is for ${quoteValue(cell(row, column))}`,
      );
}

/** Parses an entry. Amounts in other currencies keep their decimals. */
function parseEntry(row: NumberedRow): Entry {
  const { amount, creditDebit } = parseSignedAmount(row, "amount");
  const position = columnPosition("amount", row.line);
  return withoutUndefined<Entry>({
    ...(toFields("entry", row.cells) as Partial<Entry>),
    bookingDate: parseDate(row, "booking_date"),
    valueDate: parseDate(row, "value_date"),
    amount: formatAmount(parseDecimal(amount, position), cell(row, "currency")),
    creditDebit,
    reversal: isReversal(row) || undefined,
  });
}

/** Parses the column names in the header row. */
function parseHeader(header: string, line: number): readonly string[] {
  const cells = parseRow(header);
  if (hasBareCr(header)) throw new FormatError("invalid", columnPosition("record", line), bareCrMessage);
  if (!cells?.includes("record"))
    throw new FormatError(
      "unrecognised",
      columnPosition("record", line),
      `the header lacks the column record${looksLikeHint(header)}`,
    );
  const missing = requiredColumns.find((name) => !cells.includes(name));
  if (missing !== undefined)
    throw new FormatError("missing", columnPosition(missing, line), `the header lacks the column ${missing}`);
  const duplicate = columns.find(({ name }) => cells.indexOf(name) !== cells.lastIndexOf(name));
  if (duplicate)
    throw new FormatError(
      "invalid",
      columnPosition(duplicate.name, line),
      "the header has this column twice",
    );
  return cells;
}

const textColumns = new Set(columns.filter(({ isText }) => isText).map(({ name }) => name));

/** Maps cells by column name and unescapes text. */
function toRow(names: readonly string[], cells: readonly string[]): Row {
  const row: Record<string, string> = {};
  for (const [index, name] of names.entries())
    row[name] = textColumns.has(name) ? unescapeFormula(cells[index]!) : cells[index]!;
  return row;
}

class CsvReader implements LineReader {
  readonly format = "CSV";
  readonly balanceFields = { opening: "balance", entry: "amount", closing: "balance" };

  readonly #rows = new RowJoiner();
  #columnNames: readonly string[] | undefined;
  #lastRecord: RowKind = "closing";
  #lastLine = 0;
  #account: Account | undefined;
  #entry: { entry: Entry; details: Entry[]; balance: Balance; line: number } | undefined;
  /** Limits an entry with its details, or the balances from the closing balance on. */
  readonly #partLimit = new LengthLimit("an entry, or the part after the entries,", maxPartLength);
  #tail: { tail: Mutable<StatementTail>; forwardBalances: Balance[]; line: number } | undefined;

  constructor(readonly options: ReadOptions) {}

  readLine(line: Line, emit: Emit): void {
    this.#lastLine = line.number;
    const row = this.#rows.add(line);
    const { text, line: first } = row ?? this.#rows.open!;
    if (text.length > maxFieldLength) throw this.#tooLongError(text, first);
    if (!row || text.trim() === "") return;
    if (!this.#columnNames) {
      this.#columnNames = parseHeader(text, first);
      return;
    }
    try {
      this.#parseRow(text, first, this.#columnNames).forEach(emit);
    } catch (error) {
      // Details of a row that is left out must not join the entry before.
      this.#endEntry().forEach(emit);
      emit(reportFault(error, this.options));
    }
  }

  /** Returns the error for a row that is too long and may be endless. */
  #tooLongError(text: string, line: number): FormatError {
    if (!this.#columnNames) parseHeader(text, line);
    return tooLongError(
      "a row (possibly because of an unclosed quote)",
      maxFieldLength,
      columnPosition("record", line),
    );
  }

  finish(emit: Emit): void {
    const { open } = this.#rows;
    const position = columnPosition("record", open?.line);
    if (open) emit(reportFault(new FormatError("invalid", position, "a quote is not closed"), this.options));
    if (!allowedPredecessors.opening.includes(this.#lastRecord))
      emit(
        reportFault(
          new FormatError(
            "missing",
            columnPosition("record", this.#lastLine),
            "the closing balance is missing",
          ),
          this.options,
        ),
      );
    this.#endStatement().forEach(emit);
  }

  #parseRow(text: string, line: number, names: readonly string[]): StatementPart[] {
    const cells = parseRow(text);
    if (!cells) throw new FormatError("invalid", columnPosition("record", line), "a quote is misplaced");
    if (cells.length !== names.length)
      throw new FormatError(
        "invalid",
        columnPosition("record", line),
        `the row has ${cells.length} cells, but the header has ${names.length}`,
      );
    return this.#handleRow({ cells: toRow(names, cells), text, line });
  }

  #handleRow(row: NumberedRow): StatementPart[] {
    const record = cell(row, "record");
    const position = columnPosition("record", row.line);
    if (!isRowKind(record))
      throw new FormatError("invalid", position, `unknown record: ${quoteValue(record)}`);
    const resumed = allowedPredecessors[record].includes(this.#lastRecord) ? [] : this.#resume(record, row);
    if (this.#account && record !== "opening") assertSameAccount(this.#account, row);
    if (record === "entry" || record === "closing") this.#partLimit.restart();
    this.#partLimit.add(row.text, position);
    const parts = [...resumed, ...this.#handlers[record](row)];
    this.#lastRecord = record;
    return parts;
  }

  /** Reports a row in the wrong place. Throws if it cannot be read there. */
  #resume(record: RowKind, row: NumberedRow): StatementPart[] {
    const position = columnPosition("record", row.line);
    const fault = new FormatError(
      "misplaced",
      position,
      `record ${record} must not follow ${this.#lastRecord}`,
    );
    const reported = reportFault(fault, this.options);
    if (record === "opening" && this.#account) return [reported, ...this.#endStatement()];
    if (record !== "entry") throw fault;
    const opening = parseHead(row);
    const parts = this.#endStatement();
    this.#account = opening.account;
    return [...parts, reported, { kind: "opening", opening, line: row.line }];
  }

  readonly #handlers: Readonly<Record<RowKind, (row: NumberedRow) => StatementPart[]>> = {
    opening: (row) => {
      const opening = { ...parseHead(row), openingBalance: parseBalance(row) };
      const parts = this.#endStatement();
      this.#account = opening.account;
      return [...parts, { kind: "opening", opening, line: row.line }];
    },
    entry: (row) => {
      const parts = this.#endEntry();
      this.#entry = { entry: parseEntry(row), details: [], balance: parseBalance(row), line: row.line };
      return parts;
    },
    detail: (row) => {
      if (!this.#entry)
        throw new FormatError("misplaced", columnPosition("record", row.line), "its entry was not read");
      this.#entry.details.push(parseEntry(row));
      return [];
    },
    closing: (row) => {
      const closingBalance = parseBalance(row);
      const information = cell(row, "remittance_information") || undefined;
      const tail = withoutUndefined<StatementTail>({ closingBalance, information });
      this.#tail = { tail, forwardBalances: [], line: row.line };
      return this.#endEntry();
    },
    available: (row) => {
      if (this.#tail) this.#tail.tail.availableBalance = parseBalance(row);
      return [];
    },
    forward: (row) => {
      this.#tail?.forwardBalances.push(parseBalance(row));
      return [];
    },
  };

  #endEntry(): StatementPart[] {
    if (!this.#entry) return [];
    const { entry, details, ...rest } = this.#entry;
    this.#entry = undefined;
    return [{ kind: "entry", entry: details.length > 0 ? { ...entry, details } : entry, ...rest }];
  }

  /** Closes the open statement, if any; without its closing balance if that was not read. */
  #endStatement(): StatementPart[] {
    if (!this.#account) return [];
    const { tail, forwardBalances, line } = this.#tail ?? {
      tail: {},
      forwardBalances: [],
      line: this.#lastLine,
    };
    this.#tail = this.#account = undefined;
    const closing = forwardBalances.length > 0 ? { ...tail, forwardBalances } : tail;
    return [...this.#endEntry(), { kind: "closing", closing, line }];
  }
}

/** True if the first row is a header of `writeCsv`, possibly a damaged one. */
export function isOwnCsv(beginning: string): boolean {
  const [header = ""] = beginning
    .replace(/^\uFEFF/, "")
    .trimStart()
    .split(/\r?\n/, 1);
  const cells = new Set(header.split(","));
  return requiredColumns.filter((name) => cells.has(name)).length > requiredColumns.length / 2;
}

/** Reads CSV in parts. Throws like `readCsv`. */
export const readCsvParts = (
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<StatementPart, void, void> => readParts(source, new CsvReader(options), options);

/**
 * Reads the statements of a CSV text or text stream, with the columns of `writeCsv` in any order; other columns are ignored.
 * Blank text has no statements.
 *
 * Throws a FormatError with line and column for malformed text and for balances that do not add up.
 */
export const readCsv = (
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<Statement, void, void> => collectStatements(readCsvParts(source, options));
