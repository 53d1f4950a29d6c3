/** A result whose answer is one of its lists: what is told about the list, and as many of its rows as fit. */
import type { z } from "zod";
import type { Callable } from "../core/declaration/operation";
import { fieldsOfList } from "../core/declaration/rows";
import { withDecimalStrings } from "./decimal-strings";
import { linkedContent } from "./file-content";
import { type ListResult, listOf } from "./list-results";
import type { JsonObject } from "./protocol";
import type { Resources } from "./resources";
import { maxResultLength, narrowingHint, type ResultContent } from "./result-content";
import { joinRows, type Row, splitRows } from "./rows";
import { jsonLength, truncate } from "./truncate";

type Entry = Readonly<Record<string, unknown>>;

const isEntry = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value in a line with commas: quoted where it would not be one value. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\n\r]|^\s|\s$/.test(text) ? JSON.stringify(text) : text;
}

/** An entry with the fields of objects inside it joined to their names: `amount.currency`. */
const flat = (entry: Entry, path = ""): Entry =>
  Object.assign(
    {},
    ...Object.entries(entry).map(([name, value]) =>
      isEntry(value) ? flat(value, `${path}${name}.`) : { [path + name]: value },
    ),
  ) as Entry;

/** The names of columns: fields that are known in their order, then others as they first appear. */
function columnsOf(rows: readonly Entry[], fields: readonly string[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const rank = (name: string) => {
    const index = fields.indexOf(name.split(".")[0]!);
    return index === -1 ? fields.length : index;
  };
  return names.toSorted((one, other) => rank(one) - rank(other));
}

/** A list as lines with commas, the names of its fields first; each row is one line. */
function lines(list: readonly unknown[], fields: readonly string[]): string {
  if (!list.every(isEntry)) return list.map(cell).join("\n");
  const rows = list.map((entry) => flat(entry));
  const names = columnsOf(rows, fields);
  const used = names.filter((name) => rows.some((row) => row[name] !== undefined && row[name] !== null));
  return [used.join(","), ...rows.map((row) => used.map((name) => cell(row[name])).join(","))].join("\n");
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** What is told in one line: values, and the fields of objects. */
const told = (name: string, value: unknown): string =>
  isEntry(value)
    ? Object.entries(value)
        .map(([inner, nested]) => `${name}.${inner} ${cell(nested)}`)
        .join(", ")
    : `${name} ${cell(value)}`;

/** A short line of what is told about the rows, then the lists that are not empty, then the rows. */
function textOf(callable: Callable, about: JsonObject, rows: readonly unknown[], next: unknown): string {
  const name = callable.rows!;
  const entries = Object.entries(about);
  const values = entries.filter(([, value]) => !isList(value)).map(([key, value]) => told(key, value));
  const lists = [...entries, [name, rows] as const].filter(
    (entry): entry is [string, readonly unknown[]] => isList(entry[1]) && entry[1].length > 0,
  );
  return [
    ...(values.length > 0 ? [`${values.join(", ")}.`] : []),
    ...lists.map(([key, list]) => `${key}:\n${lines(list, fieldsOfList(callable, key))}`),
    ...(next === undefined ? [] : [`next: ${JSON.stringify(next)}`]),
  ].join("\n");
}

const countLists = (rows: readonly Row[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(listOf(row), (counts.get(listOf(row)) ?? 0) + 1);
  return counts;
};

/** How many rows of each list are here, where they are not all in one result. */
export function partOf({ pages: [{ rows: all }], rows, continued }: ListResult): string | undefined {
  if (!continued && rows.length === all.length) return undefined;
  const here = countLists(rows);
  const parts = [...countLists(all)]
    .map(([list, count]) => ({ list, count, shown: here.get(list) ?? 0 }))
    .filter(({ count, shown }) => (continued ? shown > 0 : shown < count))
    .map(({ list, count, shown }) => `${shown} of the ${count} ${list}`);
  return `${parts.join(", ")} are here.`;
}

/** A body without the lists whose rows are all in other results: an empty one would say that there are none. */
function withoutListsElsewhere(frame: unknown, elsewhere: ReadonlySet<string>, path = ""): unknown {
  if (!isEntry(frame)) return frame;
  return Object.fromEntries(
    Object.entries(frame)
      .filter(([name]) => !elsewhere.has(path + name))
      .map(([name, value]) => [name, withoutListsElsewhere(value, elsewhere, `${path}${name}.`)]),
  );
}

/** What is told beside the rows of a result, however long. */
function wholeFrame({ pages: [{ frame, rows: all }], rows }: ListResult): unknown {
  const here = countLists(rows);
  const elsewhere = [...countLists(all).keys()].filter((list) => !here.has(list));
  return withoutListsElsewhere(frame, new Set(elsewhere));
}

/** The same, as far as it fits. */
export const frameOf = (list: ListResult): unknown => truncate(wholeFrame(list), maxResultLength);

const isTooLong = ({ value }: Row) => jsonLength(value) > maxResultLength;

/** The rows of a result, those that are longer than one cut. */
export const shortRows = (rows: readonly Row[]): Row[] =>
  rows.map((row) => (isTooLong(row) ? { ...row, value: truncate(row.value, maxResultLength) } : row));

/** What is told of a frame that is cut. */
function cutFrame(frame: unknown): string {
  const left = splitRows(frame).rows.length - splitRows(truncate(frame, maxResultLength)).rows.length;
  const rows = left > 0 ? `, and ${left} rows are left out` : "";
  return `Too long to show whole: texts in it are cut${rows}.`;
}

/** What is not shown, and why. */
export function omissions(
  operation: Callable,
  { pages: [{ frame }], rows, tooLargeToKeep, unreachable }: ListResult,
): string[] {
  const cut = rows.filter(isTooLong).length;
  return [
    ...(jsonLength(frame) > maxResultLength ? [cutFrame(frame)] : []),
    ...(cut > 0 ? [`${cut} of them ${cut === 1 ? "is" : "are"} too long to show whole.`] : []),
    ...(tooLargeToKeep ? [`The rest is too long to be kept.${narrowingHint(operation)}`] : []),
    ...(unreachable ? ["The service has more, behind a link that this tool cannot follow."] : []),
  ];
}

/** A result in which something is cut has a link to the whole. */
export function withWhole(
  operation: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  shown: ResultContent,
  resources: Resources,
): ResultContent {
  const { rows } = list;
  const frame = wholeFrame(list);
  if (!rows.some(isTooLong) && jsonLength(frame) <= maxResultLength) return shown;
  const beside = splitRows(frame);
  const uncut = withDecimalStrings(joinRows({ ...beside, rows: [...beside.rows, ...rows] }), schema);
  const whole = { name: operation.tool, mimeType: "application/json", content: JSON.stringify(uncut) };
  const linked = linkedContent(shown.content, whole, resources);
  return { ...shown, ...linked, remarks: [...shown.remarks, ...linked.remarks] };
}

export const goesOn = "More follow: call again with exactly the arguments in next.";

/** The rows of one result. What is told about all of them comes with the first. `schema` is that of the whole result. */
export function answerContent(
  callable: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  resources: Resources,
): ResultContent {
  const name = callable.rows!;
  const { rows, continued, nextArguments: next } = list;
  // Those of a watch stand beside its changes as they are.
  const beside = splitRows(continued ? {} : frameOf(list));
  const rowsHere = [...beside.rows, ...shortRows(rows)];
  const body = withDecimalStrings(joinRows({ ...beside, rows: rowsHere }), schema) as JsonObject;
  const { [name]: found, ...about } = body;
  const answer = (found ?? []) as readonly unknown[];
  const part = partOf(list);
  const left = omissions(callable, list);
  const shown: ResultContent = {
    content: {
      ...(left.length > 0 && { truncated: left.join(" ") }),
      ...(part !== undefined && { part }),
      ...about,
      ...((found !== undefined || !continued) && { [name]: answer }),
      ...(next && { next }),
    },
    text: textOf(callable, about, answer, next),
    remarks: [
      // Of changes that are told bit by bit nobody knows how many follow.
      ...(part ? [part] : next ? [`${rows.length} of the ${name} are here.`] : []),
      ...left,
      ...(next ? [goesOn] : []),
    ],
  };
  return withWhole(callable, list, schema, shown, resources);
}
