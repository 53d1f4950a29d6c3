/** A response as an aligned table. */
import { printable } from "./terminal";

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One level of nested objects joins its parent: `amount.currency`. */
const flat = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) =>
      isRow(value)
        ? Object.entries(value).map(([inner, nested]) => [`${key}.${inner}`, nested])
        : [[key, value]],
    ),
  ) as Row;

function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return `${value.length} items`;
  if (Array.isArray(value)) return printable(value.join(", "));
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}

/** The rows of a response: a list, the only list inside an object, or the fields of the object itself. */
function rowsOf(body: unknown): readonly Row[] {
  const list = Array.isArray(body) ? body : onlyList(body);
  if (list) return list.map((item) => (isRow(item) ? flat(item) : { value: item }));
  if (isRow(body)) return Object.entries(flat(body)).map(([field, value]) => ({ field, value }));
  return [{ value: body }];
}

function onlyList(body: unknown): readonly unknown[] | undefined {
  if (!isRow(body)) return undefined;
  const lists = Object.values(body).filter(Array.isArray);
  return lists.length === 1 ? lists[0] : undefined;
}

const isNumeric = (text: string) => /^-?\d+(\.\d+)?$/.test(text);

/**
 * Columns in the order in which the fields first appear; a column of nothing but numbers is aligned to the right. Lines
 * longer than `width` are cut.
 */
export function table(body: unknown, width = Infinity): string {
  const rows = rowsOf(body);
  if (rows.length === 0) return "(no entries)\n";
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = names.map((name) => {
    const texts = rows.map((row) => shown(row[name]));
    const length = Math.max(name.length, ...texts.map((text) => text.length));
    const right = texts.some(Boolean) && texts.every((text) => !text || isNumeric(text));
    return [name, ...texts].map((text) => (right ? text.padStart(length) : text.padEnd(length)));
  });
  const lines = ["", ...rows].map((_, line) =>
    cells
      .map((column) => column[line])
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`).join("");
}
