/** Lists that come page by page. */
import { InvalidResponse } from "../errors";
import type { Values } from "../operations/check";
import type { Declaration } from "../operations/declaration";
import type { Reply } from "./call";

type CallPage = (input: Values) => Promise<Reply>;

/**
 * Fetches a list page by page, as its pages are consumed. The end is where x-total-count says, where the service counts;
 * else the first page shorter than a usual one. A service that keeps answering the same page is reported, not followed.
 */
export async function* pagesOf(
  operation: Declaration,
  input: Values,
  call: CallPage,
): AsyncGenerator<unknown[], void, void> {
  const { page, size, defaultSize } = operation.pages!;
  const asked = Number(input[size] ?? defaultSize);
  let seen = 0;
  let previous = "";
  for (let number = Number(input[page] ?? 1); ; number += 1) {
    const reply = await call({ ...input, [page]: number, [size]: asked });
    const items = reply.body as unknown[];
    const fingerprint = JSON.stringify(items[0]);
    if (items.length > 0 && fingerprint === previous)
      throw new InvalidResponse(`${operation.name}: Page ${number} repeats the page before it.`, {
        operation: operation.name,
        code: "invalid_response",
        outcome: "unknown",
        status: reply.status,
      });
    previous = fingerprint;
    if (items.length > 0) yield items;
    seen += items.length;
    const short = items.length < Math.min(asked, defaultSize);
    if (items.length === 0 || (reply.total === undefined ? short : seen >= reply.total)) return;
  }
}
