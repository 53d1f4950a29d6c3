/** Reads the rows that fit in one result, across pages, and a cursor to the next row. */
import type { z } from "zod";
import { type NextPage, nextPage } from "../core/call/next-page";
import { invalidPageError } from "../core/call/pages";
import type { ServiceResponse } from "../core/call/response";
import type { Callable } from "../core/spec/operation";
import { type Values, memoizePerOperation } from "../core/spec/fields";
import { extractResultList } from "../core/spec/result-list";
import { isRequired, kindOf } from "../core/values/kind";
import { jsonLength } from "./render/truncate";
import { schemaPartsOf } from "./render/names";
import { type Row, type SplitBody, splitRows } from "./render/rows";
import { maxResultLength } from "./render/content";

/** The tool argument for the cursor in `next` of an earlier result. */
export const cursorArgument = "continue";

/** Maximum number of pages that one tool call reads. */
const maxPages = 20;

/** A page, or a complete list that has no pages. */
export interface Page {
  readonly response: ServiceResponse;
  /** Input values of the call that read the page. */
  readonly values: Values;
  readonly metadata: unknown;
  readonly rows: readonly Row[];
  readonly following: NextPage | undefined;
}

/** The first row of the next result. */
interface Cursor {
  readonly values: Values;
  /** Index of the row in the page. */
  readonly rowIndex: number;
  /** Set if the page was already read. */
  readonly page?: Page;
}

/** The rows for one result, and the pages they come from. */
export interface RowRange {
  readonly pages: readonly [Page, ...Page[]];
  readonly rows: readonly Row[];
  /** Undefined at the end of the list, and if the next page is unreachable. */
  readonly next?: Cursor;
  /** True if the next page is behind a link that does not match the operation. */
  readonly unreachable?: true;
}

/** Returns all rows of a body; if the operation declares a result list, only its rows, with the rest as metadata. */
function splitResponseRows(operation: Callable, body: unknown): SplitBody {
  const resultList = extractResultList(operation, body);
  if (!resultList) return splitRows(body);
  const { name, entries, rest } = resultList;
  return { metadata: rest, rows: entries.map((value) => ({ path: [name], value })) };
}

/** Converts a response to a page. */
export const toPage = (operation: Callable, values: Values, response: ServiceResponse): Page => ({
  response,
  values,
  ...splitResponseRows(operation, response.body),
  following: nextPage(operation, values, response),
});

/** Throws if the service repeats a page, which would otherwise be read forever. */
function assertDifferentPage(operation: Callable, { response, rows }: Page, previous: Page): void {
  if (rows.length > 0 && JSON.stringify(rows) === JSON.stringify(previous.rows))
    throw invalidPageError(operation, response, "The page is identical to the previous one.");
}

export interface PageReader {
  readonly operation: Callable;
  readonly call: (values: Values) => Promise<ServiceResponse>;
}

/** Reads the next page; undefined if that fails, so that the rows read so far are not lost. */
async function pageAfter({ operation, call }: PageReader, page: Page, values: Values) {
  const response = await call(values).catch(() => undefined);
  if (!response) return undefined;
  const read = toPage(operation, values, response);
  assertDifferentPage(operation, read, page);
  return read;
}

/**
 * Reads rows from a given row until the result is full. The last row may exceed the size limit, so that long rows do not
 * increase the number of results.
 */
export async function readRowRange(
  reader: PageReader,
  first: Page,
  start: number,
  maxRows: number,
): Promise<RowRange> {
  const rows: Row[] = [];
  const pages: [Page, ...Page[]] = [first];
  const isFull = () => rows.length >= maxRows || size >= maxResultLength;
  let size = 0;
  let page = first;
  let index = start;
  for (;;) {
    for (; index < page.rows.length; index += 1) {
      if (isFull()) return { pages, rows, next: { values: page.values, rowIndex: index, page } };
      const row = page.rows[index]!;
      rows.push(row);
      size += jsonLength(row.value) + 1;
    }
    const { following } = page;
    if (following === undefined) return { pages, rows };
    const { input: values, isSure } = following;
    if (values === undefined) return { pages, rows, unreachable: true };
    index -= page.rows.length;
    const rangeSoFar = { pages, rows, next: { values, rowIndex: index } };
    if ((isFull() && isSure) || pages.length >= maxPages) return rangeSoFar;
    const after = await pageAfter(reader, page, values);
    if (!after) return rangeSoFar;
    pages.push((page = after));
  }
}

/** True for a list, and for an object with a required list. */
function hasList(schema: z.ZodType): boolean {
  const { shape = {}, element } = schemaPartsOf(schema);
  const lists = Object.values(shape).filter((inner) => isRequired(inner) && schemaPartsOf(inner).element);
  return element !== undefined || kindOf(schema) === "unknown" || lists.length > 0;
}

/** True if the operation reads a list, or an object with a list in it. */
export const returnsRows = memoizePerOperation(
  ({ effect, responses, linkedPages, resultList }: Callable) =>
    linkedPages !== undefined ||
    resultList !== undefined ||
    (effect === "read" &&
      Object.values(responses).some((response) => response.kind === "json" && hasList(response.schema))),
);
