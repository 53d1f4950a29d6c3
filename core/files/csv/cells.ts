/** Cells and rows of CSV (RFC 4180): commas, quotes if needed, CRLF. */

import { removeControls } from "../charset";
import type { Line } from "../text-lines";

/** Delimiters of banks' CSV files. */
export const delimiters = [";", ",", "\t", "|"] as const;

/** Matches text that a spreadsheet runs as a formula, also after existing apostrophes so that unescaping is unambiguous. */
const formulaPattern = /^'*[=+\-@\t\r]/;

/** Prevents formula injection in spreadsheets: prefixes an apostrophe and removes control characters. */
export function escapeFormula(text: string): string {
  const clean = removeControls(text);
  return formulaPattern.test(clean) ? `'${clean}` : clean;
}

/** Removes the apostrophe that `escapeFormula` added. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formulaPattern.test(text) ? text.slice(1) : text;

const quoteCell = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const formatRow = (cells: readonly string[]): string => `${cells.map(quoteCell).join(",")}\r\n`;

/** A row as text, and its first line. */
export interface RowText {
  readonly text: string;
  readonly line: number;
}

/** True if a quoted cell is open at the end of a line. A quote within a cell that is not quoted opens nothing. */
function isQuoteOpen(line: string, wasOpen: boolean, separators: string): boolean {
  let isOpen = wasOpen;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1))
    if (!isOpen) isOpen = at === 0 || separators.includes(line[at - 1]!);
    else if (line[at + 1] === '"') at += 1;
    else isOpen = false;
  return isOpen;
}

/** Joins lines into rows: a quoted cell may span several lines. */
export class RowJoiner {
  /** Start of a row that continues on the next line, inside quotes. */
  open: RowText | undefined;

  constructor(readonly separators = ",;\t|") {}

  /** Returns the row that ends with this line; undefined if a quote is open. */
  add({ number, text, ending }: Line): RowText | undefined {
    const isOpen = isQuoteOpen(text, this.open !== undefined, this.separators);
    const { text: before = "", line = number } = this.open ?? {};
    this.open = isOpen ? { text: before + text + ending, line } : undefined;
    return isOpen ? undefined : { text: before + text, line };
  }
}

/** Returns the index of the quote that closes the cell; -1 if there is none. */
function findClosingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** Splits a row into cells; undefined if a quote is misplaced. Banks write quotes also within cells that are not quoted. */
export function parseRow(row: string, separator = ",", hasLiteralQuotes = false): string[] | undefined {
  const cells: string[] = [];
  let at = 0;
  while (at <= row.length) {
    const quoted = row[at] === '"';
    const close = quoted ? findClosingQuote(row, at) : -1;
    const next = row.indexOf(separator, quoted ? close : at);
    const end = next < 0 ? row.length : next;
    if (quoted && (close < 0 || close + 1 !== end)) return undefined;
    const cell = quoted ? row.slice(at + 1, close).replaceAll('""', '"') : row.slice(at, end);
    if (!quoted && !hasLiteralQuotes && cell.includes('"')) return undefined;
    cells.push(cell);
    at = end + 1;
  }
  return cells;
}

export const parseBankRow = (row: string, separator: string): string[] | undefined =>
  parseRow(row, separator, true);
