/** What was read of a list, or of an object with lists inside, as the result of a tool. */
import type { z } from "zod";
import type { Callable } from "../core/declaration/operation";
import { answerContent, frameOf, goesOn, omissions, partOf, shortRows, withWhole } from "./answer-content";
import { argumentName } from "./names";
import { withDecimalStrings } from "./decimal-strings";
import type { JsonObject } from "./protocol";
import type { ListResult } from "./list-results";
import type { Resources } from "./resources";
import { joinRows } from "./rows";
import type { ResultContent } from "./result-content";

const entries = (count: number) => `${count} ${count === 1 ? "entry" : "entries"}.`;

/** Where in its list a result begins. */
function pageNumbers({ pages }: Callable, { pages: [{ values, response }] }: ListResult): JsonObject {
  if (!pages) return {};
  const { page, size } = pages;
  return {
    [argumentName(page)]: values[page],
    [argumentName(size)]: values[size],
    ...(response.total !== undefined && { total: response.total }),
  };
}

/** The rows, and what says where they are. `schema` is that of the whole body. */
export function listContent(
  operation: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  resources: Resources,
): ResultContent {
  if (operation.rows !== undefined) return answerContent(operation, list, schema, resources);
  const { pages, rows, continued, nextArguments: next } = list;
  const body = withDecimalStrings(joinRows({ frame: frameOf(list), rows: shortRows(rows) }), schema);
  const left = omissions(operation, list);
  const isWhole = !Array.isArray(body) && !next && !continued && left.length === 0;
  if (isWhole) return { content: body as JsonObject, remarks: [] };
  // How many rows a list has that is read page by page, its pages do not say.
  const part = Array.isArray(body) || operation.linkedPages || operation.pages ? undefined : partOf(list);
  const about = {
    ...(left.length > 0 && { truncated: left.join(" ") }),
    ...(part !== undefined && { part }),
    ...(Array.isArray(body) && { count: rows.length }),
    ...pageNumbers(operation, list),
    ...(next && { next }),
  };
  const { total } = pages[0].response;
  const all = total === undefined ? [] : [`${total} in all.`];
  const shown = {
    // An object stands as it is, whether it is whole or not; what is ours goes before fields of the same names.
    content: { ...about, ...(Array.isArray(body) ? { items: body } : { ...(body as JsonObject), ...about }) },
    remarks: [part ?? entries(rows.length), ...all, ...left, ...(next ? [goesOn] : [])],
  };
  return withWhole(operation, list, schema, shown, resources);
}
