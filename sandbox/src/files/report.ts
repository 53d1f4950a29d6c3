/** What a document says, before it is written in one of the formats. */
import type { Bank } from "../world/accounts/banks";
import type { Client } from "../world/parties/parties";

export interface Column {
  readonly name: string;
  /** A text that somebody else may have written. */
  readonly isFreeText?: true;
  /** How it is printed, its width in points and what is shown of a value; columns without are only for machines. */
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
  /** What it is about: names and values. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly columns: readonly Column[];
  readonly rows: Iterable<Row>;
  /** Rows above and below the others in print: balances and totals. */
  readonly above: readonly Row[];
  readonly below: readonly Row[];
  readonly writtenAt: Date;
}

/** An amount for people: its digits in groups of three. */
export function groupDigits(amount: string): string {
  const [units = "", ...decimals] = amount.split(".");
  return [units.replace(/\B(?=(\d{3})+$)/g, ","), ...decimals].join(".");
}
