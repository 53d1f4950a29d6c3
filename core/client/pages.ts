/** Lists that come page by page. */
import { valueAt } from "../schema/value-at";
import { createHash } from "node:crypto";
import { InvalidResponse } from "../errors";
import { listPathsIn } from "../declaration/paged-lists";
import type { Callable, Declaration, LinkedPages, Paging } from "../declaration/operation";
import { nextLinkedPage, nextNumberedPage, nextPage } from "./next-page";
import type { CallOptions } from "./call-options";
import type { PreparedCall } from "./prepared-call";
import type { ServiceResponse } from "./response";
import type { Values } from "../declaration/fields";
import type { Violation } from "../declaration/violation";

/** What pages are fetched with. */
interface PageCaller {
  prepare(operation: Declaration, input: Values, options: CallOptions): PreparedCall;
  /** `target` stands in place of the path and query that the input makes. */
  call(
    operation: Declaration,
    input: Values,
    options: CallOptions,
    target?: string,
  ): Promise<ServiceResponse>;
}

type Pages = AsyncGenerator<ServiceResponse, void, void>;

/** A list of half a million entries is no list that anybody asked for. */
const maxPages = 10_000;

const digestOf = (items: unknown) => createHash("sha1").update(JSON.stringify(items)).digest("base64");

/** The error for a page that cannot be one; it says which response it was. */
export const invalidPageError = (
  { name }: Callable,
  { status, requestId, attempts }: ServiceResponse,
  message: string,
) =>
  new InvalidResponse(`${name}: ${message}`, {
    operation: name,
    code: "invalid_response",
    outcome: "unknown",
    status,
    requestId,
    attempts,
  });

/** Notices pages that come again, and lists that have no end. */
class SeenPages {
  readonly #keys = new Set<string>();

  constructor(private readonly operation: Declaration) {}

  /** Throws an InvalidResponse when the key was there before, or when there have been too many. */
  add(key: string, number: number, response: ServiceResponse): void {
    if (this.#keys.has(key))
      throw invalidPageError(this.operation, response, `Page ${number} is the same as one before it.`);
    if (this.#keys.size === maxPages)
      throw invalidPageError(this.operation, response, `There is no end after ${maxPages} pages.`);
    this.#keys.add(key);
  }
}

/**
 * Numbered pages. The end is where the service's count says, where it counts; else the first page that is shorter than the
 * service makes them. That may be less than was asked for: then it shows on the next page.
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
  /** Entries on a full page. */
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
          `Page ${number} is empty, after ${entriesBefore} of ${response.total} entries.`,
        );
      if (number === first) yield response;
      return;
    }
    seen.add(digestOf(items), number, response);
    yield response;
    const next = nextNumberedPage(paging, values, response, entriesBefore);
    // How many a full page has is the service's to say: it may give less than was asked for, and the next page tells.
    if (number === first) fullPageSize = items.length;
    if (!next || (!next.isSure && items.length < fullPageSize)) return;
    entriesBefore += items.length;
    values = next.input;
  }
}

type KeyPath = readonly string[];

const pathOf = (text: string): KeyPath => text.split(".");

/** The value with another one at the end of the path; without that field where there is none. */
function replaceAt(value: unknown, [key, ...rest]: KeyPath, by: unknown): unknown {
  const object = (value ?? {}) as Values;
  const inner = rest.length === 0 ? by : replaceAt(object[key!], rest, by);
  if (inner !== undefined) return { ...object, [key!]: inner };
  const { [key!]: _, ...others } = object;
  return others;
}

/**
 * Path and query, below the address of the call, of what a link in its response leads to. Undefined when that is elsewhere:
 * the credentials of the call go nowhere else.
 */
function resolveLinkTarget(link: string, { address, target }: Pick<PreparedCall, "address" | "target">) {
  const base = new URL(address);
  const prefix = base.pathname.replace(/\/$/, "");
  const here = address + target;
  if (!URL.canParse(link, here)) return undefined;
  const { origin, pathname, search } = new URL(link, here);
  if (origin !== base.origin) return undefined;
  if (pathname.startsWith(`${prefix}/`)) return pathname.slice(prefix.length) + search;
  // Services write links as their own paths, without what a gateway before them puts in front.
  return /^\/(?!\/)/.test(link) ? pathname + search : undefined;
}

/** Pages of which each links to the next. */
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
      throw invalidPageError(
        operation,
        response,
        `The link to page ${number + 1} does not lead to this service.`,
      );
    targets.add(nextTarget, number + 1, response);
    target = nextTarget;
  }
}

/** Whether an operation responds page by page. */
export const isPaged = ({ pages, linkedPages: linked }: Callable): boolean =>
  pages !== undefined || linked !== undefined;

/**
 * Fetches a list page by page, as its pages are consumed; each is a response of its own. A service that returns a page for
 * the second time, none before the end of its count, or a link that leads elsewhere is reported by an InvalidResponse.
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

/** How many entries a page has, in all its lists. */
export const countEntries = (operation: Callable, body: unknown): number =>
  listPathsIn(operation).reduce((count, path) => count + entriesAt(body, path).length, 0);

/** Whether there is more after a page; undefined where the service does not say. */
export function hasMore(operation: Callable, input: Values, response: ServiceResponse): boolean | undefined {
  const isKnown = operation.linkedPages ?? (operation.pages && response.total !== undefined);
  return isKnown ? (nextPage(operation, input, response)?.isSure ?? false) : undefined;
}

/** A list of all pages, where at least one page has it. */
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

/** Where a violation of one page is in the whole: entries of the pages before come first. */
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
 * Pages as one response: the first, with the entries of all, the attempts of all and what differs from the contract in
 * each. The link to the next page is gone.
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
