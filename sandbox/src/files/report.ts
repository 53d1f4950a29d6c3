/** Content of a report, independent of the file format, and its CSV. */
import type { Bank } from "../world/banks/banks";
import type { Client } from "../world/parties/parties";
import { csvRow, escapeFormula } from "@fxdesk/toolkit/formats";

export interface Column {
  readonly name: string;
  /** True for text from third parties. */
  readonly isFreeText?: true;
  /** Print layout, with the width in points. Columns without it appear in machine-readable formats only. */
  readonly print?: {
    readonly title: string;
    readonly width: number;
    readonly right?: true;
    readonly format?: (value: string) => string;
  };
}

export type Row = readonly string[];

export interface Report {
  readonly bank: Bank;
  readonly title: string;
  readonly holder: Client;
  /** Names and values printed above the table. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly columns: readonly Column[];
  readonly rows: Iterable<Row>;
  /** Rows printed before the others: opening balances. */
  readonly above: readonly Row[];
  readonly below: readonly Row[];
  readonly writtenAt: Date;
}

/** Formats an amount with digits in groups of three. */
export function groupDigits(amount: string): string {
  const [units = "", ...decimals] = amount.split(".");
  return [units.replace(/\B(?=(\d{3})+$)/g, ","), ...decimals].join(".");
}

/** Writes a report as CSV. Free text is escaped, because spreadsheets execute formulas. */
export async function reportCsv({ columns, rows }: Report): Promise<Buffer> {
  const toSafeRow = (row: Row) =>
    row.map((cell, index) => (columns[index]!.isFreeText ? escapeFormula(cell) : cell));
  const header = columns.map(({ name }) => name);
  return Buffer.from([header, ...Array.from(rows, toSafeRow)].map(csvRow).join(""));
}
