/** Reports as CSV. Free text is escaped, because spreadsheets execute formulas. */
import { csvRow, escapeFormula } from "@fxdesk/toolkit/formats";
import type { Report, Row } from "./report";

export async function reportCsv({ columns, rows }: Report): Promise<Buffer> {
  const toSafeRow = (row: Row) =>
    row.map((cell, index) => (columns[index]!.isFreeText ? escapeFormula(cell) : cell));
  const header = columns.map(({ name }) => name);
  return Buffer.from([header, ...Array.from(rows, toSafeRow)].map(csvRow).join(""));
}
