/** Rows of a bank's CSV and their amounts. */
import { Big } from "big.js";
import { type AmountReadings, type DecimalMark, readingsOf } from "../../values/amount-text";
import { FormatError, quoteValue } from "../format-error";
import { maxFieldLength, readLines, type TextSource, tooLongError } from "../text-lines";
import { type RowText, RowJoiner } from "./cells";
import { columnPosition } from "./columns";
import { creditMarks, currencyOfUnit, debitMarks } from "./headings";
import type { ColumnIndexes, CsvMap } from "./map";

/** Throws a FormatError for a row without an end. */
export function assertRowEnds({ text, line }: RowText): void {
  if (text.length > maxFieldLength)
    throw tooLongError(
      "a row (possibly because of an unclosed quote)",
      maxFieldLength,
      columnPosition("row", line),
    );
}

/** Yields the rows of a text that are not blank. */
export async function* readRows(source: TextSource): AsyncGenerator<RowText, void, void> {
  const joiner = new RowJoiner();
  for await (const lines of readLines(source))
    for (const line of lines) {
      const row = joiner.add(line);
      assertRowEnds(row ?? joiner.open!);
      if (row && row.text.trim() !== "") yield row;
    }
}

export const cellOf = (cells: readonly string[], indexes: ColumnIndexes, field: string): string =>
  (indexes[field] ?? [])
    .map((index) => cells[index]?.trim() ?? "")
    .filter(Boolean)
    .join(" ");

export const amountFields = ["amount", "debit", "credit", "balance"] as const;
type AmountField = (typeof amountFields)[number];

const unitPattern = /^([A-Z]{3}|[€£$])\s*(?=[\d+\-\u2212])|\s*([A-Z]{3}|[€£$])$/;

/** Returns the amounts that a cell can mean, and the currency that it names. */
export function readCell(cell: string): { readings: AmountReadings; currency?: string } {
  const unit = unitPattern.exec(cell);
  const digits = cell
    .replace(unitPattern, "")
    .trim()
    .replace(/^(\d.*)-$/, "-$1");
  const sign = unit?.[1] ?? unit?.[2];
  return {
    readings: readingsOf(digits),
    ...(sign !== undefined && sign !== "$" && { currency: currencyOfUnit(sign) }),
  };
}

/** Parses the amount of a column; undefined if the cell is empty. */
export function parseAmount(
  cells: readonly string[],
  indexes: ColumnIndexes,
  field: AmountField,
  mark: DecimalMark,
  line: number,
): Big | undefined {
  const cell = cellOf(cells, indexes, field);
  if (cell === "") return undefined;
  const amount = readCell(cell).readings[mark];
  if (amount) return amount;
  throw new FormatError(
    "invalid",
    columnPosition(field, line),
    `expected an amount with the decimal mark "${mark}", found ${quoteValue(cell)}`,
  );
}

/** True for a word that means debit, false for credit, undefined for another one. The words of the map come first. */
export function isDebitMark(word: string, marks: CsvMap["marks"]): boolean | undefined {
  if (marks?.debit.includes(word)) return true;
  if (marks?.credit.includes(word)) return false;
  if (debitMarks.includes(word.toLowerCase())) return true;
  return creditMarks.includes(word.toLowerCase()) ? false : undefined;
}

/** Returns the number of decimals that a cell is written with. */
export const writtenDecimals = (cell: string, mark: DecimalMark): number =>
  new RegExp(`\\${mark}(\\d+)\\D*$`).exec(cell)?.[1]!.length ?? 0;

/** Parses the signed amount of a row from one column, from one with a mark, or from debit and credit. */
export function parseRowAmount(
  cells: readonly string[],
  indexes: ColumnIndexes,
  mark: DecimalMark,
  marks: CsvMap["marks"],
  line: number,
): Big {
  const read = (field: AmountField) => parseAmount(cells, indexes, field, mark, line);
  const fail = (field: string, message: string): never => {
    throw new FormatError("invalid", columnPosition(field, line), message);
  };
  if (indexes["amount"]) {
    const amount = read("amount") ?? fail("amount", "the amount is missing");
    if (!indexes["mark"]) return amount;
    const word = cellOf(cells, indexes, "mark");
    const isDebit = isDebitMark(word, marks);
    if (isDebit === undefined) fail("mark", `expected a word for debit or credit, found ${quoteValue(word)}`);
    if (amount.lt(0)) fail("amount", "an amount with a mark must not have a sign");
    return isDebit ? amount.neg() : amount;
  }
  const [debit, credit] = [read("debit"), read("credit")];
  const filled = [debit, credit].filter((amount) => amount && !amount.eq(0));
  if (filled.length > 1) fail("debit", "debit and credit are both given");
  if (!debit && !credit) fail("debit", "neither debit nor credit is given");
  if (credit?.lt(0)) fail("credit", "a credit must not be negative");
  return debit && !debit.eq(0) ? debit.abs().neg() : (credit ?? new Big(0));
}
