/** Reports as comma-separated values (RFC 4180), safe to open in a spreadsheet. */
import { stringify } from "csv-stringify/sync";
import type { Report } from "./report";

/** A text that a spreadsheet would take for a formula is marked as text. */
const harmless = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

export async function csv({ columns, rows }: Report): Promise<Buffer> {
  const header = columns.map(({ name }) => name);
  const safe = Array.from(rows, (row) =>
    row.map((cell, index) => (columns[index]!.text ? harmless(cell) : cell)),
  );
  return Buffer.from(stringify([header, ...safe], { record_delimiter: "windows" }));
}
