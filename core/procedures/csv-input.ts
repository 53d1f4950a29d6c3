/** Lists that callers give as CSV: a header row, columns in any order, commas, semicolons or tabs between. */
import { Big } from "big.js";
import type { z } from "zod";
import { invalidInputError } from "../client/call-errors";
import type { Violation } from "../declaration/violation";
import type { InvalidInput } from "../errors";
import { parseRow, hasOpenQuote, unescapeFormula } from "../formats/csv/cells";
import { suggestions } from "../suggestions";
import { minorUnits } from "../schema/currency";
import { isDay } from "../schema/values";
import { formatDecimal } from "./decimal";

/** A column: the names it goes by, in small letters, and whether it must be there. */
export interface Column {
  readonly names: readonly string[];
  readonly required?: boolean;
}

/** How decimals are written in a column: with a dot or with a comma, as far as it shows. */
type DecimalMark = "." | ",";

type Cells<C extends string = string> = Readonly<Partial<Record<C, string>>>;

/** The mark of a column, where all cells that show it agree. */
interface Marks {
  readonly decimal: DecimalMark | undefined;
  /** Before three decimals, such as 250.000: what other cells show, and where none does these cells themselves. */
  readonly thousandth: DecimalMark | undefined;
}

/** A row of the list: its cells by column, and the line it begins on. */
export interface CsvRow<C extends string = string> {
  readonly line: number;
  readonly cells: Cells<C>;
  /** By column. */
  readonly marks: Readonly<Partial<Record<C, Marks>>>;
}

/** What is wrong with a list, with line and column where there is one. */
class UnreadableCsv extends Error {}

const unreadableCell = (line: number, column: string, message: string) =>
  new UnreadableCsv(`line ${line}, column ${column}: ${message}`);

const maxRows = 10_000;
const maxViolations = 20;
const separators = [";", ",", "\t"];

interface Line {
  readonly text: string;
  readonly line: number;
}

/** The rows as they are written; a quoted cell may go over several lines. */
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
  if (openRow) throw new UnreadableCsv(`line ${openRow.line}: a quote is never closed`);
  return rows;
}

function splitCells({ text, line }: Line, separator: string): string[] {
  const cells = parseRow(text, separator);
  if (!cells) throw new UnreadableCsv(`line ${line}: a quote stands where none may`);
  return cells.map((cell) => unescapeFormula(cell.trim()));
}

/** The error for a list of which something cannot be read; nothing is called then. */
const inputError = (operation: string, all: readonly Violation[]): InvalidInput =>
  invalidInputError({ name: operation }, all.slice(0, maxViolations));

/** Header names differ in capitals and in what joins their words. */
const normalizeHeader = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_.-]+/g, " ")
    .trim();

/** The column that each cell of the header is; undefined for those that nobody asked for. */
function matchColumns<C extends string>(
  cells: readonly string[],
  columns: Readonly<Record<C, Column>>,
): (C | undefined)[] {
  const names = Object.keys(columns) as C[];
  return cells.map((cell) => names.find((name) => columns[name].names.includes(normalizeHeader(cell))));
}

/** The separator that makes most known columns of the header. */
function parseHeader<C extends string>(header: Line, columns: Readonly<Record<C, Column>>) {
  const countKnown = (separator: string) =>
    matchColumns(parseRow(header.text, separator) ?? [], columns).filter((name) => name !== undefined).length;
  const separator = separators.toSorted((one, other) => countKnown(other) - countKnown(one))[0]!;
  const found = matchColumns(splitCells(header, separator), columns);
  const duplicate = found.find((name, index) => name !== undefined && found.indexOf(name) !== index);
  if (duplicate !== undefined) throw new UnreadableCsv(`line ${header.line}: two columns are ${duplicate}`);
  const missing = (Object.keys(columns) as C[]).filter(
    (name) => columns[name].required && !found.includes(name),
  );
  if (missing.length > 0)
    throw new UnreadableCsv(
      `line ${header.line}: the header has no column ${missing.join(" and none ")}; ` +
        `it may be: ${Object.keys(columns).join(", ")}`,
    );
  return { separator, found };
}

/** Digits in groups of three behind the first one to three. */
const isGrouped = (text: string, mark: string) => new RegExp(`^\\d{1,3}(\\${mark}\\d{3})+$`).test(text);

/** An amount taken apart: undefined for what is none, "either" where the one mark in it may be of both kinds. */
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

/** Without what parts thousands and says nothing else, with a plain minus. */
const normalizeAmountText = (cell: string): string =>
  cell.replace(/^[\u2212\u2013]/, "-").replace(/(?<=\d)[\s\u00A0\u202F'\u2019](?=\d{3}(\D|$))/g, "");

const splitSign = (cell: string): { readonly sign: string; readonly digits: string } | undefined => {
  const [, sign, digits] = /^([+-]?)\s*(\d[\d.,]*)$/.exec(normalizeAmountText(cell)) ?? [];
  return digits === undefined ? undefined : { sign: sign === "-" ? "-" : "", digits };
};

/** As those cells of a column show it that can be read in one way only. */
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

/** So that it can be read in one way only. */
const unambiguousText = (amount: Big): string => amount.toFixed().replace(/\.\d{3}$/, "$&0");

/** The amount in a cell as decimal text with the decimals of its currency. */
export function parseAmount<C extends string>(
  { line, cells, marks }: CsvRow<C>,
  column: C,
  currency: string,
): string {
  const cell = cells[column] ?? "";
  const given = splitSign(cell);
  const parts = given && splitAmount(given.digits);
  if (!given || !parts) throw unreadableCell(line, column, `"${cell}" is no amount such as 1234.50`);
  const { sign, digits } = given;
  const decimals = minorUnits(currency);
  const amountOf = (text: string) => new Big(sign + text);
  const chooseReading = (decimal: Big, grouped: Big): Big => {
    const mark = marks[column]?.[decimals === 3 ? "thousandth" : "decimal"];
    const isDecimal = mark !== undefined && digits.includes(mark);
    if (decimals === 0 ? !isDecimal : mark !== undefined) return isDecimal ? decimal : grouped;
    const readings = [grouped, decimal].filter((each) => fitsDecimals(each, decimals)).map(unambiguousText);
    throw unreadableCell(
      line,
      column,
      `"${cell}" can be read in two ways: write it as ${readings.join(" or ")}`,
    );
  };
  const amount =
    parts === "either"
      ? chooseReading(amountOf(digits.replace(",", ".")), amountOf(digits.replace(/[.,]/g, "")))
      : amountOf(`${parts.whole}.${parts.decimals || "0"}`);
  if (!fitsDecimals(amount, decimals))
    throw unreadableCell(line, column, `"${cell}" has more decimals than the ${decimals} of ${currency}`);
  return formatDecimal(amount, decimals);
}

export function parseCurrency<C extends string>({ line, cells }: CsvRow<C>, column: C): string {
  const code = (cells[column] ?? "").toUpperCase();
  if (!/^[A-Z]{3}$/.test(code))
    throw unreadableCell(line, column, `"${cells[column] ?? ""}" is no currency such as EUR`);
  return code;
}

/** A day as YYYY-MM-DD, also from DD.MM.YYYY. */
export function parseDay<C extends string>({ line, cells }: CsvRow<C>, column: C): string {
  const cell = cells[column] ?? "";
  const day = cell.replace(
    /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/,
    (_, date: string, month: string, year: string) =>
      [year, month.padStart(2, "0"), date.padStart(2, "0")].join("-"),
  );
  if (!isDay(day)) throw unreadableCell(line, column, `"${cell}" is no day as YYYY-MM-DD`);
  return day;
}

/** The error of a cell that a caller of `parseCsvRows` finds wrong. */
export const invalidCell = <C extends string>(
  { line, cells }: CsvRow<C>,
  column: C,
  message: string,
): Error => unreadableCell(line, column, `"${cells[column] ?? ""}" ${message}`);

function parseTable<C extends string>(text: string, columns: Readonly<Record<C, Column>>): CsvRow<C>[] {
  const [header, ...lines] = splitRows(text);
  if (!header) throw new UnreadableCsv("is empty: it begins with a header row");
  if (lines.length > maxRows)
    throw new UnreadableCsv(`has ${lines.length} rows: at most ${maxRows} are taken`);
  const { separator, found } = parseHeader(header, columns);
  const rows = lines.map((line) => {
    const cells = splitCells(line, separator);
    if (cells.length !== found.length)
      throw new UnreadableCsv(
        `line ${line.line}: has ${cells.length} cells, and the header ${found.length}: ` +
          `a cell with "${separator}" in it needs quotes round it`,
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

/** The values of all rows; collects what is wrong with each, so that a person mends it all at once. */
function readRows<C extends string, T>(
  rows: readonly CsvRow<C>[],
  read: (row: CsvRow<C>) => T,
): { readonly values: T[]; readonly flaws: string[] } {
  const [values, problems] = [[] as T[], [] as string[]];
  for (const row of rows) {
    try {
      values.push(read(row));
    } catch (error) {
      if (!(error instanceof UnreadableCsv)) throw error;
      problems.push(error.message);
    }
  }
  return { values, flaws: problems };
}

/**
 * What the rows of a CSV text hold. Throws InvalidInput, with line and column, for what cannot be read; nothing is called
 * then.
 */
export function parseCsvRows<C extends string, T>(
  operation: string,
  field: string,
  text: string,
  columns: Readonly<Record<C, Column>>,
  read: (row: CsvRow<C>) => T,
): T[] {
  const throwInputError = (flaws: readonly string[]): never => {
    throw inputError(
      operation,
      flaws.map((message) => ({ field, message })),
    );
  };
  try {
    const { values, flaws } = readRows(parseTable(text, columns), read);
    return flaws.length > 0 ? throwInputError(flaws) : values;
  } catch (error) {
    if (error instanceof UnreadableCsv) return throwInputError([error.message]);
    throw error;
  }
}

const unknownFieldMessage = (name: string, columns: Readonly<Record<string, Column>>): string => {
  const names = Object.keys(columns);
  const [near] = suggestions(name, [...names, ...Object.values(columns).flatMap((column) => column.names)]);
  return `is not a field here; ${near === undefined ? `it has ${names.join(", ")}` : `did you mean ${near}?`}`;
};

/**
 * Entries whose fields may go by the names of the columns, too. Throws InvalidInput for a field that is none of them: what
 * nobody reads would be missed by nobody.
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
      else if (name in values) addViolation(`is ${name}, which is given, too`);
      else if (typeof value !== "string") addViolation(`must be text, not ${JSON.stringify(value)}`);
      else if (checked?.error) addViolation(checked.error.issues[0]!.message);
      else values[name] = value;
    }
    return values as T;
  });
  if (violations.length > 0) throw inputError(operation, violations);
  return normalized;
}
