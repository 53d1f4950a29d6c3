/** Reading a list as far as a result holds, over as many pages as that takes, and saying where it goes on. */
import type { z } from "zod";
import type { ServiceResponse } from "../core/client/response";
import { InvalidResponse } from "../core/errors";
import type { Declaration, LinkedPages, Paging } from "../core/declaration/operation";
import { modelFields, type Values, perOperation } from "../core/declaration/fields";
import { fromText } from "../core/wire/wire";
import { isRequired, kindOf } from "../core/schema/kind";
import { jsonLength } from "./truncate";
import { partsOf } from "./names";
import { type Row, split } from "./rows";
import { maxResultLength } from "./result-content";

/** The argument that says where a list goes on, as `next` has it. */
export const continuation = "continue";

/** Pages that one call of a tool reads at most. */
const mostPages = 20;

/** What follows a page: the values of the call that reads it. */
interface Following {
  readonly values: Values;
  /** Whether there is something in it; else it may be empty. */
  readonly certain: boolean;
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
  readonly following?: Following | typeof unreachable | undefined;
}

/** Where a list goes on: at a row of a page. */
interface Place {
  readonly values: Values;
  /** Rows to pass over, from the beginning of the page. */
  readonly at: number;
  /** The page where it has been read. */
  readonly page?: Page;
}

/** What a result holds of a list. */
export interface Stretch {
  readonly pages: readonly [Page, ...Page[]];
  readonly rows: readonly Row[];
  /** Undefined at the end of the list, and where nobody can go on. */
  readonly next?: Place;
  readonly unreachable?: true;
}

/**
 * A page that is not full may still not be the last: services give less than was asked for. Where the count does not settle
 * it, only the next page tells.
 */
function numbered(
  { page, size, defaultSize }: Paging,
  values: Values,
  rows: number,
  total?: number,
): Following | undefined {
  if (rows === 0) return undefined;
  const number = Number(values[page] ?? 1);
  const asked = Number(values[size] ?? defaultSize);
  const before = (number - 1) * asked;
  const next = { ...values, [page]: number + 1, [size]: asked };
  if (total === undefined) return { values: next, certain: rows >= asked };
  if (rows === asked || number === 1)
    return before + rows < total ? { values: next, certain: true } : undefined;
  return { values: next, certain: false };
}

/** Links may begin with their path. */
const anyOrigin = "https://service.invalid";

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Values)[key] : undefined),
      value,
    );

/** The call that a link stands for: that of its page, with what its query says. */
function linked(operation: Declaration, { next }: LinkedPages, values: Values, body: unknown) {
  const href = at(body, `${next}.href`);
  if (typeof href !== "string") return undefined;
  if (!URL.canParse(href, anyOrigin)) return unreachable;
  const turned = Object.fromEntries(
    [...new URL(href, anyOrigin).searchParams].flatMap(([name, text]) => {
      const field = modelFields(operation).find((known) => known.name === name);
      return field ? [[name, fromText(field.schema, text)] as const] : [];
    }),
  );
  const isOther = Object.entries(turned).some(([name, value]) => values[name] !== value);
  return isOther ? { values: { ...values, ...turned }, certain: true } : unreachable;
}

function followingOf(operation: Declaration, values: Values, { body, total }: ServiceResponse, rows: number) {
  if (operation.pages) return numbered(operation.pages, values, rows, total);
  return operation.linkedPages && linked(operation, operation.linkedPages, values, body);
}

export function pageOf(operation: Declaration, values: Values, response: ServiceResponse): Page {
  const { frame, rows } = split(response.body);
  return { response, values, frame, rows, following: followingOf(operation, values, response, rows.length) };
}

/** Pages that are the same would never end. */
function assertOther(operation: Declaration, { response, rows }: Page, before: Page): void {
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

export interface Reader {
  readonly operation: Declaration;
  /** Calls the operation. */
  readonly call: (values: Values) => Promise<ServiceResponse>;
}

/** The page after another; undefined when it cannot be read now, so that what was read before is not lost. */
async function pageAfter({ operation, call }: Reader, page: Page, { values }: Following) {
  const response = await call(values).catch(() => undefined);
  if (!response) return undefined;
  const read = pageOf(operation, values, response);
  assertOther(operation, read, page);
  return read;
}

/**
 * The rows of a result, from a row of a page on: until they are as many or as large as a result holds. The last row may
 * reach over the limit, so that a walk of results needs no more of them than the size of all rows.
 */
export async function stretchFrom(
  reader: Reader,
  first: Page,
  start: number,
  mostRows: number,
): Promise<Stretch> {
  const rows: Row[] = [];
  const pages: [Page, ...Page[]] = [first];
  const isFull = () => rows.length >= mostRows || size >= maxResultLength;
  let size = 0;
  let page = first;
  let index = start;
  for (;;) {
    for (; index < page.rows.length; index += 1) {
      if (isFull()) return { pages, rows, next: { values: page.values, at: index, page } };
      const row = page.rows[index]!;
      rows.push(row);
      size += jsonLength(row.value) + 1;
    }
    const { following } = page;
    if (following === undefined) return { pages, rows };
    if (following === unreachable) return { pages, rows, unreachable: true };
    index -= page.rows.length;
    const goOn = { pages, rows, next: { values: following.values, at: index } };
    if ((isFull() && following.certain) || pages.length >= mostPages) return goOn;
    const read = await pageAfter(reader, page, following);
    if (!read) return goOn;
    pages.push((page = read));
  }
}

/** Whether a schema is a list, or an object in which one is always there. */
function hasList(schema: z.ZodType): boolean {
  const { shape = {}, element } = partsOf(schema);
  const lists = Object.values(shape).filter((inner) => isRequired(inner) && partsOf(inner).element);
  return element !== undefined || kindOf(schema) === "unknown" || lists.length > 0;
}

/** Whether an operation reads what has rows. */
export const readsRows = perOperation(
  ({ effect, responses, linkedPages }) =>
    linkedPages !== undefined ||
    (effect === "read" &&
      Object.values(responses).some((response) => response.kind === "json" && hasList(response.schema))),
);
