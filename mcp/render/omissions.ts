/** Formats a result whose main content is one list: metadata, and as many rows as fit. */
import type { z } from "zod";
import type { Callable } from "../../core/spec/operation";
import { listEntryFields } from "../../core/spec/result-list";
import { withDecimalStrings } from "./values";
import { linkedContent } from "./files";
import { type ListResult, listNameOf } from "../read-list";
import type { JsonObject } from "../protocol";
import type { Resources } from "./links";
import { maxResultLength, narrowingHint, type ResultContent } from "./content";
import { joinRows, type Row, splitRows } from "./rows";
import { jsonLength, truncate } from "./truncate";

type RowObject = Readonly<Record<string, unknown>>;

const isRowObject = (value: unknown): value is RowObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Formats a CSV cell, quoted if needed. */
function formatCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\n\r]|^\s|\s$/.test(text) ? JSON.stringify(text) : text;
}

/** Flattens nested objects to dotted names: `amount.currency`. */
const flatten = (entry: RowObject, path = ""): RowObject =>
  Object.assign(
    {},
    ...Object.entries(entry).map(([name, value]) =>
      isRowObject(value) ? flatten(value, `${path}${name}.`) : { [path + name]: value },
    ),
  ) as RowObject;

/** Returns column names: known fields in declared order, then others in order of appearance. */
function columnsOf(rows: readonly RowObject[], fields: readonly string[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const rank = (name: string) => {
    const index = fields.indexOf(name.split(".")[0]!);
    return index === -1 ? fields.length : index;
  };
  return names.toSorted((one, other) => rank(one) - rank(other));
}

/** Formats a list as CSV with a header line. */
function toCsv(list: readonly unknown[], fields: readonly string[]): string {
  if (!list.every(isRowObject)) return list.map(formatCell).join("\n");
  const rows = list.map((entry) => flatten(entry));
  const names = columnsOf(rows, fields);
  const used = names.filter((name) => rows.some((row) => row[name] !== undefined && row[name] !== null));
  return [used.join(","), ...rows.map((row) => used.map((name) => formatCell(row[name])).join(","))].join(
    "\n",
  );
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Formats a value, or the fields of an object, in one line. */
const fieldText = (name: string, value: unknown): string =>
  isRowObject(value)
    ? Object.entries(value)
        .map(([inner, nested]) => `${name}.${inner} ${formatCell(nested)}`)
        .join(", ")
    : `${name} ${formatCell(value)}`;

/** Formats the metadata in one line, then the other non-empty lists, then the rows. */
function resultListText(
  callable: Callable,
  metadata: JsonObject,
  rows: readonly unknown[],
  next: unknown,
): string {
  const name = callable.resultList!;
  const entries = Object.entries(metadata);
  const values = entries.filter(([, value]) => !isList(value)).map(([key, value]) => fieldText(key, value));
  const lists = [...entries, [name, rows] as const].filter(
    (entry): entry is [string, readonly unknown[]] => isList(entry[1]) && entry[1].length > 0,
  );
  return [
    ...(values.length > 0 ? [`${values.join(", ")}.`] : []),
    ...lists.map(([key, list]) => `${key}:\n${toCsv(list, listEntryFields(callable, key))}`),
    ...(next === undefined ? [] : [`next: ${JSON.stringify(next)}`]),
  ].join("\n");
}

const countLists = (rows: readonly Row[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(listNameOf(row), (counts.get(listNameOf(row)) ?? 0) + 1);
  return counts;
};

/** States how many rows of each list the result has; undefined if it has all. */
export function partialRowsNote({
  pages: [{ rows: all }],
  rows,
  isContinuation,
}: ListResult): string | undefined {
  if (!isContinuation && rows.length === all.length) return undefined;
  const here = countLists(rows);
  const parts = [...countLists(all)]
    .map(([list, count]) => ({ list, count, shown: here.get(list) ?? 0 }))
    .filter(({ count, shown }) => (isContinuation ? shown > 0 : shown < count))
    .map(({ list, count, shown }) => `${shown} of the ${count} ${list}`);
  return `This result has ${parts.join(", ")}.`;
}

/** Removes lists whose rows are all in other results, because an empty list would mean that there are none. */
function withoutOmittedLists(metadata: unknown, omittedLists: ReadonlySet<string>, path = ""): unknown {
  if (!isRowObject(metadata)) return metadata;
  return Object.fromEntries(
    Object.entries(metadata)
      .filter(([name]) => !omittedLists.has(path + name))
      .map(([name, value]) => [name, withoutOmittedLists(value, omittedLists, `${path}${name}.`)]),
  );
}

/** Returns the fields other than the rows, at full length. */
function completeMetadata({ pages: [{ metadata, rows: all }], rows }: ListResult): unknown {
  const here = countLists(rows);
  const omittedLists = [...countLists(all).keys()].filter((list) => !here.has(list));
  return withoutOmittedLists(metadata, new Set(omittedLists));
}

/** Returns the fields other than the rows, truncated. */
export const truncatedMetadata = (list: ListResult): unknown =>
  truncate(completeMetadata(list), maxResultLength);

const isTooLong = ({ value }: Row) => jsonLength(value) > maxResultLength;

/** Truncates rows that are longer than a result. */
export const truncateRows = (rows: readonly Row[]): Row[] =>
  rows.map((row) => (isTooLong(row) ? { ...row, value: truncate(row.value, maxResultLength) } : row));

/** Describes the truncation of metadata. */
function truncatedMetadataNote(metadata: unknown): string {
  const omittedCount =
    splitRows(metadata).rows.length - splitRows(truncate(metadata, maxResultLength)).rows.length;
  const rows = omittedCount > 0 ? `, and ${omittedCount} rows are omitted` : "";
  return `Too long to show in full: texts are cut${rows}.`;
}

/** Explains which parts are not shown, and why. */
export function omissionNotes(
  operation: Callable,
  { pages: [{ metadata }], rows, isTooLargeToStore, unreachable }: ListResult,
): string[] {
  const truncatedCount = rows.filter(isTooLong).length;
  return [
    ...(jsonLength(metadata) > maxResultLength ? [truncatedMetadataNote(metadata)] : []),
    ...(truncatedCount > 0
      ? [`${truncatedCount} of them ${truncatedCount === 1 ? "is" : "are"} too long to show in full.`]
      : []),
    ...(isTooLargeToStore
      ? [`The remaining rows are too large to be stored.${narrowingHint(operation)}`]
      : []),
    ...(unreachable ? ["The service has more, behind a link that this tool cannot follow."] : []),
  ];
}

/** Adds a link to the complete data if anything was truncated. */
export function withCompleteResource(
  operation: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  shown: ResultContent,
  resources: Resources,
): ResultContent {
  const { rows } = list;
  const metadata = completeMetadata(list);
  if (!rows.some(isTooLong) && jsonLength(metadata) <= maxResultLength) return shown;
  const parts = splitRows(metadata);
  const complete = withDecimalStrings(joinRows({ ...parts, rows: [...parts.rows, ...rows] }), schema);
  const completeResource = {
    name: operation.tool,
    mimeType: "application/json",
    content: JSON.stringify(complete),
  };
  const linked = linkedContent(shown.content, completeResource, resources);
  return { ...shown, ...linked, remarks: [...shown.remarks, ...linked.remarks] };
}

export const moreFollowNote = "There are more: call this tool again with exactly the arguments in next.";

/** Returns the rows of one result; only the first result has the metadata. `schema` is the schema of the complete response. */
export function resultListContent(
  callable: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  resources: Resources,
): ResultContent {
  const name = callable.resultList!;
  const { rows, isContinuation, nextArguments: next } = list;
  const metadataParts = splitRows(isContinuation ? {} : truncatedMetadata(list));
  const shownRows = [...metadataParts.rows, ...truncateRows(rows)];
  const body = withDecimalStrings(joinRows({ ...metadataParts, rows: shownRows }), schema) as JsonObject;
  const { [name]: found, ...metadata } = body;
  const resultList = (found ?? []) as readonly unknown[];
  const part = partialRowsNote(list);
  const omitted = omissionNotes(callable, list);
  const shown: ResultContent = {
    content: {
      ...(omitted.length > 0 && { truncated: omitted.join(" ") }),
      ...(part !== undefined && { part }),
      ...metadata,
      ...((found !== undefined || !isContinuation) && { [name]: resultList }),
      ...(next && { next }),
    },
    text: resultListText(callable, metadata, resultList, next),
    remarks: [
      // A watch does not know how many changes remain.
      ...(part ? [part] : next ? [`This result has ${rows.length} of the ${name}.`] : []),
      ...omitted,
      ...(next ? [moreFollowNote] : []),
    ],
  };
  return withCompleteResource(callable, list, schema, shown, resources);
}
