/** Cells and rows of CSV (RFC 4180): commas, quotes where needed, CRLF. */

import { removeControls } from "../charset";

/** What a spreadsheet takes for the beginning of a formula, also behind apostrophes that are there already. */
const formulaPattern = /^'*[=+\-@\t\r]/;

/** Text that no spreadsheet runs: an apostrophe goes before what begins like a formula, and control characters go. */
export function escapeFormula(text: string): string {
  const clean = removeControls(text);
  return formulaPattern.test(clean) ? `'${clean}` : clean;
}

/** The text itself, without the apostrophe that `harmless` put before it. */
export const unescapeFormula = (text: string): string =>
  text.startsWith("'") && formulaPattern.test(text) ? text.slice(1) : text;

const quoteCell = (cell: string) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const formatRow = (cells: readonly string[]): string => `${cells.map(quoteCell).join(",")}\r\n`;

/** Whether a quoted cell is still open at the end of a text that began outside one. */
export function hasOpenQuote(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes += 1;
  return quotes % 2 === 1;
}

/** The end of a quoted cell that begins at a quote: the place of the closing quote. */
function findClosingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** The cells of a row; undefined when a quote stands where none may. */
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
