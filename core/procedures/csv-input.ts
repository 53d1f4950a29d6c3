/** Parser of CSV input: a header row, columns in any order, separated by commas, semicolons or tabs. */
import { Big } from "big.js";
import type { z } from "zod";
import { invalidInputError } from "../call/call-errors";
import { formatAmount } from "../files/amount";
import { parseRow, type RowText, RowJoiner, unescapeFormula } from "../files/csv/cells";
import { withoutUndefined } from "../files/statement";
import type { Violation } from "../spec/errors";
import {
  type AmountReadings,
  type DecimalMark,
  decimalMarks,
  otherMark,
  readingsOf,
  unambiguousText,
} from "../values/amount-text";
import type { MatchedHeading } from "../values/kind";
import { suggestions } from "../values/suggestions";
import { minorUnits, isDay } from "../values/values";

/** A column with its accepted names in lower case. */
export interface Column {
  readonly names: readonly string[];
  readonly required?: boolean;
}

type Columns<C extends string> = Readonly<Record<C, Column>>;

/** Decimal marks of a column; undefined unless all unambiguous cells agree. */
interface Marks {
  readonly decimal: DecimalMark | undefined;
  /** Mark for cells such as 250.000 in currencies with three decimals. */
  readonly thousandth: DecimalMark | undefined;
}

/** A problem in the CSV text, with line and column if known. */
class UnreadableCsv extends Error {
  constructor(problem: string, line?: number, column?: string) {
    const place = [line && `line ${line}`, column && `column ${column}`].filter(Boolean).join(", ");
    super(place === "" ? problem : `${place}: ${problem}`);
  }
}

const maxRows = 10_000;
const maxViolations = 20;
const separators = [";", ",", "\t"];

/** Returns the only mark in a cell that may be decimal or thousands, or undefined. */
const ambiguousMark = (cell: string, readings: AmountReadings): DecimalMark | undefined =>
  readings["."] && readings[","] && decimalMarks.find((mark) => cell.includes(mark));

const fitsDecimals = (amount: Big, units: number): boolean => amount.eq(amount.round(units, Big.roundDown));

/** A row: its cells by column, and the number of its first line. */
class CsvRow<C extends string = string> {
  constructor(
    readonly line: number,
    readonly cells: Readonly<Partial<Record<C, string>>>,
    private readonly columnMarks: ReadonlyMap<string, Marks>,
  ) {}

  cell(column: C): string {
    return this.cells[column] ?? "";
  }

  /** Throws the error for an invalid cell. */
  fail(column: C, problem: string): never {
    throw new UnreadableCsv(`"${this.cell(column)}" ${problem}`, this.line, column);
  }

  /** Parses an amount. Returns decimal text with the decimals of its currency. */
  amount(column: C, currency: string): string {
    const cell = this.cell(column);
    const readings = readingsOf(cell);
    const decimals = minorUnits(currency);
    const mark = ambiguousMark(cell, readings);
    const amount = mark
      ? this.#chooseReading(column, readings, mark, decimals)
      : (readings["."] ?? readings[","]);
    if (!amount) return this.fail(column, "is not an amount such as 1234.50");
    if (!fitsDecimals(amount, decimals))
      this.fail(column, `has more than the ${decimals} decimals of ${currency}`);
    return formatAmount(amount, currency);
  }

  /** Reads an ambiguous amount as the other cells of the column. Without decimals, its mark separates thousands. */
  #chooseReading(column: C, readings: AmountReadings, own: DecimalMark, decimals: number): Big {
    const [grouped, decimal] = [readings[otherMark[own]]!, readings[own]!];
    const mark = this.columnMarks.get(column)?.[decimals === 3 ? "thousandth" : "decimal"];
    if (decimals === 0 ? mark !== own : mark !== undefined) return mark === own ? decimal : grouped;
    const texts = [grouped, decimal].filter((each) => fitsDecimals(each, decimals)).map(unambiguousText);
    return this.fail(column, `is ambiguous: write ${texts.join(" or ")}`);
  }

  currency(column: C): string {
    const code = this.cell(column).toUpperCase();
    return /^[A-Z]{3}$/.test(code) ? code : this.fail(column, "is not a currency such as EUR");
  }

  /** Parses a day, YYYY-MM-DD or DD.MM.YYYY, and returns YYYY-MM-DD. */
  day(column: C): string {
    const [, date, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(this.cell(column)) ?? [];
    const day = year ? [year, month!.padStart(2, "0"), date!.padStart(2, "0")].join("-") : this.cell(column);
    return isDay(day) ? day : this.fail(column, "is not a day as YYYY-MM-DD");
  }
}

/** Splits the text into rows. Quoted cells may span several lines. */
function splitRows(text: string): RowText[] {
  const joiner = new RowJoiner();
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const rows = lines.flatMap(
    (line, index) => joiner.add({ number: index + 1, text: line, ending: "\n" }) ?? [],
  );
  if (joiner.open) throw new UnreadableCsv("unclosed quote", joiner.open.line);
  return rows.filter((row) => row.text.trim() !== "");
}

function splitCells({ text, line }: RowText, separator: string): string[] {
  const cells = parseRow(text, separator);
  if (!cells) throw new UnreadableCsv("unexpected quote", line);
  return cells.map((cell) => unescapeFormula(cell.trim()));
}

/** Returns the column of each header cell, whatever its case and word separators; undefined for unknown ones. */
function matchColumns<C extends string>(cells: readonly string[], columns: Columns<C>): (C | undefined)[] {
  const names = Object.keys(columns) as C[];
  return cells.map((cell) => {
    const words = cell
      .toLowerCase()
      .replace(/[\s_.-]+/g, " ")
      .trim();
    return names.find((name) => columns[name].names.includes(words));
  });
}

/** Detects the separator by the number of known columns in the header. */
function detectSeparator<C extends string>(header: string, columns: Columns<C>): string {
  const countKnown = (separator: string) =>
    matchColumns(parseRow(header, separator) ?? [], columns).filter((name) => name !== undefined).length;
  return separators.toSorted((one, other) => countKnown(other) - countKnown(one))[0]!;
}

/** Returns a function that says which column each heading of a header row is taken for. */
export const headingMatcher =
  <C extends string>(columns: Columns<C>) =>
  (header: string): readonly MatchedHeading[] => {
    const cells = parseRow(header, detectSeparator(header, columns)) ?? [];
    const found = matchColumns(cells, columns);
    return cells.map((heading, index) => {
      const column = found[index];
      // The reader refuses a second column of the same name.
      const isFirst = found.indexOf(column) === index;
      return withoutUndefined({ heading: heading.trim(), column: isFirst ? column : undefined });
    });
  };

function parseHeader<C extends string>(header: RowText, columns: Columns<C>) {
  const separator = detectSeparator(header.text, columns);
  const found = matchColumns(splitCells(header, separator), columns);
  const duplicate = found.find((name, index) => name !== undefined && found.indexOf(name) !== index);
  if (duplicate !== undefined) throw new UnreadableCsv(`duplicate column ${duplicate}`, header.line);
  const names = Object.keys(columns) as C[];
  const missing = names.filter((name) => columns[name].required && !found.includes(name));
  if (missing.length > 0)
    throw new UnreadableCsv(
      `the header lacks the ${missing.length > 1 ? "columns" : "column"} ${new Intl.ListFormat("en-GB").format(missing)}; allowed columns: ${names.join(", ")}`,
      header.line,
    );
  return { separator, found };
}

type Cells<C extends string> = CsvRow<C>["cells"];

/** Detects the decimal mark of a column from its unambiguous cells. */
function detectMarks<C extends string>(rows: readonly Cells<C>[], column: C): Marks {
  const [certain, thousandths] = [new Set<DecimalMark>(), new Set<DecimalMark>()];
  for (const cells of rows) {
    const cell = cells[column] ?? "";
    const readings = readingsOf(cell);
    const ambiguous = ambiguousMark(cell, readings);
    const [only, ...others] = decimalMarks.filter((mark) => readings[mark]);
    if (only && others.length === 0) certain.add(only);
    const { currency = "" } = cells as Cells<string>;
    if (ambiguous && minorUnits(currency.toUpperCase()) === 3) thousandths.add(ambiguous);
  }
  const single = (found: ReadonlySet<DecimalMark>) => (found.size === 1 ? [...found][0] : undefined);
  return { decimal: single(certain), thousandth: single(certain.size === 0 ? thousandths : certain) };
}

function parseTable<C extends string>(text: string, columns: Columns<C>): CsvRow<C>[] {
  const [header, ...lines] = splitRows(text);
  if (!header) throw new UnreadableCsv("is empty: it must start with a header row");
  if (lines.length > maxRows)
    throw new UnreadableCsv(`has ${lines.length} rows, but at most ${maxRows} are allowed`);
  const { separator, found } = parseHeader(header, columns);
  const rows = lines.map((line) => {
    const cells = splitCells(line, separator);
    if (cells.length !== found.length)
      throw new UnreadableCsv(
        `has ${cells.length} cells, but the header has ${found.length}: ` +
          `put quotes around cells that contain "${separator}"`,
        line.line,
      );
    const named = found.map((name, index) => [name, cells[index]!] as const).filter(([name]) => name);
    return Object.fromEntries(named) as Cells<C>;
  });
  const known = found.filter((name) => name !== undefined);
  const columnMarks = new Map(known.map((name) => [name, detectMarks(rows, name)]));
  return rows.map((cells, index) => new CsvRow(lines[index]!.line, cells, columnMarks));
}

/** Returns the values of all rows, and the problems of those that cannot be read. */
function readRows<R, T>(rows: () => readonly R[], read: (row: R) => T): { values: T[]; problems: string[] } {
  const [values, problems] = [[] as T[], [] as string[]];
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof UnreadableCsv)) throw error;
      problems.push(error.message);
    }
  };
  attempt(() => {
    for (const row of rows()) attempt(() => values.push(read(row)));
  });
  return { values, problems };
}

/** Throws InvalidInput for unreadable input, before any call is made. */
function assertNone(operation: string, violations: readonly Violation[]): void {
  if (violations.length > 0) throw invalidInputError({ name: operation }, violations.slice(0, maxViolations));
}

/**
 * Parses CSV text. Throws InvalidInput with line and column of each problem, so that people can fix all at once. `read`
 * may call `fail` of its row.
 */
export function parseCsvRows<C extends string, T>(
  operation: string,
  field: string,
  text: string,
  columns: Columns<C>,
  read: (row: CsvRow<C>) => T,
): T[] {
  const { values, problems } = readRows(() => parseTable(text, columns), read);
  assertNone(
    operation,
    problems.map((message) => ({ field, message })),
  );
  return values;
}

const unknownFieldMessage = (name: string, columns: Columns<string>): string => {
  const names = Object.keys(columns);
  const [near] = suggestions(name, [...names, ...Object.values(columns).flatMap((column) => column.names)]);
  return `is not a known field; ${near === undefined ? `the fields are ${names.join(", ")}` : `did you mean ${near}?`}`;
};

/**
 * Renames the fields of entries from column names to field names. Throws InvalidInput for unknown fields, because
 * ignoring them would hide mistakes.
 */
export function normalizeEntries<T extends object>(
  operation: string,
  field: string,
  entries: readonly T[],
  columns: Columns<keyof T & string>,
  schema: z.ZodObject,
): T[] {
  const violations: Violation[] = [];
  const normalized = entries.map((entry, index) => {
    const values: Record<string, unknown> = {};
    const given = Object.entries(entry).filter(([, value]) => value !== undefined && value !== null);
    const isField = (key: string) => Number(Object.hasOwn(columns, key));
    for (const [key, value] of given.toSorted(([one], [other]) => isField(other) - isField(one))) {
      const [name] = isField(key) ? [key] : matchColumns([key], columns);
      const checked = name === undefined ? undefined : (schema.shape[name] as z.ZodType).safeParse(value);
      const addViolation = (message: string) =>
        violations.push({ field: `${field}.${index}.${key}`, message });
      if (name === undefined) addViolation(unknownFieldMessage(key, columns));
      else if (name in values) addViolation(`is another name of ${name}, which is also given`);
      else if (typeof value !== "string") addViolation(`must be text, not ${JSON.stringify(value)}`);
      else if (checked?.error) addViolation(checked.error.issues[0]!.message);
      else values[name] = value;
    }
    return values as T;
  });
  assertNone(operation, violations);
  return normalized;
}
