/** Which input reads the page after another, and where a list ends. */
import { callerFields, type Values } from "../declaration/fields";
import type { Callable, LinkedPages, Paging } from "../declaration/operation";
import { valueAt } from "../schema/value-at";
import { fromText } from "../wire/request";
import type { ServiceResponse } from "./response";

type PageResponse = Pick<ServiceResponse, "body" | "total">;

/** The page after another one in a numbered list. */
export interface NextNumberedPage {
  /** The input that reads it. */
  readonly input: Values;
  /** Whether it surely has entries; else it may be empty, and the one before it the last. */
  readonly isSure: boolean;
}

/** The page after another one that links to it. */
export interface NextLinkedPage {
  /** As the page has it. */
  readonly link: string;
  /** The input that reads it; undefined where the link says it in words of its own. */
  readonly input: Values | undefined;
  readonly isSure: true;
}

/**
 * A page that is not full may still not be the last: services give less than was asked for. The count of all entries
 * settles it where it is known how many came before; else only the next page tells.
 */
export function nextNumberedPage(
  { page, size, defaultSize }: Paging,
  input: Values,
  { body, total }: PageResponse,
  entriesBefore?: number,
): NextNumberedPage | undefined {
  const count = Array.isArray(body) ? body.length : 0;
  if (count === 0) return undefined;
  const number = Number(input[page] ?? 1);
  const requestedSize = Number(input[size] ?? defaultSize);
  const next = { ...input, [page]: number + 1, [size]: requestedSize };
  const maxEntriesBefore = (number - 1) * requestedSize;
  const seen = (entriesBefore ?? maxEntriesBefore) + count;
  // A count that is less than what came counts something else.
  if (total === undefined || seen > total) return { input: next, isSure: count >= requestedSize };
  const isSure = seen < total;
  const isSettled = entriesBefore !== undefined || number === 1 || count === requestedSize;
  return isSure || !isSettled ? { input: next, isSure } : undefined;
}

/** Links may begin with their path. */
const anyOrigin = "https://service.invalid";

/** The input that a link stands for: that of its page, with what its query says. */
function linkedInput(operation: Callable, input: Values, link: string): Values | undefined {
  if (!URL.canParse(link, anyOrigin)) return undefined;
  const linked = Object.fromEntries(
    [...new URL(link, anyOrigin).searchParams].flatMap(([name, text]) => {
      const field = callerFields(operation).find((known) => known.name === name);
      return field ? [[name, fromText(field.schema, text)] as const] : [];
    }),
  );
  const isChanged = Object.entries(linked).some(([name, value]) => input[name] !== value);
  return isChanged ? { ...input, ...linked } : undefined;
}

export function nextLinkedPage(
  operation: Callable,
  { next }: LinkedPages,
  input: Values,
  { body }: PageResponse,
): NextLinkedPage | undefined {
  const link = valueAt(body, [...next.split("."), "href"]);
  if (typeof link !== "string") return undefined;
  return { link, input: linkedInput(operation, input, link), isSure: true };
}

export type NextPage = NextNumberedPage | NextLinkedPage;

/**
 * The page after the one that `input` reads and `response` is; undefined at the end of the list, and where an operation has
 * no pages.
 */
export function nextPage(operation: Callable, input: Values, response: PageResponse): NextPage | undefined {
  const { pages, linkedPages } = operation;
  if (linkedPages) return nextLinkedPage(operation, linkedPages, input, response);
  return pages && nextNumberedPage(pages, input, response);
}
