/** Formats lists: of an operation that reads rows, and of a procedure or watch whose result is mainly one list. */
import type { z } from "zod";
import type { Callable } from "../../core/spec/operation";
import { listEntryFields } from "../../core/spec/result-list";
import type { JsonObject, ResultContent } from "./content";
import { formatCell, isRowObject, toCsv } from "./csv";
import type { Resources } from "./links";
import { argumentName } from "./names";
import {
  moreFollowNote,
  omissionNotes,
  partialRowsNote,
  truncatedMetadata,
  truncateRows,
  withCompleteResource,
} from "./omissions";
import { joinRows, type ListResult, splitRows } from "./rows";
import { withDecimalStrings } from "./values";

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
  const body = withDecimalStrings(
    joinRows({ metadata: truncatedMetadata(list), rows: truncateRows(rows) }),
    schema,
  );
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
