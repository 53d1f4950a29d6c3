/** Reads what a result shows of a list: from its beginning, or from the cursor of an earlier result. */
import { invalidInputError } from "../core/client/call-errors";
import type { Callable } from "../core/declaration/operation";
import { jsonLength } from "./truncate";
import { type ExpiringStore, retentionText } from "./expiring-store";
import { argumentsOf } from "./argument-names";
import type { JsonObject } from "./protocol";
import { maxResultLength } from "./result-content";
import { cursorArgument, type Page, toPage, type PageReader, type RowRange, readRowRange } from "./row-range";
import { type Row, splitRows } from "./rows";
import type { Values } from "../core/declaration/fields";

/** A page that did not fit, of an operation whose calls are counted. */
export interface StoredPage {
  readonly tool: string;
  readonly page: Page;
}

/** The rows for one result, and how to call for those after them. */
export interface ListResult extends RowRange {
  /** Whether it begins at the cursor of an earlier result. */
  readonly isContinuation: boolean;
  /** The arguments of the call for the rows after them. */
  readonly nextArguments?: JsonObject;
  /** Whether the rest was read and is not kept: it is too large. */
  readonly tooLargeToKeep?: true;
}

const invalidCursor = (operation: Callable, message: string) =>
  invalidInputError(operation, [{ field: cursorArgument, message }]);

const expiredCursorMessage =
  "is not known here any more: what did not fit is kept for " +
  `${retentionText}, by the server that read it. Call again without ${cursorArgument}; that is one more read at the service`;

/** Characters of the lists beside an answer that come before it: a quarter of a result. */
const maxLeadingListsLength = maxResultLength / 4;

/** The name of the list of a row: `sums`, or `access.accounts` inside an object. */
export const listNameOf = ({ path }: Row): string => path.join(".");

/**
 * The answer of a page with the lists beside it, one after the other, so that none is cut: before it what is short, such as
 * its sums, and after it what is long.
 */
function withOtherLists(operation: Callable, page: Page): Page {
  if (operation.resultList === undefined) return page;
  const { metadata, rows } = splitRows(page.metadata);
  const sizes = new Map<string, number>();
  for (const row of rows)
    sizes.set(listNameOf(row), (sizes.get(listNameOf(row)) ?? 0) + jsonLength(row.value) + 1);
  let remaining = maxLeadingListsLength;
  const smallestFirst = [...sizes].toSorted(([, one], [, other]) => one - other);
  const short = new Set(smallestFirst.filter(([, size]) => (remaining -= size) >= 0).map(([list]) => list));
  const isShort = (row: Row) => short.has(listNameOf(row));
  return {
    ...page,
    metadata,
    rows: [...rows.filter(isShort), ...page.rows, ...rows.filter((row) => !isShort(row))],
  };
}

/** The row to begin at, of a page that was kept or has just been read. */
interface StartingPoint {
  /** The key under which the page is kept already. */
  readonly cacheKey?: string;
  readonly page: Page;
  readonly rowIndex: number;
}

function findStoredStart(
  operation: Callable,
  values: Values,
  cursor: string,
  store: ExpiringStore<StoredPage>,
): StartingPoint {
  const [key = "", index = ""] = cursor.split(".");
  const found = store.get(key);
  if (found?.tool !== operation.tool || !/^\d+$/.test(index))
    throw invalidCursor(operation, expiredCursorMessage);
  if (
    JSON.stringify(argumentsOf(operation, values)) !==
    JSON.stringify(argumentsOf(operation, found.page.values))
  )
    throw invalidCursor(
      operation,
      `belongs to other arguments: send next as it was, or leave ${cursorArgument} out`,
    );
  return { cacheKey: key, page: found.page, rowIndex: Number(index) };
}

async function findStart(
  reader: PageReader,
  values: Values,
  cursor: unknown,
  store: ExpiringStore<StoredPage>,
): Promise<StartingPoint> {
  const { operation, call } = reader;
  if (cursor !== undefined && operation.quotaBound)
    return findStoredStart(operation, values, String(cursor), store);
  const index = String(cursor ?? 0);
  if (!/^\d+$/.test(index))
    throw invalidCursor(operation, `must be as in next, not ${JSON.stringify(cursor)}`);
  const page = toPage(operation, values, await call(values));
  return { page: withOtherLists(operation, page), rowIndex: Number(index) };
}

/** The values with the page and its size, on which a cursor relies. */
function withPageAndSize({ pages }: Callable, values: Values): Values {
  if (!pages) return values;
  const { page, size, defaultSize } = pages;
  return { ...values, [page]: values[page] ?? 1, [size]: values[size] ?? defaultSize };
}

/** The call for the rows after a range, where there are more. */
function nextCallAfter(
  operation: Callable,
  { cacheKey, page: startingPage }: StartingPoint,
  { next }: RowRange,
  store: ExpiringStore<StoredPage>,
): Pick<ListResult, "nextArguments" | "tooLargeToKeep"> {
  if (!next) return {};
  const args = argumentsOf(operation, next.values);
  if (!operation.quotaBound) return { nextArguments: { ...args, [cursorArgument]: String(next.rowIndex) } };
  const { page, rowIndex } = next;
  if (!page) return { nextArguments: args };
  const storeKey =
    page === startingPage && cacheKey
      ? cacheKey
      : store.add({ tool: operation.tool, page }, jsonLength(page.rows));
  return storeKey === undefined
    ? { tooLargeToKeep: true }
    : { nextArguments: { ...args, [cursorArgument]: `${storeKey}.${rowIndex}` } };
}

/**
 * A first result has at most the page that was asked for; one that begins at a cursor has as much as fits. Throws what
 * the call throws, and InvalidInput for a cursor that is none.
 */
export async function readList(
  reader: PageReader,
  values: Values,
  cursor: unknown,
  store: ExpiringStore<StoredPage>,
): Promise<ListResult> {
  const { operation } = reader;
  const requestedValues = withPageAndSize(operation, values);
  const start = await findStart(reader, requestedValues, cursor, store);
  const isContinuation = cursor !== undefined;
  const maxRows =
    operation.pages && !isContinuation ? Number(requestedValues[operation.pages.size]) : Infinity;
  const range = await readRowRange(reader, start.page, start.rowIndex, maxRows);
  return { ...range, isContinuation, ...nextCallAfter(operation, start, range, store) };
}
