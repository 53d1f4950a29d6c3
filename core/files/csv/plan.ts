/** Finds out how a bank's CSV is to be read: by a given column map, by a known layout, or by its headings. */
import { Big } from "big.js";
import { type DecimalMark, decimalMarks, unambiguousText } from "../../values/amount-text";
import { removeWhitespace } from "../charset";
import { FormatError, looksLikeHint, quoteValue } from "../format-error";
import { isIban } from "../identifiers";
import type { TextSource } from "../text-lines";
import {
  amountFields,
  cellOf,
  isDebitMark,
  parseAmount,
  parseRowAmount,
  readCell,
  readRows,
} from "./bank-rows";
import { delimiters, parseBankRow, type RowText } from "./cells";
import { columnPosition } from "./columns";
import { currencyOfHeading, dropNeedless, matchHeadings, normaliseHeading } from "./headings";
import { type ColumnIndexes, csvLayouts, type CsvMap, type DateFormat, dateFormats, parseDay } from "./map";

/** How a file is read. */
export interface CsvPlan {
  /** The column map, complete, so that it can be kept for later files. */
  readonly map: CsvMap;
  /** Name of the layout that the headings have. */
  readonly layout?: string;
  /** True if the map was guessed from headings. */
  readonly isGuessed: boolean;
  /** Line of the last row before the entries; 0 if there is none. */
  readonly headingLine: number;
  /** Number of cells of a row. */
  readonly width: number;
  readonly indexes: ColumnIndexes;
  /** True if the newest entry is the first; undefined if both orders fit, with other balances. */
  readonly isDescending: boolean | undefined;
  /** Currency that the heading of the amount names. */
  readonly currency?: string;
}

const maxHeadingRows = 100;

interface Table {
  readonly delimiter: CsvMap["delimiter"];
  /** Number of rows before the first entry. */
  readonly rowCount: number;
  readonly headings: readonly string[];
  readonly indexes: ColumnIndexes;
}

type Columns = CsvMap["columns"];

const listOf = (column: Columns[string]) => [column ?? []].flat();

/** Returns the index of each column in a heading row; undefined if one is missing or there twice. */
function indexColumns(columns: Columns, headings: readonly string[]): ColumnIndexes | undefined {
  const names = headings.map(normaliseHeading);
  const indexes: Record<string, number[]> = {};
  for (const [field, column] of Object.entries(columns))
    indexes[field] = listOf(column).map((each) => {
      if (typeof each === "number") return each - 1;
      const name = normaliseHeading(each);
      return names.indexOf(name) === names.lastIndexOf(name) ? names.indexOf(name) : -1;
    });
  return Object.values(indexes).flat().includes(-1) ? undefined : indexes;
}

/** Finds the entries of a file by its map; undefined if no row has all headings. */
function findByMap(
  { delimiter, columns, header_rows = 1 }: CsvMap,
  rows: readonly RowText[],
): Table | undefined {
  const isNumbered = Object.values(columns).every((column) =>
    listOf(column).every((each) => typeof each === "number"),
  );
  if (isNumbered) {
    const indexes = indexColumns(columns, [])!;
    const first = rows[header_rows] && parseBankRow(rows[header_rows].text, delimiter);
    const isWide =
      first &&
      Object.values(indexes)
        .flat()
        .every((index) => index < first.length);
    return isWide ? { delimiter, rowCount: header_rows, headings: first.map(() => ""), indexes } : undefined;
  }
  for (const [index, { text }] of rows.entries()) {
    const headings = parseBankRow(text, delimiter);
    const indexes = headings && indexColumns(columns, headings);
    if (headings && indexes) return { delimiter, rowCount: index + 1, headings, indexes };
  }
  return undefined;
}

/**
 * Finds the row with most known headings, among those with a date and an amount. Throws a FormatError if rows before it have
 * headings of their own.
 */
function findByHeadings(rows: readonly RowText[]): Table | undefined {
  let best: { table: Table; score: number } | undefined;
  let firstCount: number | undefined;
  for (const [index, { text }] of rows.entries())
    for (const delimiter of delimiters) {
      const cells = parseBankRow(text, delimiter);
      if (!cells || cells.length < 2) continue;
      const next = rows[index + 1];
      const found = matchHeadings(cells, (next && parseBankRow(next.text, delimiter)) ?? []);
      const isTable = found.booking_date && (found.amount ?? (found.debit && found.credit));
      const score = isTable ? Object.keys(found).length : 0;
      if (isTable) firstCount ??= index + 1;
      if (score > (best?.score ?? 0))
        best = { table: { delimiter, rowCount: index + 1, headings: cells, indexes: found }, score };
    }
  if (best && best.table.rowCount > firstCount! + 1)
    throw new FormatError(
      "ambiguous",
      columnPosition("headings", rows[firstCount! - 1]!.line),
      "the file has two tables of entries; read one of them with a column map",
    );
  return best?.table;
}

/** Throws a FormatError if a field has several columns, and drops columns that a better one makes needless. */
function chooseColumns({ indexes, headings, ...table }: Table, line: number): Table {
  const chosen = dropNeedless(indexes);
  for (const [field, columns] of Object.entries(chosen))
    if (columns.length > 1 && field !== "remittance_information")
      throw new FormatError(
        "ambiguous",
        columnPosition(field, line),
        `the columns ${columns.map((index) => quoteValue(headings[index]!)).join(" and ")} can both be the ${field}; choose one in a column map`,
      );
  return { ...table, headings, indexes: chosen };
}

/** Adds up amounts from balance to balance, forwards and backwards, to learn the order of the entries. */
class Order {
  #previous: { balance: Big; amount: Big } | undefined;
  ascending = 0;
  descending = 0;

  add(balance: Big | undefined, amount: Big | undefined): void {
    const previous = this.#previous;
    this.#previous = balance && amount ? { balance, amount } : undefined;
    if (!previous || !balance || !amount) return;
    if (previous.balance.plus(amount).eq(balance)) this.ascending += 1;
    if (previous.balance.minus(previous.amount).eq(balance)) this.descending += 1;
  }

  restart(): void {
    this.#previous = undefined;
  }
}

/** What the cells of dates and amounts say about their format. */
class Evidence {
  readonly #dates: Set<DateFormat>;
  #exampleDate: string | undefined;
  readonly #decimals = new Set<DecimalMark>();
  #exampleAmount: string | undefined;
  #hasNegative = false;
  #hasUnsignedDebit = false;
  readonly #orders = { ".": new Order(), ",": new Order() };
  readonly #currencies = new Set<string>();
  #account: string | undefined;
  #days: { first: string; last: string } | undefined;

  constructor(
    readonly table: Table,
    readonly given: CsvMap | undefined,
  ) {
    this.#dates = new Set(given ? [given.date] : dateFormats);
  }

  add(cells: readonly string[], line: number): void {
    const { indexes } = this.table;
    const day = cellOf(cells, indexes, "booking_date");
    for (const text of [day, cellOf(cells, indexes, "value_date")]) this.#addDate(text);
    if (day !== "") this.#days = { first: this.#days?.first ?? day, last: day };
    for (const field of amountFields) this.#addAmount(cellOf(cells, indexes, field));
    this.#addSign(cells);
    const account = cellOf(cells, indexes, "account_number") + cellOf(cells, indexes, "currency");
    for (const mark of decimalMarks) {
      const order = this.#orders[mark];
      if (account !== this.#account) order.restart();
      order.add(...this.#readAmounts(cells, mark, line));
    }
    this.#account = account;
  }

  #readAmounts(
    cells: readonly string[],
    mark: DecimalMark,
    line: number,
  ): [Big | undefined, Big | undefined] {
    const { indexes } = this.table;
    if (!indexes["balance"]) return [undefined, undefined];
    try {
      const balance = parseAmount(cells, indexes, "balance", mark, line);
      return [balance, parseRowAmount(cells, indexes, mark, this.given?.marks, line)];
    } catch {
      // The reader reports what it cannot read.
      return [undefined, undefined];
    }
  }

  #addSign(cells: readonly string[]): void {
    const cell = cellOf(cells, this.table.indexes, "amount");
    const { readings } = readCell(cell);
    const amount = readings["."] ?? readings[","];
    if (!amount || amount.eq(0)) return;
    if (amount.lt(0)) this.#hasNegative = true;
    else if (isDebitMark(cellOf(cells, this.table.indexes, "mark"), undefined)) this.#hasUnsignedDebit = true;
  }

  #addDate(text: string): void {
    const fitting = dateFormats.filter((format) => parseDay(text, format) !== undefined);
    if (fitting.length === 0) return;
    for (const format of this.#dates) if (!fitting.includes(format)) this.#dates.delete(format);
    if (new Set(fitting.map((format) => parseDay(text, format))).size > 1) this.#exampleDate ??= text;
  }

  #addAmount(cell: string): void {
    if (cell === "") return;
    const { readings, currency } = readCell(cell);
    if (currency) this.#currencies.add(currency);
    const [point, comma] = [readings["."], readings[","]];
    if (point && comma) {
      if (!point.eq(comma)) this.#exampleAmount ??= cell;
    } else if (point ?? comma) this.#decimals.add(point ? "." : ",");
  }

  get dateFormat(): DateFormat {
    const [first, ...others] = this.#dates;
    const position = columnPosition("booking_date");
    if (first === undefined)
      throw new FormatError("invalid", position, "the dates do not have one format that is known");
    const choices = [first, ...others].map(
      (format) => `${this.#exampleDate && parseDay(this.#exampleDate, format)} (${format})`,
    );
    if (others.length > 0 && this.#exampleDate !== undefined)
      throw new FormatError(
        "ambiguous",
        position,
        `${quoteValue(this.#exampleDate)} can be ${choices.join(" or ")}; choose in a column map`,
      );
    return first;
  }

  get decimal(): DecimalMark {
    if (this.given) return this.given.decimal;
    const [first, second] = this.#decimals;
    const example = this.#exampleAmount;
    if (second !== undefined)
      throw new FormatError("invalid", columnPosition("amount"), "the amounts have different decimal marks");
    if (first === undefined && example !== undefined) {
      const choices = decimalMarks.map(
        (mark) => `${unambiguousText(readCell(example).readings[mark]!)} (decimal "${mark}")`,
      );
      throw new FormatError(
        "ambiguous",
        columnPosition("amount"),
        `${quoteValue(example)} can be ${choices.join(" or ")}; choose in a column map`,
      );
    }
    return first ?? ".";
  }

  /** The only currency that amounts name. */
  get currency(): string | undefined {
    return this.#currencies.size === 1 ? [...this.#currencies][0] : undefined;
  }

  /** True if the amounts have a sign of their own, so that a mark only repeats it. Throws a FormatError if nothing tells their direction. */
  get isSigned(): boolean {
    const { indexes } = this.table;
    const fail = (message: string): never => {
      throw new FormatError("ambiguous", columnPosition("amount"), message);
    };
    if (this.#hasNegative && this.#hasUnsignedDebit)
      fail("some amounts have a minus, and others only a mark for debit; choose in a column map");
    if (indexes["amount"] && !indexes["mark"] && !this.#hasNegative)
      fail("no amount has a minus, and no known column tells debit from credit; name it in a column map");
    return this.#hasNegative;
  }

  get isDescending(): boolean | undefined {
    const { ascending, descending } = this.#orders[this.decimal];
    if (ascending !== descending) return descending > ascending;
    const { first = "", last = "" } = this.#days ?? {};
    const [firstDay = "", lastDay = ""] = [first, last].map((day) => parseDay(day, this.dateFormat));
    return firstDay === lastDay && ascending > 0 ? undefined : firstDay > lastDay;
  }
}

/** Returns the only IBAN before the entries. */
function findAccount(rows: readonly RowText[], delimiter: string): string | undefined {
  const cells = rows.flatMap(({ text }) => parseBankRow(text, delimiter) ?? []);
  const found = new Set(cells.map(removeWhitespace).filter(isIban));
  return found.size === 1 ? [...found][0] : undefined;
}

/** Returns the map with headings, so that it reads other files of the same layout. */
function toMap(table: Table, evidence: Evidence, account?: string, currency?: string): CsvMap {
  const columns = Object.fromEntries(
    Object.entries(table.indexes).map(([field, indexes]) => {
      const names = indexes.map((index) => table.headings[index]!.trim());
      return [field, names.length > 1 ? names : names[0]!];
    }),
  ) as Columns;
  return {
    delimiter: table.delimiter,
    decimal: evidence.decimal,
    date: evidence.dateFormat,
    columns,
    ...(account !== undefined && { account }),
    ...(currency !== undefined && { currency }),
  };
}

/** Adds the balance column, which only some files of a layout have. */
function withBalance(table: Table, map: CsvMap): { table: Table; given: CsvMap } {
  const [balance, ...others] = matchHeadings(table.headings).balance ?? [];
  if (map.columns["balance"] !== undefined || balance === undefined || others.length > 0)
    return { table, given: map };
  return {
    table: { ...table, indexes: { ...table.indexes, balance: [balance] } },
    given: { ...map, columns: { ...map.columns, balance: table.headings[balance]!.trim() } },
  };
}

interface FoundTable {
  readonly table: Table;
  readonly layout?: string;
  readonly given?: CsvMap;
}

/** Finds the entries by the given map, by a known layout, or by headings. */
function findTable(rows: readonly RowText[], given: CsvMap | undefined): FoundTable {
  const position = columnPosition("headings", rows[0]?.line);
  if (given) {
    const table = findByMap(given, rows);
    if (table) return { table, given };
    throw new FormatError("unrecognised", position, "no row has all columns of the column map once");
  }
  for (const [layout, map] of Object.entries(csvLayouts)) {
    const table = findByMap(map, rows);
    const first = table && rows[table.rowCount] && parseBankRow(rows[table.rowCount]!.text, table.delimiter);
    if (first && parseDay(cellOf(first, table.indexes, "booking_date"), map.date))
      return { ...withBalance(table, map), layout };
  }
  const table = findByHeadings(rows);
  if (table) return { table: chooseColumns(table, rows[table.rowCount - 1]!.line) };
  throw new FormatError(
    "unrecognised",
    position,
    `no row has headings of a date and an amount; name the columns in a column map${looksLikeHint(rows[0]?.text ?? "")}`,
  );
}

/**
 * Reads a bank's CSV once to find its entries, and without a map also its columns and formats. Throws a FormatError
 * `ambiguous`, with the choices, if a date or an amount has two meanings and nothing in the file tells which is right.
 */
export async function planCsv(source: TextSource, map?: CsvMap): Promise<CsvPlan> {
  const rows = readRows(source);
  try {
    return await planRows(rows, map);
  } finally {
    // A file that is not read to its end is closed as well.
    await rows.return();
  }
}

async function planRows(
  rows: AsyncGenerator<RowText, void, void>,
  map: CsvMap | undefined,
): Promise<CsvPlan> {
  const beginning: RowText[] = [];
  for (let next = await rows.next(); !next.done; next = await rows.next())
    if (beginning.push(next.value) === maxHeadingRows) break;
  const { table, layout, given } = findTable(beginning, map);
  const { delimiter, rowCount, headings, indexes } = table;
  const evidence = new Evidence(table, given);
  const add = ({ text, line }: RowText) => {
    const cells = parseBankRow(text, delimiter);
    if (cells) evidence.add(cells, line);
  };
  for (const row of beginning.slice(rowCount)) add(row);
  for await (const row of rows) add(row);
  const kept = given || !evidence.isSigned ? indexes : withoutMark(indexes);
  const amountColumn = (indexes["amount"] ?? indexes["debit"] ?? indexes["credit"])![0]!;
  const before = beginning.slice(0, rowCount);
  const ownAccount = findAccount(before, delimiter);
  const headingCurrency = currencyOfHeading(headings[amountColumn]!);
  assertSame("account_number", ownAccount, given?.account);
  assertSame("currency", headingCurrency, given?.currency);
  const account = kept["account_number"] ? undefined : (given?.account ?? ownAccount);
  const currency = kept["currency"] ? undefined : (given?.currency ?? headingCurrency ?? evidence.currency);
  const found = given
    ? { ...given, ...(account && { account }), ...(currency && { currency }) }
    : toMap({ ...table, indexes: kept }, evidence, account, currency);
  assertNoEntry(before, found, kept);
  return {
    map: found,
    ...(layout !== undefined && { layout }),
    isGuessed: !given,
    headingLine: before.at(-1)?.line ?? 0,
    width: headings.length,
    indexes: kept,
    isDescending: evidence.isDescending,
    ...(headingCurrency !== undefined && { currency: headingCurrency }),
  };
}

/** Throws a FormatError if the file names something else than the column map. */
function assertSame(field: string, found: string | undefined, given: string | undefined): void {
  if (found !== undefined && given !== undefined && found !== removeWhitespace(given))
    throw new FormatError(
      "invalid",
      columnPosition(field),
      `the file names ${quoteValue(found)}, but the column map ${quoteValue(given)}`,
    );
}

/** Throws a FormatError if a row before the first entry is an entry as well. */
function assertNoEntry(
  rows: readonly RowText[],
  { delimiter, decimal, date }: CsvMap,
  indexes: ColumnIndexes,
) {
  for (const { text, line } of rows) {
    const cells = parseBankRow(text, delimiter);
    const amounts = amountFields.filter(
      (field) => readCell(cellOf(cells ?? [], indexes, field)).readings[decimal],
    );
    if (cells && parseDay(cellOf(cells, indexes, "booking_date"), date) && amounts.length > 0)
      throw new FormatError(
        "misplaced",
        columnPosition("row", line),
        "an entry stands before the headings, or within header_rows",
      );
  }
}

function withoutMark(indexes: ColumnIndexes): ColumnIndexes {
  const { mark: _, ...others } = indexes;
  return others;
}
