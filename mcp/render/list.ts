/** Formats lists: of an operation that reads rows, and of a procedure or watch whose result is mainly one list. */
import type { z } from "zod";
import type { Callable } from "../../core/spec/operation";
import { columnsOf, listEntryFields } from "../../core/spec/result-list";
import type { JsonObject, ResultContent } from "./content";
import { type Resources, linkedContent } from "./links";
import { argumentName } from "./names";
import { joinRows, type ListResult, splitRows, listNameOf, type Row } from "./rows";
import { jsonLength, maxResultLength, quoteWords, shownBody, truncate } from "./values";
import { modelFields } from "../../core/spec/fields";
import { isObject } from "../../core/values/json";

/** Formats a CSV cell, quoted if needed. */
function formatCell(value: unknown): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\n\r]|^\s|\s$/.test(text) ? JSON.stringify(text) : text;
}

/** Formats the only cell of a line, which would otherwise look like a sentence of fxdesk. */
const formatLine = (value: unknown): string => {
  const cell = formatCell(value);
  return cell.startsWith('"') ? cell : quoteWords(cell);
};

/** Flattens nested objects to dotted names: `amount.currency`. */
const flatten = (entry: JsonObject, path = ""): JsonObject =>
  Object.assign(
    {},
    ...Object.entries(entry).map(([name, value]) =>
      isObject(value) ? flatten(value, `${path}${name}.`) : { [path + name]: value },
    ),
  ) as JsonObject;

/** Formats a list as CSV with a header line, without columns that have no value. */
function toCsv(list: readonly unknown[], fields: readonly string[]): string {
  if (!list.every(isObject)) return list.map(formatLine).join("\n");
  const rows = list.map((entry) => flatten(entry));
  const hasValue = (name: string) => rows.some((row) => row[name] !== undefined && row[name] !== null);
  const columns = columnsOf(rows, fields).filter(hasValue);
  const format = columns.length > 1 ? formatCell : formatLine;
  const lines = rows.map((row) => columns.map((name) => format(row[name])).join(","));
  return [columns.map(quoteWords).join(","), ...lines].join("\n");
}

const moreFollowNote = "For more rows, call this tool again with exactly the arguments in next.";

const countLists = (rows: readonly Row[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(listNameOf(row), (counts.get(listNameOf(row)) ?? 0) + 1);
  return counts;
};

/** States how many rows of each list the result has; undefined if it has all. */
function partialRowsNote({ pages: [{ rows: all }], rows, isContinuation }: ListResult): string | undefined {
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
  if (!isObject(metadata)) return metadata;
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
const truncatedMetadata = (list: ListResult): unknown => truncate(completeMetadata(list), maxResultLength);

const isTooLong = ({ value }: Row) => jsonLength(value) > maxResultLength;

/** Truncates rows that are longer than a result. */
const truncateRows = (rows: readonly Row[]): Row[] =>
  rows.map((row) => (isTooLong(row) ? { ...row, value: truncate(row.value, maxResultLength) } : row));

/** Describes the truncation of metadata. */
function truncatedMetadataNote(metadata: unknown): string {
  const omittedCount =
    splitRows(metadata).rows.length - splitRows(truncate(metadata, maxResultLength)).rows.length;
  const rows = omittedCount > 0 ? `, and ${omittedCount} rows are omitted` : "";
  return `Too long to show in full: texts are cut${rows}.`;
}

/** Names the filters that reduce the result. */
function narrowingHint(operation: Callable): string {
  const filters = modelFields(operation).filter(
    ({ location, required }) => location === "query" && !required,
  );
  return filters.length > 0
    ? ` Call again with ${filters.map(({ name }) => argumentName(name)).join(", ")} to narrow it.`
    : "";
}

/** Explains which parts are not shown, and why. */
function omissionNotes(
  operation: Callable,
  { pages: [{ metadata }], rows, isTooLargeToStore, unreachable }: ListResult,
): string[] {
  const longCount = rows.filter(isTooLong).length;
  return [
    ...(jsonLength(metadata) > maxResultLength ? [truncatedMetadataNote(metadata)] : []),
    ...(longCount > 0
      ? [`${longCount} of them ${longCount === 1 ? "is" : "are"} too long to show in full.`]
      : []),
    ...(isTooLargeToStore
      ? [`The remaining rows are too large to be stored.${narrowingHint(operation)}`]
      : []),
    ...(unreachable ? ["The service has more, behind a link that this tool cannot follow."] : []),
  ];
}

/** Adds a link to the complete data if anything was truncated. */
function withCompleteResource(
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
  const complete = shownBody(joinRows({ ...parts, rows: [...parts.rows, ...rows] }), schema);
  const resource = {
    name: operation.tool,
    mimeType: "application/json",
    content: JSON.stringify(complete),
  };
  const linked = linkedContent(shown.content, resource, resources);
  return { ...shown, ...linked, remarks: [...shown.remarks, ...linked.remarks] };
}

const entryCountText = (count: number) => `${count} ${count === 1 ? "entry" : "entries"}.`;

/** Returns the page, its size and the total, for operations with numbered pages. */
function pageNumbers({ pages }: Callable, { pages: [{ values, response }] }: ListResult): JsonObject {
  if (!pages) return {};
  const { page, size } = pages;
  return {
    [argumentName(page)]: values[page],
    [argumentName(size)]: values[size],
    ...(response.total !== undefined && { total: response.total }),
  };
}

/** Returns the rows with their position in the list. `schema` is the schema of the complete body. */
export function listContent(
  operation: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  resources: Resources,
): ResultContent {
  if (operation.resultList !== undefined) return resultListContent(operation, list, schema, resources);
  const { pages, rows, isContinuation, nextArguments: next } = list;
  const body = shownBody(joinRows({ metadata: truncatedMetadata(list), rows: truncateRows(rows) }), schema);
  const omitted = omissionNotes(operation, list);
  const isComplete = !Array.isArray(body) && !next && !isContinuation && omitted.length === 0;
  if (isComplete) return { content: body as JsonObject, remarks: [] };
  // Paged lists do not report how many rows they have.
  const part =
    Array.isArray(body) || operation.linkedPages || operation.pages ? undefined : partialRowsNote(list);
  const summary = {
    ...(omitted.length > 0 && { truncated: omitted.join(" ") }),
    ...(part !== undefined && { part }),
    ...(Array.isArray(body) && { count: rows.length }),
    ...pageNumbers(operation, list),
    ...(next && { next }),
  };
  const { total } = pages[0].response;
  const shown = {
    // An object keeps its shape even if incomplete; fields of ours override fields of the same name.
    content: {
      ...summary,
      ...(Array.isArray(body) ? { items: body } : { ...(body as JsonObject), ...summary }),
    },
    remarks: [
      part ?? entryCountText(rows.length),
      ...(total === undefined ? [] : [`${total} in total.`]),
      ...omitted,
      ...(next ? [moreFollowNote] : []),
    ],
  };
  return withCompleteResource(operation, list, schema, shown, resources);
}

/** Returns the rows of one result; only the first result has the metadata. `schema` is the schema of the complete response. */
function resultListContent(
  callable: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  resources: Resources,
): ResultContent {
  const name = callable.resultList!;
  const { rows, isContinuation, nextArguments: next } = list;
  const metadataParts = splitRows(isContinuation ? {} : truncatedMetadata(list));
  const shownRows = [...metadataParts.rows, ...truncateRows(rows)];
  const body = shownBody(joinRows({ ...metadataParts, rows: shownRows }), schema) as JsonObject;
  const { [name]: found, ...metadata } = body;
  const resultList = (found ?? []) as readonly unknown[];
  const part = partialRowsNote(list);
  const omitted = omissionNotes(callable, list);
  const isEmpty = !list.pages[0].rows.some((row) => listNameOf(row) === name);
  const shown: ResultContent = {
    content: {
      ...(omitted.length > 0 && { truncated: omitted.join(" ") }),
      ...(part !== undefined && { part }),
      ...metadata,
      ...((found !== undefined || (isEmpty && !isContinuation)) && { [name]: resultList }),
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

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Formats a value, or the fields of an object, in one line. */
const fieldText = (name: string, value: unknown): string =>
  isObject(value)
    ? Object.entries(value)
        .map(([inner, nested]) => `${quoteWords(`${name}.${inner}`)} ${formatLine(nested)}`)
        .join(", ")
    : `${quoteWords(name)} ${formatLine(value)}`;

/** Formats the metadata in one line, then the other non-empty lists, then the rows. */
function resultListText(
  callable: Callable,
  metadata: JsonObject,
  rows: readonly unknown[],
  next: unknown,
): string {
  const entries = Object.entries(metadata);
  const values = entries.filter(([, value]) => !isList(value)).map(([key, value]) => fieldText(key, value));
  const lists = [...entries, [callable.resultList!, rows] as const].filter(
    (entry): entry is [string, readonly unknown[]] => isList(entry[1]) && entry[1].length > 0,
  );
  return [
    ...(values.length > 0 ? [`${values.join(", ")}.`] : []),
    ...lists.map(([key, list]) => `${key}:\n${toCsv(list, listEntryFields(callable, key))}`),
    ...(next === undefined ? [] : [`next: ${JSON.stringify(next)}`]),
  ].join("\n");
}
