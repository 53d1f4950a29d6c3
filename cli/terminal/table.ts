/** Renders responses as aligned text tables. */
import { flattenRow, toRow } from "../../core/files/csv/rows";
import { isObject } from "../../core/values/json";
import { columnsOf, type ResultList } from "../../core/spec/result-list";
import { printable } from "./terminal";

type Row = Readonly<Record<string, unknown>>;

export function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) return `${value.length} items`;
  if (Array.isArray(value)) return printable(value.join(", "));
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}

/** Returns the entries of a list, or of the only list inside an object; undefined for any other value. */
export const entriesOf = (body: unknown): readonly unknown[] | undefined =>
  Array.isArray(body) ? body : onlyList(body);

/** Returns the rows: the entries of a list, or one row per field of an object. */
function rowsOf(body: unknown): readonly Row[] {
  const list = entriesOf(body);
  if (list) return list.map(toRow);
  if (isObject(body)) return Object.entries(flattenRow(body)).map(([field, value]) => ({ field, value }));
  return [{ value: body }];
}

function onlyList(body: unknown): readonly unknown[] | undefined {
  if (!isObject(body)) return undefined;
  const lists = Object.values(body).filter(Array.isArray);
  return lists.length === 1 ? lists[0] : undefined;
}

const isNumeric = (text: string) => /^-?\d+(\.\d+)?$/.test(text);

/** Longest cell of a table that has to fit: an ID. */
const maxFittedCell = 36;

const shortened = (text: string) =>
  text.length > maxFittedCell ? `${text.slice(0, maxFittedCell - 1)}…` : text;

/** Aligns numbers at their decimal point, with groups of three digits if they are amounts for a person. */
function alignNumbers(texts: readonly string[], isGrouped: boolean): string[] {
  const fractionLength = (text: string) => (/\..*$/.exec(text)?.[0] ?? "").length;
  const longest = Math.max(...texts.map(fractionLength));
  return texts.map((text) => {
    const grouped = isGrouped ? text.replace(/\d(?=(\d{3})+(\.|$))/g, "$& ") : text;
    return text && grouped + " ".repeat(longest - fractionLength(text));
  });
}

/** Renders a column: its name, then a text for each row, all of the same length. */
function renderColumn(name: string, values: readonly unknown[], isFitted: boolean): string[] {
  const texts = values.map((value) => (isFitted ? shortened(cellText(value)) : cellText(value)));
  const isNumbers = texts.some(Boolean) && texts.every((text) => !text || isNumeric(text));
  const isAmount = texts.some((text) => text.includes(".")) || name.endsWith("amount");
  const shown = isNumbers ? alignNumbers(texts, isFitted && isAmount) : texts;
  const length = Math.max(name.length, ...shown.map((text) => text.length));
  return [name, ...shown].map((text) => (isNumbers ? text.padStart(length) : text.padEnd(length)));
}

/** Returns the leading columns that fit; at least one. */
function fittingColumns(columns: readonly string[][], width: number): readonly string[][] {
  let used = 0;
  const count = columns.findIndex((column) => (used += column[0]!.length + 2) > width + 2);
  return count === -1 ? columns : columns.slice(0, Math.max(1, count));
}

export interface TableOptions {
  /** Longer lines are cut. */
  readonly width?: number | undefined;
  /** Columns follow these fields, then first appearance. */
  readonly fields?: readonly string[];
  /** Shows exactly these columns. */
  readonly columns?: readonly string[] | undefined;
  /** Omits empty columns and those that do not fit, and calls this with the names of the latter. */
  readonly onHidden?: (names: readonly string[]) => void;
}

/** Renders a table. Columns of numbers are right-aligned. */
export function table(body: unknown, tableOptions: TableOptions = {}): string {
  const { width = Infinity, fields = [], columns: chosen, onHidden } = tableOptions;
  const rows = rowsOf(body);
  if (rows.length === 0) return "(no entries)\n";
  const isFitted = onHidden !== undefined && width !== Infinity;
  const all = (chosen ?? columnsOf(rows, fields))
    .map((name) => ({ name, values: rows.map((row) => row[name]) }))
    .filter(({ values }) => chosen ?? (!isFitted || values.some((value) => cellText(value))));
  const rendered = all.map(({ name, values }) => renderColumn(name, values, isFitted));
  const cells = isFitted && !chosen ? fittingColumns(rendered, width) : rendered;
  if (cells.length < rendered.length) onHidden?.(all.slice(cells.length).map(({ name }) => name));
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
  const facts = Object.entries(flattenRow(Object.fromEntries(nonEmptyValues)));
  const length = Math.max(0, ...facts.map(([name]) => name.length));
  const lines = facts.map(([name, value]) => `${name.padEnd(length)}  ${cellText(value)}\n`);
  return [
    ...(lines.length > 0 ? [lines.join("")] : []),
    ...lists.map(([name, list]) => `${name}\n${table(list, { width })}`),
  ];
}

/** Renders a result with a main list: the other values, then the list as a table. */
export const resultTable = ({ name, entries, rest }: ResultList, tableOptions: TableOptions): string =>
  [...renderRest(rest, tableOptions.width ?? Infinity), `${name}\n${table(entries, tableOptions)}`].join(
    "\n",
  );
