/**
 * Reads the rows for one result, from the start of a list or from the cursor of an earlier result, across pages until the
 * result is full.
 */
import type { z } from "zod";
import { nextPage } from "../core/call/next-page";
import { invalidPageError } from "../core/call/pages";
import type { ServiceResponse } from "../core/call/response";
import { memoizePerOperation, modelFields, type Values } from "../core/spec/fields";
import type { Callable } from "../core/spec/operation";
import { extractResultList } from "../core/spec/result-list";
import { isRequired, kindOf } from "../core/values/kind";
import { argumentsOf } from "./render/names";
import { type ListResult, listNameOf, type Page, type Row, type SplitBody, splitRows } from "./render/rows";
import { jsonLength, maxResultLength, schemaPartsOf } from "./render/values";
import { invalidInputError } from "../core/call/call-errors";
import type { FxdeskError } from "../core/spec/errors";
import { ExpiringStore } from "./render/links";
import { retentionText } from "./render/content";

/** The tool argument for the cursor in `next` of an earlier result. */
export const cursorArgument = "continue";

/** Schema of the argument. */
export const cursorProperty = {
  [cursorArgument]: {
    type: "string",
    description: "From `next`.",
  },
};

const expiredMessage =
  `is unknown or expired: remaining rows are kept for ${retentionText}, only by the server that read them. ` +
  `To start over, call without ${cursorArgument}; this reads from the service again`;

const otherArgumentsMessage = `belongs to a call with other arguments: send next unchanged, or omit ${cursorArgument}`;

const unreadableMessage = "must be copied from next of an earlier result";

const invalidCursorError = (operation: Callable, message: string): FxdeskError =>
  invalidInputError(operation, [{ field: cursorArgument, message }]);

/** A row on a page. */
interface Position {
  readonly page: Page;
  readonly rowIndex: number;
  /** Key of the page if it is stored. */
  readonly key?: string;
}

interface StoredPage {
  readonly tool: string;
  readonly page: Page;
}

/** The pages of operations whose reads the bank limits, and of calls with long arguments. Other pages are read again. */
export class Continuations {
  constructor(
    private readonly pages = new ExpiringStore<StoredPage>(),
    private readonly owner?: string,
  ) {}

  /** Returns those of another person, in the same store. */
  of(owner: string | undefined): Continuations {
    return new Continuations(this.pages, owner);
  }

  /** Stores the page of a position unless it is stored already. Returns the cursor; undefined if the page is too large. */
  add({ tool }: Callable, { page, rowIndex, key }: Position): string | undefined {
    const storedKey = key ?? this.pages.add({ tool, page }, jsonLength(page.rows), this.owner);
    return storedKey === undefined ? undefined : `${storedKey}.${rowIndex}`;
  }

  /** Returns the position of a cursor. Throws InvalidInput if it is unknown or expired. */
  find(operation: Callable, cursor: string): Position {
    const [key = "", index = ""] = cursor.split(".");
    const found = this.pages.get(key, this.owner);
    if (found?.tool !== operation.tool || !/^\d+$/.test(index))
      throw invalidCursorError(operation, expiredMessage);
    return { key, page: found.page, rowIndex: Number(index) };
  }
}

/** The start of a list, or the row of a page that is read again. */
interface ReadPosition {
  readonly values: Values;
  readonly rowIndex: number;
}

/** Encodes a position. Its values are the arguments of the call, so that a server without memory can continue. */
const encodeCursor = ({ values, rowIndex }: ReadPosition): string =>
  `${rowIndex}.${Buffer.from(JSON.stringify(values)).toString("base64url")}`;

const encodedCursor = /^(\d+)\.([\w-]+)$/;

const maxEncodedLength = 300;

/** Decodes a position. Keeps only fields that models may set; the client checks their values. */
function decodeCursor(operation: Callable, cursor: string): ReadPosition {
  const [, index, text = ""] = encodedCursor.exec(cursor) ?? [];
  try {
    const decoded = JSON.parse(Buffer.from(text, "base64url").toString()) as Values;
    const names = modelFields(operation).map(({ name }) => name);
    const values = Object.fromEntries(
      names.flatMap((name) => (Object.hasOwn(decoded, name) ? [[name, decoded[name]]] : [])),
    );
    return { values, rowIndex: Number(index) };
  } catch {
    throw invalidCursorError(operation, unreadableMessage);
  }
}

/** Throws InvalidInput if a given value differs from that of the call that a cursor continues. */
function assertSameValues(operation: Callable, given: Values, values: Values): void {
  const differs = ([name, value]: [string, unknown]) =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(values[name]);
  if (Object.entries(given).some(differs)) throw invalidCursorError(operation, otherArgumentsMessage);
}

/** Maximum number of pages that one tool call reads. */
const maxPages = 20;

/** Lists up to this total length come before the result list: a quarter of a result. */
const maxLeadingListsLength = maxResultLength / 4;

interface PageReader {
  readonly operation: Callable;
  readonly call: (values: Values) => Promise<ServiceResponse>;
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

/**
 * Reads the rows for one result. A first result has at most the requested page, a continuation as much as fits; its cursor alone
 * identifies the call. Throws the errors of the call, and InvalidInput for an invalid cursor.
 */
export async function readList(
  reader: PageReader,
  values: Values,
  cursor: unknown,
  continuations: Continuations,
): Promise<ListResult> {
  const { operation } = reader;
  const isContinuation = cursor !== undefined;
  const start = isContinuation
    ? await resume(reader, values, String(cursor), continuations)
    : await readStart(reader, { values: withPageAndSize(operation, values), rowIndex: 0 });
  const maxRows =
    operation.pages && !isContinuation ? Number(start.page.values[operation.pages.size]) : Infinity;
  const { next, ...range } = await readRows(reader, start, maxRows);
  return { ...range, isContinuation, ...(next && nextCall(operation, start, next, continuations)) };
}

/** Adds the default page and size, because a cursor depends on both. */
function withPageAndSize({ pages }: Callable, values: Values): Values {
  if (!pages) return values;
  const { page, size, defaultSize } = pages;
  return { ...values, [page]: values[page] ?? 1, [size]: values[size] ?? defaultSize };
}

/** Returns the position of a cursor: from a stored page, or by reading the page again. */
async function resume(
  reader: PageReader,
  given: Values,
  cursor: string,
  continuations: Continuations,
): Promise<Position> {
  const { operation } = reader;
  if (!encodedCursor.test(cursor)) {
    const found = continuations.find(operation, cursor);
    assertSameValues(operation, given, found.page.values);
    return found;
  }
  const position = decodeCursor(operation, cursor);
  assertSameValues(operation, given, position.values);
  return readStart(reader, position);
}

/** Reads the page at which a result starts. */
async function readStart(
  { operation, call }: PageReader,
  { values, rowIndex }: ReadPosition,
): Promise<Position> {
  const page = toPage(operation, values, await call(values));
  return { page: withOtherLists(operation, page), rowIndex };
}

/** The first row of the next result. */
interface NextRow {
  readonly values: Values;
  /** Index of the row in the page. */
  readonly rowIndex: number;
  /** Set if the page was already read. */
  readonly page?: Page;
}

type RowRange = Pick<ListResult, "pages" | "rows" | "unreachable"> & { readonly next?: NextRow };

/**
 * Reads rows from a position until the result is full. The last row may exceed the size limit, so that long rows do not
 * increase the number of results.
 */
async function readRows(reader: PageReader, start: Position, maxRows: number): Promise<RowRange> {
  const rows: Row[] = [];
  const pages: [Page, ...Page[]] = [start.page];
  const isFull = () => rows.length >= maxRows || size >= maxResultLength;
  let size = 0;
  let { page, rowIndex } = start;
  for (;;) {
    for (; rowIndex < page.rows.length; rowIndex += 1) {
      if (isFull()) return { pages, rows, next: { values: page.values, rowIndex, page } };
      const row = page.rows[rowIndex]!;
      rows.push(row);
      size += jsonLength(row.value) + 1;
    }
    const { following } = page;
    if (following === undefined) return { pages, rows };
    const { input: values, isSure } = following;
    if (values === undefined) return { pages, rows, unreachable: true };
    rowIndex -= page.rows.length;
    const rangeSoFar = { pages, rows, next: { values, rowIndex } };
    if ((isFull() && isSure) || pages.length >= maxPages) return rangeSoFar;
    const after = await readPageAfter(reader, page, values);
    if (!after) return rangeSoFar;
    pages.push((page = after));
  }
}

/** Reads the next page; undefined if that fails, so that the rows read so far are not lost. */
async function readPageAfter({ operation, call }: PageReader, previous: Page, values: Values) {
  const response = await call(values).catch(() => undefined);
  if (!response) return undefined;
  const page = toPage(operation, values, response);
  // A service that repeats a page would otherwise be read forever.
  if (page.rows.length > 0 && JSON.stringify(page.rows) === JSON.stringify(previous.rows))
    throw invalidPageError(operation, response, "The page is identical to the previous one.");
  return page;
}

/**
 * Returns the arguments of the call for the next rows: the cursor, and required arguments, because strict hosts check them.
 */
function nextCall(
  operation: Callable,
  start: Position,
  { values, page, rowIndex }: NextRow,
  continuations: Continuations,
): Pick<ListResult, "nextArguments" | "isTooLargeToStore"> {
  const encoded = encodeCursor({ values, rowIndex });
  // Models copy short cursors without errors: long arguments, for example a CSV text, stay here with the rows.
  const stored =
    page && (operation.quotaBound || encoded.length > maxEncodedLength)
      ? continuations.add(operation, page === start.page ? { ...start, rowIndex } : { page, rowIndex })
      : undefined;
  if (stored === undefined && operation.quotaBound && page) return { isTooLargeToStore: true };
  const cursor = stored ?? encoded;
  const required = modelFields(operation).filter(
    (field) => field.required && !operation.lookedUp?.[field.name],
  );
  const requiredValues = Object.fromEntries(required.map(({ name }) => [name, values[name]]));
  return { nextArguments: { ...argumentsOf(operation, requiredValues), [cursorArgument]: cursor } };
}

/** Returns all rows of a body; if the operation declares a result list, only its rows, with the rest as metadata. */
function splitResponseRows(operation: Callable, body: unknown): SplitBody {
  const resultList = extractResultList(operation, body);
  if (!resultList) return splitRows(body);
  const { name, entries, rest } = resultList;
  return { metadata: rest, rows: entries.map((value) => ({ path: [name], value })) };
}

const toPage = (operation: Callable, values: Values, response: ServiceResponse): Page => ({
  response,
  values,
  ...splitResponseRows(operation, response.body),
  following: nextPage(operation, values, response),
});

/**
 * Puts the other lists of a response in one sequence with the result list, so that none is truncated. Lists that the response has
 * before it come first, and short ones, for example sums; long ones after it come last.
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
  const names = Object.keys(page.response.body as object);
  const end = names.indexOf(operation.resultList);
  const isLeading = (row: Row) => short.has(listNameOf(row)) || names.indexOf(row.path[0]!) < end;
  return {
    ...page,
    metadata,
    rows: [...rows.filter(isLeading), ...page.rows, ...rows.filter((row) => !isLeading(row))],
  };
}
