/** Reads as many rows of a list as a result holds, over as many pages as that takes, with a cursor to the next row. */
import type { z } from "zod";
import { type NextPage, nextPage } from "../core/client/next-page";
import { invalidPageError } from "../core/client/pages";
import type { ServiceResponse } from "../core/client/response";
import type { Callable } from "../core/declaration/operation";
import { type Values, memoizePerOperation } from "../core/declaration/fields";
import { extractResultList } from "../core/declaration/result-list";
import { isRequired, kindOf } from "../core/schema/kind";
import { jsonLength } from "./truncate";
import { schemaPartsOf } from "./argument-names";
import { type Row, type SplitBody, splitRows } from "./rows";
import { maxResultLength } from "./result-content";

/** The argument of a tool that takes a cursor, as an earlier result has it in `next`. */
export const cursorArgument = "continue";

/** Pages that one call of a tool reads at most. */
const maxPages = 20;

/** A page of a list, or a whole one that has no pages. */
export interface Page {
  readonly response: ServiceResponse;
  /** The values of the call that read it. */
  readonly values: Values;
  readonly metadata: unknown;
  readonly rows: readonly Row[];
  readonly following: NextPage | undefined;
}

/** The row of a page at which the next result begins. */
interface Cursor {
  readonly values: Values;
  /** Rows to pass over, from the beginning of the page. */
  readonly rowIndex: number;
  /** The page where it has been read. */
  readonly page?: Page;
}

/** The rows of a list that one result holds, and the pages they come from. */
export interface RowRange {
  readonly pages: readonly [Page, ...Page[]];
  readonly rows: readonly Row[];
  /** Undefined at the end of the list, and where nobody can go on: there is more behind a link in words of its own. */
  readonly next?: Cursor;
  readonly unreachable?: true;
}

/** All rows of a body, or those of the list that is the answer: what else is in it is about them. */
function splitResponseRows(operation: Callable, body: unknown): SplitBody {
  const resultList = extractResultList(operation, body);
  if (!resultList) return splitRows(body);
  const { name, entries, rest } = resultList;
  return { metadata: rest, rows: entries.map((value) => ({ path: [name], value })) };
}

/** A response as a page. */
export const toPage = (operation: Callable, values: Values, response: ServiceResponse): Page => ({
  response,
  values,
  ...splitResponseRows(operation, response.body),
  following: nextPage(operation, values, response),
});

/** A service that gives the same page again would be read without end. */
function assertDifferentPage(operation: Callable, { response, rows }: Page, previous: Page): void {
  if (rows.length > 0 && JSON.stringify(rows) === JSON.stringify(previous.rows))
    throw invalidPageError(operation, response, "A page is the same as the one before it.");
}

export interface PageReader {
  readonly operation: Callable;
  /** Calls the operation. */
  readonly call: (values: Values) => Promise<ServiceResponse>;
}

/** The page after another; undefined when it cannot be read now, so that what was read before is not lost. */
async function pageAfter({ operation, call }: PageReader, page: Page, values: Values) {
  const response = await call(values).catch(() => undefined);
  if (!response) return undefined;
  const read = toPage(operation, values, response);
  assertDifferentPage(operation, read, page);
  return read;
}

/**
 * The rows of a result, from a row of a page on: until they are as many or as large as a result holds. The last row may
 * reach over the limit, so that reading a whole list takes no more results than the size of its rows needs.
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

/** Whether a schema is a list, or an object in which one is always there. */
function hasList(schema: z.ZodType): boolean {
  const { shape = {}, element } = schemaPartsOf(schema);
  const lists = Object.values(shape).filter((inner) => isRequired(inner) && schemaPartsOf(inner).element);
  return element !== undefined || kindOf(schema) === "unknown" || lists.length > 0;
}

/** Whether an operation reads a list, or an object with a list in it. */
export const returnsRows = memoizePerOperation(
  ({ effect, responses, linkedPages, resultList }: Callable) =>
    linkedPages !== undefined ||
    resultList !== undefined ||
    (effect === "read" &&
      Object.values(responses).some((response) => response.kind === "json" && hasList(response.schema))),
);
