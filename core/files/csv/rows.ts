/** Rows of any list as CSV: one level of nested objects becomes columns, and what lies deeper JSON. */
import { isObject } from "../../values/json";
import { escapeFormula, formatRow } from "./cells";

type Row = Readonly<Record<string, unknown>>;

/** Flattens one level of nested objects: `amount.currency`. */
export const flattenRow = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) =>
      isObject(value)
        ? Object.entries(value).map(([inner, nested]) => [`${key}.${inner}`, nested])
        : [[key, value]],
    ),
  ) as Row;

/** Returns an entry of a list as a row. A plain value becomes the column `value`. */
export const toRow = (entry: unknown): Row => (isObject(entry) ? flattenRow(entry) : { value: entry });

const isNumberText = (text: string) => /^-?\d+(\.\d+)?$/.test(text);

function formatCell(value: unknown): string {
  const text = isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value ?? "");
  return isNumberText(text) ? text : escapeFormula(text);
}

/** Formats rows as CSV with a header row. */
export const formatRows = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns, ...rows.map((row) => columns.map((name) => formatCell(row[name])))].map(formatRow).join("");
