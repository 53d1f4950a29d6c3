/** Reads the rows for one result, from the start of a list or from the cursor of an earlier result. */
import { invalidInputError } from "../core/call/call-errors";
import type { Callable } from "../core/spec/operation";
import { jsonLength } from "./render/truncate";
import { type ExpiringStore, retentionText } from "./render/expiring-store";
import { argumentsOf } from "./render/names";
import type { JsonObject } from "./protocol";
import { maxResultLength } from "./render/content";
import { cursorArgument, type Page, toPage, type PageReader, type RowRange, readRowRange } from "./row-range";
import { type Row, splitRows } from "./render/rows";
import type { Values } from "../core/spec/fields";

/** A page that did not fit in a result, stored because the bank limits reads of the operation. */
export interface StoredPage {
  readonly tool: string;
  readonly page: Page;
}

/** The rows for one result, and the arguments of the call for the next rows. */
export interface ListResult extends RowRange {
  /** True if it begins at the cursor of an earlier result. */
  readonly isContinuation: boolean;
  /** The arguments of the call for the rows after them. */
  readonly nextArguments?: JsonObject;
  /** True if the remaining rows were read but are too large to be stored. */
  readonly isTooLargeToStore?: true;
}

const invalidCursor = (operation: Callable, message: string) =>
  invalidInputError(operation, [{ field: cursorArgument, message }]);

const expiredCursorMessage =
  `is unknown or expired: remaining rows are kept for ${retentionText}, only by the server that read them. ` +
  `To start over, call without ${cursorArgument}; that is one more read at the service`;

/** Lists up to this total length come before the result list: a quarter of a result. */
const maxLeadingListsLength = maxResultLength / 4;

/** Returns the name of the list of a row, for example `sums` or `access.accounts`. */
export const listNameOf = ({ path }: Row): string => path.join(".");

/**
 * Puts the other lists of a response in one sequence with the result list, so that none is truncated: short lists, for
 * example sums, come before it and long ones after it.
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

/** The first row of a result, on a stored page or one just read. */
interface StartingPoint {
  /** Key of the page if it is already stored. */
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
      `belongs to a call with other arguments: send next unchanged, or omit ${cursorArgument}`,
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
    throw invalidCursor(
      operation,
      `must be copied from next of the last result, not ${JSON.stringify(cursor)}`,
    );
  const page = toPage(operation, values, await call(values));
  return { page: withOtherLists(operation, page), rowIndex: Number(index) };
}

/** Adds the default page and size, because a cursor depends on both. */
function withPageAndSize({ pages }: Callable, values: Values): Values {
  if (!pages) return values;
  const { page, size, defaultSize } = pages;
  return { ...values, [page]: values[page] ?? 1, [size]: values[size] ?? defaultSize };
}

/** Returns the arguments for the rows after a range, if there are more. */
function nextCallAfter(
  operation: Callable,
  { cacheKey, page: startingPage }: StartingPoint,
  { next }: RowRange,
  store: ExpiringStore<StoredPage>,
): Pick<ListResult, "nextArguments" | "isTooLargeToStore"> {
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
    ? { isTooLargeToStore: true }
    : { nextArguments: { ...args, [cursorArgument]: `${storeKey}.${rowIndex}` } };
}

/**
 * Reads the rows for one result. A first result has at most the requested page, a continuation as much as fits. Throws the
 * errors of the call, and InvalidInput for an invalid cursor.
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
