/** Renders responses as aligned text tables. */
import { isObject } from "../../core/values/json";
import { columnsOf, type ResultList } from "../../core/spec/result-list";
import { printable } from "./terminal";

type Row = Readonly<Record<string, unknown>>;

/** Flattens one level of nested objects: `amount.currency`. */
const flatten = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([key, value]) =>
      isObject(value)
        ? Object.entries(value).map(([inner, nested]) => [`${key}.${inner}`, nested])
        : [[key, value]],
    ),
  ) as Row;

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return `${value.length} items`;
  if (Array.isArray(value)) return printable(value.join(", "));
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}

/** Returns the rows: a list, the only list inside an object, or one row per field of an object. */
function rowsOf(body: unknown): readonly Row[] {
  const list = Array.isArray(body) ? body : onlyList(body);
  if (list) return list.map((item) => (isObject(item) ? flatten(item) : { value: item }));
  if (isObject(body)) return Object.entries(flatten(body)).map(([field, value]) => ({ field, value }));
  return [{ value: body }];
}

function onlyList(body: unknown): readonly unknown[] | undefined {
  if (!isObject(body)) return undefined;
  const lists = Object.values(body).filter(Array.isArray);
  return lists.length === 1 ? lists[0] : undefined;
}

const isNumeric = (text: string) => /^-?\d+(\.\d+)?$/.test(text);

/**
 * Renders a table. Columns follow `fields`, then first appearance; columns of numbers are right-aligned. Lines longer than
 * `width` are cut.
 */
export function table(body: unknown, width = Infinity, fields: readonly string[] = []): string {
  const rows = rowsOf(body);
  if (rows.length === 0) return "(no entries)\n";
  const names = columnsOf(rows, fields);
  const cells = names.map((name) => {
    const texts = rows.map((row) => cellText(row[name]));
    const length = Math.max(name.length, ...texts.map((text) => text.length));
    const alignsRight = texts.some(Boolean) && texts.every((text) => !text || isNumeric(text));
    return [name, ...texts].map((text) => (alignsRight ? text.padStart(length) : text.padEnd(length)));
  });
  const lines = ["", ...rows].map((_, line) =>
    cells
      .map((column) => column[line])
      .join("  ")
      .trimEnd(),
  );
  return lines.map((line) => `${line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`).join("");
}

/** Renders the values beside the main list, one per line, then every other list that is not empty. */
function renderRest(rest: Row, width: number): string[] {
  const lists = Object.entries(rest).filter(([, value]) => Array.isArray(value) && value.some(isObject));
  const values = Object.entries(rest).filter(([name]) => !lists.some(([list]) => list === name));
  const nonEmptyValues = values.filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  const facts = Object.entries(flatten(Object.fromEntries(nonEmptyValues)));
  const length = Math.max(0, ...facts.map(([name]) => name.length));
  const lines = facts.map(([name, value]) => `${name.padEnd(length)}  ${cellText(value)}\n`);
  return [
    ...(lines.length > 0 ? [lines.join("")] : []),
    ...lists.map(([name, list]) => `${name}\n${table(list, width)}`),
  ];
}

/** Renders a result with a main list: the other values, then the list as a table. */
export const resultTable = (
  { name, entries, rest }: ResultList,
  fields: readonly string[],
  width = Infinity,
): string => [...renderRest(rest, width), `${name}\n${table(entries, width, fields)}`].join("\n");
