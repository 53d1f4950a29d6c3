/** Reports as comma-separated values, safe to open in a spreadsheet. */
import { csvRow, harmlessCell } from "@fxdesk/toolkit/formats";
import type { Report, Row } from "./report";

export async function csv({ columns, rows }: Report): Promise<Buffer> {
  const safe = (row: Row) => row.map((cell, index) => (columns[index]!.text ? harmlessCell(cell) : cell));
  const header = columns.map(({ name }) => name);
  return Buffer.from([header, ...Array.from(rows, safe)].map(csvRow).join(""));
}
