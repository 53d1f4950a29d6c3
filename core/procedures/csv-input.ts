/** Parser of CSV input: a header row, columns in any order, separated by commas, semicolons or tabs. */
import { Big } from "big.js";
import type { z } from "zod";
import { invalidInputError } from "../call/call-errors";
import type { Violation, InvalidInput } from "../spec/errors";
import { formatAmount } from "../files/amount";
import { parseRow, hasOpenQuote, unescapeFormula } from "../files/csv/cells";
import { suggestions } from "../values/suggestions";
import { minorUnits, isDay } from "../values/values";

/** A column with its accepted names in lower case. */
export interface Column {
  readonly names: readonly string[];
  readonly required?: boolean;
}

/** The decimal mark of a column, if it can be determined. */
type DecimalMark = "." | ",";

type Cells<C extends string = string> = Readonly<Partial<Record<C, string>>>;

/** Decimal marks of a column; undefined unless all unambiguous cells agree. */
interface Marks {
  readonly decimal: DecimalMark | undefined;
  /** Mark for cells such as 250.000 in currencies with three decimals. */
  readonly thousandth: DecimalMark | undefined;
}

/** A row: its cells by column, and the number of its first line. */
export interface CsvRow<C extends string = string> {
  readonly line: number;
  readonly cells: Cells<C>;
  readonly marks: Readonly<Partial<Record<C, Marks>>>;
}

/** A problem in the CSV text, with line and column if known. */
class UnreadableCsv extends Error {
  constructor(problem: string, line?: number, column?: string) {
    const place =
      line === undefined ? "" : `line ${line}${column === undefined ? "" : `, column ${column}`}: `;
    super(place + problem);
  }
}

const maxRows = 10_000;
const maxViolations = 20;
const separators = [";", ",", "\t"];

interface Line {
  readonly text: string;
  readonly line: number;
}

/** Splits the text into rows. Quoted cells may span several lines. */
function splitRows(text: string): Line[] {
  const rows: Line[] = [];
  let openRow: Line | undefined;
  for (const [index, each] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    const isOpen = hasOpenQuote(each) !== (openRow !== undefined);
    const row: Line = openRow
      ? { ...openRow, text: `${openRow.text}\n${each}` }
      : { text: each, line: index + 1 };
    openRow = isOpen ? row : undefined;
    if (!openRow && row.text.trim() !== "") rows.push(row);
  }
  if (openRow) throw new UnreadableCsv("unclosed quote", openRow.line);
  return rows;
}

function splitCells({ text, line }: Line, separator: string): string[] {
  const cells = parseRow(text, separator);
  if (!cells) throw new UnreadableCsv("unexpected quote", line);
  return cells.map((cell) => unescapeFormula(cell.trim()));
}

/** Returns the error for unreadable input. It is thrown before the first call. */
const inputError = (operation: string, all: readonly Violation[]): InvalidInput =>
  invalidInputError({ name: operation }, all.slice(0, maxViolations));

/** Normalises case and word separators of header names. */
const normalizeHeader = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_.-]+/g, " ")
    .trim();

/** Returns the column of each header cell; undefined for unknown ones, which are ignored. */
function matchColumns<C extends string>(
  cells: readonly string[],
  columns: Readonly<Record<C, Column>>,
): (C | undefined)[] {
  const names = Object.keys(columns) as C[];
  return cells.map((cell) => names.find((name) => columns[name].names.includes(normalizeHeader(cell))));
}

/** Detects the separator by the number of known columns in the header. */
function parseHeader<C extends string>(header: Line, columns: Readonly<Record<C, Column>>) {
  const countKnown = (separator: string) =>
    matchColumns(parseRow(header.text, separator) ?? [], columns).filter((name) => name !== undefined).length;
  const separator = separators.toSorted((one, other) => countKnown(other) - countKnown(one))[0]!;
  const found = matchColumns(splitCells(header, separator), columns);
  const duplicate = found.find((name, index) => name !== undefined && found.indexOf(name) !== index);
  if (duplicate !== undefined) throw new UnreadableCsv(`duplicate column ${duplicate}`, header.line);
  const missing = (Object.keys(columns) as C[]).filter(
    (name) => columns[name].required && !found.includes(name),
  );
  if (missing.length > 0)
    throw new UnreadableCsv(
      `the header has no column ${missing.join(" or ")}; allowed columns: ${Object.keys(columns).join(", ")}`,
      header.line,
    );
  return { separator, found };
}

/** True for digits in groups of three, with one to three in front. */
const isGrouped = (text: string, mark: string) => new RegExp(`^\\d{1,3}(\\${mark}\\d{3})+$`).test(text);

/** Splits an amount. Returns undefined if it is invalid, "either" if its only mark may be decimal or thousands. */
function splitAmount(
  text: string,
): { whole: string; decimals: string; mark?: DecimalMark } | "either" | undefined {
  const marks = text.replace(/[^.,]/g, "");
  if (marks === "") return { whole: text, decimals: "" };
  const last = marks.at(-1) as DecimalMark;
  const other = last === "." ? "," : ".";
  const at = text.lastIndexOf(last);
  const [whole, decimals] = [text.slice(0, at), text.slice(at + 1)];
  if (marks.length === 1) {
    if (whole === "" || decimals === "") return undefined;
    if (isGrouped(text, last) && !whole.startsWith("0")) return "either";
    return { whole, decimals, mark: last };
  }
  if (!marks.includes(other))
    return isGrouped(text, last)
      ? { whole: text.replaceAll(last, ""), decimals: "", mark: other }
      : undefined;
  if (marks.indexOf(last) !== marks.length - 1 || !isGrouped(whole, other) || decimals === "")
    return undefined;
  return { whole: whole.replaceAll(other, ""), decimals, mark: last };
}

/** Normalises the minus sign and removes thousands separators other than dot and comma. */
const normalizeAmountText = (cell: string): string =>
  cell.replace(/^[\u2212\u2013]/, "-").replace(/(?<=\d)[\s\u00A0\u202F'\u2019](?=\d{3}(\D|$))/g, "");

const splitSign = (cell: string): { readonly sign: string; readonly digits: string } | undefined => {
  const [, sign, digits] = /^([+-]?)\s*(\d[\d.,]*)$/.exec(normalizeAmountText(cell)) ?? [];
  return digits === undefined ? undefined : { sign: sign === "-" ? "-" : "", digits };
};

/** Detects the decimal mark of a column from its unambiguous cells. */
function detectMarks(rows: readonly { readonly cells: Cells }[], column: string): Marks {
  const [certain, thousandths] = [new Set<DecimalMark>(), new Set<DecimalMark>()];
  for (const { cells } of rows) {
    const digits = splitSign(cells[column] ?? "")?.digits ?? "0";
    const parts = splitAmount(digits);
    if (typeof parts === "object" && parts.mark) certain.add(parts.mark);
    if (parts === "either" && minorUnits((cells.currency ?? "").toUpperCase()) === 3)
      thousandths.add(digits.includes(".") ? "." : ",");
  }
  const singleMark = (marks: ReadonlySet<DecimalMark>) => (marks.size === 1 ? [...marks][0] : undefined);
  return { decimal: singleMark(certain), thousandth: singleMark(certain.size === 0 ? thousandths : certain) };
}

const fitsDecimals = (amount: Big, units: number): boolean => amount.eq(amount.round(units, Big.roundDown));

/** Formats an amount with a fourth decimal where three could be read as thousands. */
const unambiguousText = (amount: Big): string => amount.toFixed().replace(/\.\d{3}$/, "$&0");

/** Parses the amount in a cell. Returns decimal text with the decimals of its currency. */
export function parseAmount<C extends string>(
  { line, cells, marks }: CsvRow<C>,
  column: C,
  currency: string,
): string {
  const cell = cells[column] ?? "";
  const given = splitSign(cell);
  const parts = given && splitAmount(given.digits);
  if (!given || !parts) throw new UnreadableCsv(`"${cell}" is not an amount such as 1234.50`, line, column);
  const { sign, digits } = given;
  const decimals = minorUnits(currency);
  const amountOf = (text: string) => new Big(sign + text);
  const chooseReading = (decimal: Big, grouped: Big): Big => {
    const mark = marks[column]?.[decimals === 3 ? "thousandth" : "decimal"];
    const isDecimal = mark !== undefined && digits.includes(mark);
    if (decimals === 0 ? !isDecimal : mark !== undefined) return isDecimal ? decimal : grouped;
    const readings = [grouped, decimal].filter((each) => fitsDecimals(each, decimals)).map(unambiguousText);
    throw new UnreadableCsv(`"${cell}" is ambiguous: write ${readings.join(" or ")}`, line, column);
  };
  const amount =
    parts === "either"
      ? chooseReading(amountOf(digits.replace(",", ".")), amountOf(digits.replace(/[.,]/g, "")))
      : amountOf(`${parts.whole}.${parts.decimals || "0"}`);
  if (!fitsDecimals(amount, decimals))
    throw new UnreadableCsv(`"${cell}" has more than the ${decimals} decimals of ${currency}`, line, column);
  return formatAmount(amount, currency);
}

export function parseCurrency<C extends string>({ line, cells }: CsvRow<C>, column: C): string {
  const code = (cells[column] ?? "").toUpperCase();
  if (!/^[A-Z]{3}$/.test(code))
    throw new UnreadableCsv(`"${cells[column] ?? ""}" is not a currency such as EUR`, line, column);
  return code;
}

/** Parses a day, YYYY-MM-DD or DD.MM.YYYY, and returns YYYY-MM-DD. */
export function parseDay<C extends string>({ line, cells }: CsvRow<C>, column: C): string {
  const cell = cells[column] ?? "";
  const day = cell.replace(
    /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/,
    (_, date: string, month: string, year: string) =>
      [year, month.padStart(2, "0"), date.padStart(2, "0")].join("-"),
  );
  if (!isDay(day)) throw new UnreadableCsv(`"${cell}" is not a day as YYYY-MM-DD`, line, column);
  return day;
}

/** Returns the error that a `read` callback of `parseCsvRows` throws for an invalid cell. */
export const invalidCell = <C extends string>(
  { line, cells }: CsvRow<C>,
  column: C,
  message: string,
): Error => new UnreadableCsv(`"${cells[column] ?? ""}" ${message}`, line, column);

function parseTable<C extends string>(text: string, columns: Readonly<Record<C, Column>>): CsvRow<C>[] {
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
    const named = found.flatMap((name, index) =>
      name === undefined ? [] : [[name, cells[index]!] as const],
    );
    return { line: line.line, cells: Object.fromEntries(named) as Cells<C> };
  });
  const columnNames = found.filter((name) => name !== undefined);
  const marks = Object.fromEntries(columnNames.map((name) => [name, detectMarks(rows, name)])) as Record<
    C,
    Marks
  >;
  return rows.map((row) => ({ ...row, marks }));
}

/** Reads all rows and collects all problems, so that people can fix them at once. */
function readRows<C extends string, T>(
  rows: readonly CsvRow<C>[],
  read: (row: CsvRow<C>) => T,
): { readonly values: T[]; readonly problems: string[] } {
  const [values, problems] = [[] as T[], [] as string[]];
  for (const row of rows) {
    try {
      values.push(read(row));
    } catch (error) {
      if (!(error instanceof UnreadableCsv)) throw error;
      problems.push(error.message);
    }
  }
  return { values, problems };
}

/** Parses CSV text. Throws InvalidInput with line and column of each problem, before any call is made. */
export function parseCsvRows<C extends string, T>(
  operation: string,
  field: string,
  text: string,
  columns: Readonly<Record<C, Column>>,
  read: (row: CsvRow<C>) => T,
): T[] {
  const throwInputError = (problems: readonly string[]): never => {
    throw inputError(
      operation,
      problems.map((message) => ({ field, message })),
    );
  };
  try {
    const { values, problems } = readRows(parseTable(text, columns), read);
    return problems.length > 0 ? throwInputError(problems) : values;
  } catch (error) {
    if (error instanceof UnreadableCsv) return throwInputError([error.message]);
    throw error;
  }
}

const unknownFieldMessage = (name: string, columns: Readonly<Record<string, Column>>): string => {
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
  columns: Readonly<Record<keyof T & string, Column>>,
  schema: z.ZodObject,
): T[] {
  const violations: Violation[] = [];
  const normalized = entries.map((entry, index) => {
    const values: Record<string, unknown> = {};
    const given = Object.entries(entry).filter(([, value]) => value !== undefined && value !== null);
    for (const [key, value] of given.toSorted(
      ([one], [other]) => Number(Object.hasOwn(columns, other)) - Number(Object.hasOwn(columns, one)),
    )) {
      const addViolation = (message: string) =>
        violations.push({ field: `${field}.${index}.${key}`, message });
      const [name] = Object.hasOwn(columns, key) ? [key] : matchColumns([key], columns);
      const checked = name === undefined ? undefined : (schema.shape[name] as z.ZodType).safeParse(value);
      if (name === undefined) addViolation(unknownFieldMessage(key, columns));
      else if (name in values) addViolation(`is another name of ${name}, which is also given`);
      else if (typeof value !== "string") addViolation(`must be text, not ${JSON.stringify(value)}`);
      else if (checked?.error) addViolation(checked.error.issues[0]!.message);
      else values[name] = value;
    }
    return values as T;
  });
  if (violations.length > 0) throw inputError(operation, violations);
  return normalized;
}
