/** Reads as many rows of a list as a result holds, over as many pages as that takes, with a cursor to the next row. */
import type { z } from "zod";
import type { ServiceResponse } from "../core/client/response";
import { InvalidResponse } from "../core/errors";
import type { Declaration, LinkedPages, Paging } from "../core/declaration/operation";
import { modelFields, type Values, perOperation } from "../core/declaration/fields";
import { fromText } from "../core/wire/wire";
import { isRequired, kindOf } from "../core/schema/kind";
import { valueAt } from "../core/schema/value-at";
import { jsonLength } from "./truncate";
import { partsOf } from "./names";
import { type Row, splitRows } from "./rows";
import { maxResultLength } from "./result-content";

/** The argument of a tool that takes a cursor, as an earlier result has it in `next`. */
export const cursorArgument = "continue";

/** Pages that one call of a tool reads at most. */
const mostPages = 20;

/** The page after another, as far as it is known before it is read. */
interface FollowingPage {
  /** The values of the call that reads it. */
  readonly values: Values;
  /** Whether it surely has rows; else it may be empty. */
  readonly mustExist: boolean;
}

/** There is more, behind a link that says it in words of its own. */
const unreachable = "unreachable";

/** A page of a list, or a whole one that has no pages. */
export interface Page {
  readonly response: ServiceResponse;
  /** The values of the call that read it. */
  readonly values: Values;
  readonly frame: unknown;
  readonly rows: readonly Row[];
  readonly following?: FollowingPage | typeof unreachable | undefined;
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
  /** Undefined at the end of the list, and where nobody can go on. */
  readonly next?: Cursor;
  readonly unreachable?: true;
}

/**
 * A page that is not full may still not be the last: services give less than was asked for. Where the count does not settle
 * it, only the next page tells.
 */
function nextNumberedPage(
  { page, size, defaultSize }: Paging,
  values: Values,
  rows: number,
  total?: number,
): FollowingPage | undefined {
  if (rows === 0) return undefined;
  const number = Number(values[page] ?? 1);
  const asked = Number(values[size] ?? defaultSize);
  const before = (number - 1) * asked;
  const next = { ...values, [page]: number + 1, [size]: asked };
  if (total === undefined) return { values: next, mustExist: rows >= asked };
  if (rows === asked || number === 1)
    return before + rows < total ? { values: next, mustExist: true } : undefined;
  return { values: next, mustExist: false };
}

/** Links may begin with their path. */
const anyOrigin = "https://service.invalid";

/** The call that a link stands for: that of its page, with what its query says. */
function nextLinkedPage(operation: Declaration, { next }: LinkedPages, values: Values, body: unknown) {
  const href = valueAt(body, [...next.split("."), "href"]);
  if (typeof href !== "string") return undefined;
  if (!URL.canParse(href, anyOrigin)) return unreachable;
  const linkedValues = Object.fromEntries(
    [...new URL(href, anyOrigin).searchParams].flatMap(([name, text]) => {
      const field = modelFields(operation).find((known) => known.name === name);
      return field ? [[name, fromText(field.schema, text)] as const] : [];
    }),
  );
  const isOther = Object.entries(linkedValues).some(([name, value]) => values[name] !== value);
  return isOther ? { values: { ...values, ...linkedValues }, mustExist: true } : unreachable;
}

function followingPage(
  operation: Declaration,
  values: Values,
  { body, total }: ServiceResponse,
  rows: number,
) {
  if (operation.pages) return nextNumberedPage(operation.pages, values, rows, total);
  return operation.linkedPages && nextLinkedPage(operation, operation.linkedPages, values, body);
}

export function pageOf(operation: Declaration, values: Values, response: ServiceResponse): Page {
  const { frame, rows } = splitRows(response.body);
  return {
    response,
    values,
    frame,
    rows,
    following: followingPage(operation, values, response, rows.length),
  };
}

/** A service that gives the same page again would be read without end. */
function assertDifferentPage(operation: Declaration, { response, rows }: Page, before: Page): void {
  if (rows.length === 0 || JSON.stringify(rows) !== JSON.stringify(before.rows)) return;
  const { status, requestId, attempts } = response;
  throw new InvalidResponse(`${operation.name}: A page is the same as the one before it.`, {
    operation: operation.name,
    code: "invalid_response",
    outcome: "unknown",
    status,
    requestId,
    attempts,
  });
}

export interface PageReader {
  readonly operation: Declaration;
  /** Calls the operation. */
  readonly call: (values: Values) => Promise<ServiceResponse>;
}

/** The page after another; undefined when it cannot be read now, so that what was read before is not lost. */
async function pageAfter({ operation, call }: PageReader, page: Page, { values }: FollowingPage) {
  const response = await call(values).catch(() => undefined);
  if (!response) return undefined;
  const read = pageOf(operation, values, response);
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
  mostRows: number,
): Promise<RowRange> {
  const rows: Row[] = [];
  const pages: [Page, ...Page[]] = [first];
  const isFull = () => rows.length >= mostRows || size >= maxResultLength;
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
    if (following === unreachable) return { pages, rows, unreachable: true };
    index -= page.rows.length;
    const soFar = { pages, rows, next: { values: following.values, rowIndex: index } };
    if ((isFull() && following.mustExist) || pages.length >= mostPages) return soFar;
    const nextPage = await pageAfter(reader, page, following);
    if (!nextPage) return soFar;
    pages.push((page = nextPage));
  }
}

/** Whether a schema is a list, or an object in which one is always there. */
function hasList(schema: z.ZodType): boolean {
  const { shape = {}, element } = partsOf(schema);
  const lists = Object.values(shape).filter((inner) => isRequired(inner) && partsOf(inner).element);
  return element !== undefined || kindOf(schema) === "unknown" || lists.length > 0;
}

/** Whether an operation reads a list, or an object with a list in it. */
export const returnsRows = perOperation(
  ({ effect, responses, linkedPages }) =>
    linkedPages !== undefined ||
    (effect === "read" &&
      Object.values(responses).some((response) => response.kind === "json" && hasList(response.schema))),
);
