/** Lists that come page by page. */
import { createHash } from "node:crypto";
import { InvalidResponse } from "../errors";
import type { Values } from "../operations/check";
import type { Declaration } from "../operations/declaration";
import type { Reply } from "./reply";

type CallPage = (input: Values) => Promise<Reply>;

/** A list of half a million entries is no list that anybody asked for. */
const mostPages = 10_000;

const digestOf = (items: readonly unknown[]) =>
  createHash("sha1").update(JSON.stringify(items)).digest("base64");

/**
 * Fetches a list page by page, as its pages are consumed. The end is where the service's count says, where it counts; else
 * the first page that is shorter than the service makes them. That may be less than was asked for: then it shows on the
 * next page. A service that answers a page for the second time, or none before the end of its count, is reported.
 */
export async function* pagesOf(
  operation: Declaration,
  input: Values,
  call: CallPage,
): AsyncGenerator<unknown[], void, void> {
  const { page, size, defaultSize } = operation.pages!;
  const asked = Number(input[size] ?? defaultSize);
  const first = Number(input[page] ?? 1);
  const seen = new Set<string>();
  /** Entries on a full page. */
  let full = 0;
  let count = 0;
  for (let number = first; ; number += 1) {
    const reply = await call({ ...input, [page]: number, [size]: asked });
    const wrong = (message: string) =>
      new InvalidResponse(`${operation.name}: ${message}`, {
        operation: operation.name,
        code: "invalid_response",
        outcome: "unknown",
        status: reply.status,
        requestId: reply.requestId,
        attempts: reply.attempts,
      });
    const items = reply.body;
    if (!Array.isArray(items)) throw wrong(`Page ${number} is not a list.`);
    if (items.length === 0) {
      const before = (first - 1) * asked + count;
      if (reply.total !== undefined && before < reply.total)
        throw wrong(`Page ${number} is empty, after ${before} of ${reply.total} entries.`);
      return;
    }
    const digest = digestOf(items);
    if (seen.has(digest)) throw wrong(`Page ${number} is the same as one before it.`);
    if (seen.size === mostPages) throw wrong(`There is no end after ${mostPages} pages.`);
    seen.add(digest);
    yield items;
    count += items.length;
    if (reply.total !== undefined) {
      if ((first - 1) * asked + count >= reply.total) return;
      continue;
    }
    // How many a full page has is the service's to say: it may give less than was asked for, and the next page tells.
    if (number === first) full = items.length;
    else if (items.length < full) return;
  }
}
