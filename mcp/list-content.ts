/** What was read of a list, or of an object with lists inside, as the result of a tool. */
import type { z } from "zod";
import type { Callable } from "../core/declaration/operation";
import { answerContent } from "./answer-content";
import { linkedContent } from "./file-content";
import { truncate, jsonLength } from "./truncate";
import { argumentName } from "./names";
import { withDecimalStrings } from "./decimal-strings";
import type { JsonObject } from "./protocol";
import type { ListResult } from "./list-results";
import type { Resources } from "./resources";
import { joinRows, type Row } from "./rows";
import { narrowingHint, maxResultLength, type ResultContent } from "./result-content";

const entries = (count: number) => `${count} ${count === 1 ? "entry" : "entries"}.`;

const isTooLong = ({ value }: Row) => jsonLength(value) > maxResultLength;

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

/** What is not shown, and why. */
function omissions(
  operation: Callable,
  { pages: [{ frame }], rows, tooLargeToKeep, unreachable }: ListResult,
): string[] {
  const cut = rows.filter(isTooLong).length;
  return [
    ...(jsonLength(frame) > maxResultLength ? ["Too long to show whole: texts in it are cut."] : []),
    ...(cut > 0 ? [`${cut} of them ${cut === 1 ? "is" : "are"} too long to show whole.`] : []),
    ...(tooLargeToKeep ? [`The rest is too long to be kept.${narrowingHint(operation)}`] : []),
    ...(unreachable ? ["The service has more, behind a link that this tool cannot follow."] : []),
  ];
}

const goesOn = "More follow: call again with exactly the arguments in next.";

/** The rows, and what says where they are. `schema` is that of the whole body. */
export function listContent(
  operation: Callable,
  list: ListResult,
  schema: z.ZodType | undefined,
  resources: Resources,
): ResultContent {
  if (operation.rows !== undefined) return answerContent(operation, list, schema);
  const { pages, rows, continued, nextArguments: next } = list;
  const short = rows.map((row) =>
    isTooLong(row) ? { ...row, value: truncate(row.value, maxResultLength) } : row,
  );
  const isCut = rows.some(isTooLong) || jsonLength(pages[0].frame) > maxResultLength;
  const body = withDecimalStrings(
    joinRows({ frame: truncate(pages[0].frame, maxResultLength), rows: short }),
    schema,
  );
  const left = omissions(operation, list);
  const about = {
    ...(left.length > 0 && { truncated: left.join(" ") }),
    count: rows.length,
    ...pageNumbers(operation, list),
    ...(next && { next }),
  };
  const { total } = pages[0].response;
  const all = total === undefined ? [] : [`${total} in all.`];
  const remarks = [entries(rows.length), ...all, ...left, ...(next ? [goesOn] : [])];
  const isWhole = !Array.isArray(body) && !next && !continued && left.length === 0;
  if (isWhole) return { content: body as JsonObject, remarks: [] };
  const content = { ...about, ...(Array.isArray(body) ? { items: body } : { body }) };
  if (!isCut) return { content, remarks };
  const uncut = withDecimalStrings(joinRows({ frame: pages[0].frame, rows }), schema);
  const whole = { name: operation.tool, mimeType: "application/json", content: JSON.stringify(uncut) };
  const visibleItems = linkedContent(content, whole, resources);
  return { ...visibleItems, remarks: [...remarks, ...visibleItems.remarks] };
}
