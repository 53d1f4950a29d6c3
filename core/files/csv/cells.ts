/** Cells and rows of CSV (RFC 4180): commas, quotes if needed, CRLF. */

import { removeControls } from "../charset";

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

/** True if a quoted cell is still open at the end of the text. */
export function hasOpenQuote(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes += 1;
  return quotes % 2 === 1;
}

/** Returns the index of the quote that closes the cell; -1 if there is none. */
function findClosingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** Splits a row into cells; undefined if a quote is misplaced. */
export function parseRow(row: string, separator = ","): string[] | undefined {
  const cells: string[] = [];
  let at = 0;
  while (at <= row.length) {
    const quoted = row[at] === '"';
    const close = quoted ? findClosingQuote(row, at) : -1;
    const next = row.indexOf(separator, quoted ? close : at);
    const end = next < 0 ? row.length : next;
    if (quoted && (close < 0 || close + 1 !== end)) return undefined;
    const cell = quoted ? row.slice(at + 1, close).replaceAll('""', '"') : row.slice(at, end);
    if (!quoted && cell.includes('"')) return undefined;
    cells.push(cell);
    at = end + 1;
  }
  return cells;
}
