/** A result whose answer is one of its lists: what is told about the list, and as many of its rows as fit. */
import type { z } from "zod";
import type { Callable } from "../core/declaration/operation";
import { fieldsOfList } from "../core/declaration/rows";
import { withDecimalStrings } from "./decimal-strings";
import type { ListResult } from "./list-results";
import type { JsonObject } from "./protocol";
import { maxResultLength, narrowingHint, type ResultContent } from "./result-content";
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

/** The rows of one result. What is told about all of them comes with the first. `schema` is that of the whole result. */
export function answerContent(
  callable: Callable,
  { pages: [{ frame }], rows, continued, nextArguments: next, tooLargeToKeep }: ListResult,
  schema: z.ZodType | undefined,
): ResultContent {
  const name = callable.rows!;
  const { [name]: _, ...about } = withDecimalStrings(truncate(frame, maxResultLength), schema) as JsonObject;
  const isCut = rows.some(({ value }) => jsonLength(value) > maxResultLength);
  const short = rows.map(({ value }) => truncate(value, maxResultLength));
  const { [name]: shown } = withDecimalStrings({ [name]: short }, schema) as { [key: string]: unknown[] };
  const left = [
    ...(jsonLength(frame) > maxResultLength || isCut ? ["Too long to show whole: texts in it are cut."] : []),
    ...(tooLargeToKeep ? [`The rest is too long to be kept.${narrowingHint(callable)}`] : []),
  ];
  const facts = continued ? {} : about;
  const part = next || continued ? [`${rows.length} of the ${name} are here.`] : [];
  return {
    content: {
      ...(left.length > 0 && { truncated: left.join(" ") }),
      ...facts,
      [name]: shown,
      ...(next && { next }),
    },
    text: textOf(callable, facts, shown!, next),
    remarks: [
      ...part,
      ...left,
      ...(next ? ["More follow: call again with exactly the arguments in next."] : []),
    ],
  };
}
