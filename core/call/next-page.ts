/** Pagination: the input for the next page, and the end of a list. */
import { callerFields, type Values } from "../spec/fields";
import type { Callable, LinkedPages, Paging } from "../spec/operation";
import { valueAt } from "../values/json";
import { fromText } from "./encode-request";
import type { ServiceResponse } from "./response";

type PageResponse = Pick<ServiceResponse, "body" | "total">;

export interface NextPage {
  /** Input for the page; undefined if its link cannot be expressed as fields of the operation. */
  readonly input: Values | undefined;
  /** True if the page certainly has entries; otherwise it may be empty. */
  readonly isSure: boolean;
  /** Link as written in the page, if the pages link to each other. */
  readonly link?: string;
}

/**
 * Returns the next page of a numbered list. A short page need not be the last, because services may return fewer entries than
 * requested. The total count decides if the number of entries before the page is known, otherwise only the next page does.
 */
export function nextNumberedPage(
  { page, size, defaultSize }: Paging,
  input: Values,
  { body, total }: PageResponse,
  entriesBefore?: number,
): (NextPage & { readonly input: Values }) | undefined {
  const count = Array.isArray(body) ? body.length : 0;
  if (count === 0) return undefined;
  const number = Number(input[page] ?? 1);
  const requestedSize = Number(input[size] ?? defaultSize);
  const next = { ...input, [page]: number + 1, [size]: requestedSize };
  const maxEntriesBefore = (number - 1) * requestedSize;
  const seen = (entriesBefore ?? maxEntriesBefore) + count;
  // Some services report the page size here, so a smaller count is ignored.
  if (total === undefined || seen > total) return { input: next, isSure: count >= requestedSize };
  const isSure = seen < total;
  const isSettled = entriesBefore !== undefined || number === 1 || count === requestedSize;
  return isSure || !isSettled ? { input: next, isSure } : undefined;
}

/** Base for relative links. */
const anyOrigin = "https://service.invalid";

/** Returns the input for a link: that of its page, overridden by the query of the link. */
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
): (NextPage & { readonly link: string }) | undefined {
  const link = valueAt(body, [...next.split("."), "href"]);
  if (typeof link !== "string") return undefined;
  return { link, input: linkedInput(operation, input, link), isSure: true };
}

/** Returns the page after `response`, or undefined at the end of the list and for operations without pages. */
export function nextPage(operation: Callable, input: Values, response: PageResponse): NextPage | undefined {
  const { pages, linkedPages } = operation;
  if (linkedPages) return nextLinkedPage(operation, linkedPages, input, response);
  return pages && nextNumberedPage(pages, input, response);
}
