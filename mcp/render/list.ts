/** Formats a list, or an object with lists inside, as the result of a tool. */
import type { z } from "zod";
import type { Callable } from "../../core/spec/operation";
import {
  resultListContent,
  truncatedMetadata,
  moreFollowNote,
  omissionNotes,
  partialRowsNote,
  truncateRows,
  withCompleteResource,
} from "./omissions";
import { argumentName } from "./names";
import { withDecimalStrings } from "./values";
import type { JsonObject } from "../protocol";
import type { ListResult } from "../read-list";
import type { Resources } from "./links";
import { joinRows } from "./rows";
import type { ResultContent } from "./content";

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
  const totalNotes = total === undefined ? [] : [`${total} in total.`];
  const shown = {
    // An object keeps its shape even if incomplete; fields of ours override fields of the same name.
    content: {
      ...summary,
      ...(Array.isArray(body) ? { items: body } : { ...(body as JsonObject), ...summary }),
    },
    remarks: [
      part ?? entryCountText(rows.length),
      ...totalNotes,
      ...omitted,
      ...(next ? [moreFollowNote] : []),
    ],
  };
  return withCompleteResource(operation, list, schema, shown, resources);
}
