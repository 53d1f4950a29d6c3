/** Paged lists. */
import { valueAt } from "../values/json";
import { createHash } from "node:crypto";
import { createError, type Violation } from "../spec/errors";
import { listPathsIn } from "../spec/result-list";
import type { Callable, Declaration, LinkedPages, Paging } from "../spec/operation";
import { nextLinkedPage, nextNumberedPage, nextPage } from "./next-page";
import type { CallOptions } from "./call-options";
import type { PreparedCall } from "./prepared-call";
import type { ServiceResponse } from "./response";
import type { Values } from "../spec/fields";

/** Calls used to fetch pages. */
interface PageCaller {
  prepare(operation: Declaration, input: Values, options: CallOptions): PreparedCall;
  /** `target` replaces the path and query derived from the input. */
  call(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    target?: string,
  ): Promise<ServiceResponse>;
}

type Pages = AsyncGenerator<ServiceResponse, void, void>;

/** Guards against services that never end a list. */
const maxPages = 10_000;

const digestOf = (items: unknown) => createHash("sha1").update(JSON.stringify(items)).digest("base64");

/** Returns the error for an invalid page, with the facts of its response. */
export const invalidPageError = (
  { name }: Callable,
  { status, requestId, attempts }: ServiceResponse,
  message: string,
) =>
  createError(name, "invalid_response", "unknown", `${name}: ${message}`, {
    status,
    requestId,
    attempts,
  });

/** Detects repeated pages and endless lists. */
class SeenPages {
  readonly #keys = new Set<string>();

  constructor(private readonly operation: Declaration) {}

  /** Throws an InvalidResponse if the key was seen before, or after too many pages. */
  add(key: string, number: number, response: ServiceResponse): void {
    if (this.#keys.has(key))
      throw invalidPageError(this.operation, response, `Page ${number} repeats an earlier page.`);
    if (this.#keys.size === maxPages)
      throw invalidPageError(this.operation, response, `The list has more than ${maxPages} pages.`);
    this.#keys.add(key);
  }
}

/**
 * Fetches numbered pages. If the service reports a total, the list ends there; otherwise at the first page shorter than the
 * first one. The service's page size may be smaller than requested.
 */
async function* fetchNumberedPages(
  operation: Declaration,
  paging: Paging,
  input: Values,
  calls: PageCaller,
  options: CallOptions,
): Pages {
  const { page, size, defaultSize } = paging;
  const requestedSize = Number(input[size] ?? defaultSize);
  const first = Number(input[page] ?? 1);
  const seen = new SeenPages(operation);
  /** Number of entries on a full page. */
  let fullPageSize = 0;
  let entriesBefore = (first - 1) * requestedSize;
  let values: Values = { ...input, [page]: first, [size]: requestedSize };
  for (let number = first; ; number += 1) {
    const response = await calls.call(operation, values, options);
    const items = response.body;
    if (!Array.isArray(items)) throw invalidPageError(operation, response, `Page ${number} is not a list.`);
    if (items.length === 0) {
      if (response.total !== undefined && entriesBefore < response.total)
        throw invalidPageError(
          operation,
          response,
          `Page ${number} is empty after ${entriesBefore} of ${response.total} entries.`,
        );
      if (number === first) yield response;
      return;
    }
    seen.add(digestOf(items), number, response);
    yield response;
    const next = nextNumberedPage(paging, values, response, entriesBefore);
    // The first page shows the service's page size, which may be smaller than requested.
    if (number === first) fullPageSize = items.length;
    if (!next || (!next.isSure && items.length < fullPageSize)) return;
    entriesBefore += items.length;
    values = next.input;
  }
}

type KeyPath = readonly string[];

const pathOf = (text: string): KeyPath => text.split(".");

/** Returns a copy with the value at the path replaced, or removed if `by` is undefined. */
function replaceAt(value: unknown, [key, ...rest]: KeyPath, by: unknown): unknown {
  const object = (value ?? {}) as Values;
  const inner = rest.length === 0 ? by : replaceAt(object[key!], rest, by);
  if (inner !== undefined) return { ...object, [key!]: inner };
  const { [key!]: _, ...others } = object;
  return others;
}

/**
 * Returns the path and query of a link, relative to the address of the call. Undefined if the link leads to another server,
 * because credentials are sent only to the configured one.
 */
function resolveLinkTarget(link: string, { address, target }: Pick<PreparedCall, "address" | "target">) {
  const base = new URL(address);
  const prefix = base.pathname.replace(/\/$/, "");
  const here = address + target;
  if (!URL.canParse(link, here)) return undefined;
  const { origin, pathname, search } = new URL(link, here);
  if (origin !== base.origin) return undefined;
  if (pathname.startsWith(`${prefix}/`)) return pathname.slice(prefix.length) + search;
  // Services write links as their own paths, without the prefix of a gateway.
  return /^\/(?!\/)/.test(link) ? pathname + search : undefined;
}

/** Fetches pages that link to each other. */
async function* fetchLinkedPages(
  operation: Declaration,
  linked: LinkedPages,
  input: Values,
  calls: PageCaller,
  options: CallOptions,
): Pages {
  let { address, target } = calls.prepare(operation, input, options);
  const targets = new SeenPages(operation);
  const contents = new SeenPages(operation);
  for (let number = 1; ; number += 1) {
    const response = await calls.call(operation, input, options, target);
    if (number === 1) targets.add(target, number, response);
    const lists = linked.entries.map((path) => valueAt(response.body, pathOf(path)));
    const isEmpty = lists.every((list) => !Array.isArray(list) || list.length === 0);
    if (!isEmpty) contents.add(digestOf(lists), number, response);
    yield response;
    const next = nextLinkedPage(operation, linked, input, response);
    if (!next) return;
    const nextTarget = resolveLinkTarget(next.link, { address, target });
    if (nextTarget === undefined)
      throw invalidPageError(operation, response, `The link to page ${number + 1} leads to another server.`);
    targets.add(nextTarget, number + 1, response);
    target = nextTarget;
  }
}

/** Returns true if the operation returns pages. */
export const isPaged = ({ pages, linkedPages: linked }: Callable): boolean =>
  pages !== undefined || linked !== undefined;

/**
 * Fetches the pages of a list as they are consumed, and yields one response per page. Throws an InvalidResponse for a repeated
 * page, an empty page before the reported total, or a link to another server.
 */
export function fetchPages(
  operation: Declaration,
  input: Values,
  calls: PageCaller,
  options: CallOptions,
): Pages {
  const { pages, linkedPages: linked } = operation;
  if (linked) return fetchLinkedPages(operation, linked, input, calls, options);
  return fetchNumberedPages(operation, pages!, input, calls, options);
}

const entriesAt = (body: unknown, path: KeyPath): readonly unknown[] => {
  const list = valueAt(body, path);
  return Array.isArray(list) ? list : [];
};

/** Counts the entries in all lists of a page. */
export const countEntries = (operation: Callable, body: unknown): number =>
  listPathsIn(operation).reduce((count, path) => count + entriesAt(body, path).length, 0);

/** Returns true if more entries follow the page, or undefined if the service does not indicate it. */
export function hasMore(operation: Callable, input: Values, response: ServiceResponse): boolean | undefined {
  const isKnown = operation.linkedPages ?? (operation.pages && response.total !== undefined);
  return isKnown ? (nextPage(operation, input, response)?.isSure ?? false) : undefined;
}

/** Concatenates a list over all pages. Undefined if no page has it. */
const joinLists = (bodies: readonly unknown[], path: KeyPath): unknown[] | undefined =>
  bodies.some((body) => valueAt(body, path) !== undefined)
    ? bodies.flatMap((body) => entriesAt(body, path))
    : undefined;

function joinBodies(operation: Callable, bodies: readonly unknown[]): unknown {
  const { linkedPages: linked } = operation;
  if (!linked) return joinLists(bodies, []);
  const [first] = bodies;
  if (bodies.length === 1) return first;
  const withoutNextLink = replaceAt(first, pathOf(linked.next), undefined);
  return listPathsIn(operation).reduce(
    (body, path) => replaceAt(body, path, joinLists(bodies, path)),
    withoutNextLink,
  );
}

/** Adjusts the index in a violation's field to the joined list. */
function shiftViolation(
  violation: Violation,
  lists: readonly KeyPath[],
  before: readonly unknown[],
): Violation {
  const field = violation.field.split(".");
  const path = lists.find((list) => list.every((key, index) => field[index] === key));
  const index = path && Number(field[path.length]);
  if (index === undefined || !Number.isInteger(index)) return violation;
  const count = before.reduce<number>((sum, body) => sum + entriesAt(body, path!).length, 0);
  return { ...violation, field: field.with(path!.length, String(index + count)).join(".") };
}

/**
 * Joins pages to one response: the first one, with the entries, attempts and violations of all, and without the link to the
 * next page.
 */
export function joinPages(operation: Callable, responses: readonly ServiceResponse[]): ServiceResponse {
  const bodies = responses.map(({ body }) => body);
  const lists = listPathsIn(operation);
  return {
    ...responses[0]!,
    body: joinBodies(operation, bodies),
    attempts: responses.reduce((sum, { attempts }) => sum + attempts, 0),
    violations: responses.flatMap(({ violations }, index) =>
      violations.map((violation) => shiftViolation(violation, lists, bodies.slice(0, index))),
    ),
  };
}
