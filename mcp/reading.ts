/** Reads what a tool shows of a list, from its beginning or from where an earlier result ended. */
import { invalidInput } from "../core/client/prepare";
import type { Declaration } from "../core/declaration/operation";
import { jsonLength } from "./truncate";
import type { Kept } from "./kept";
import { argumentsOf } from "./names";
import type { JsonObject } from "./protocol";
import { continuation, type Page, pageOf, type Reader, type Stretch, stretchFrom } from "./walk";
import type { Values } from "../core/declaration/fields";

/** A page that did not fit, of an operation whose calls are counted. */
export interface KeptPage {
  readonly tool: string;
  readonly page: Page;
}

/** What was read for one result. */
export interface Found extends Stretch {
  /** Whether it goes on from an earlier result. */
  readonly continued: boolean;
  /** The arguments of the call that goes on. */
  readonly arguments?: JsonObject;
  /** Whether the rest was read and is not kept: it is too large. */
  readonly lost?: true;
}

const wrong = (operation: Declaration, description: string) =>
  invalidInput(operation, [{ field: continuation, message: description }]);

const gone =
  "is not known here any more: what did not fit is kept for 15 minutes, by the server that read it. Call again " +
  `without ${continuation}; that is one more read at the service`;

/** Where to begin: at a page that is kept, or at one that is to be read. */
interface Start {
  readonly key?: string;
  readonly page: Page;
  readonly at: number;
}

function keptStart(operation: Declaration, values: Values, place: string, kept: Kept<KeptPage>): Start {
  const [key = "", at = ""] = place.split(".");
  const found = kept.get(key);
  if (found?.tool !== operation.tool || !/^\d+$/.test(at)) throw wrong(operation, gone);
  if (
    JSON.stringify(argumentsOf(operation, values)) !==
    JSON.stringify(argumentsOf(operation, found.page.values))
  )
    throw wrong(operation, `belongs to other arguments: send next as it was, or leave ${continuation} out`);
  return { key, page: found.page, at: Number(at) };
}

async function start(reader: Reader, values: Values, place: unknown, kept: Kept<KeptPage>): Promise<Start> {
  const { operation, call } = reader;
  if (place !== undefined && operation.metered) return keptStart(operation, values, String(place), kept);
  const at = String(place ?? 0);
  if (!/^\d+$/.test(at)) throw wrong(operation, `must be as in next, not ${JSON.stringify(place)}`);
  return { page: pageOf(operation, values, await call(values)), at: Number(at) };
}

/** With the page and its size said, which a continuation relies on. */
function paged({ pages }: Declaration, values: Values): Values {
  if (!pages) return values;
  const { page, size, defaultSize } = pages;
  return { ...values, [page]: values[page] ?? 1, [size]: values[size] ?? defaultSize };
}

/** How to go on, where there is more. */
function nextOf(
  operation: Declaration,
  { key, page: begun }: Start,
  { next }: Stretch,
  kept: Kept<KeptPage>,
) {
  if (!next) return {};
  const args = argumentsOf(operation, next.values);
  if (!operation.metered) return { arguments: { ...args, [continuation]: String(next.at) } };
  const { page, at } = next;
  if (!page) return { arguments: args };
  const under =
    page === begun && key ? key : kept.keep({ tool: operation.tool, page }, jsonLength(page.rows));
  return under === undefined
    ? { lost: true as const }
    : { arguments: { ...args, [continuation]: `${under}.${at}` } };
}

/**
 * A first result has at most the page that was asked for; one that continues has as much as fits. Throws what the call
 * throws, and InvalidInput for a continuation that is none.
 */
export async function readFrom(
  reader: Reader,
  values: Values,
  place: unknown,
  kept: Kept<KeptPage>,
): Promise<Found> {
  const { operation } = reader;
  const asked = paged(operation, values);
  const begun = await start(reader, asked, place, kept);
  const continued = place !== undefined;
  const most = operation.pages && !continued ? Number(asked[operation.pages.size]) : Infinity;
  const stretch = await stretchFrom(reader, begun.page, begun.at, most);
  return { ...stretch, continued, ...nextOf(operation, begun, stretch, kept) };
}
