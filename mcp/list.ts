/** A list of the service as the result of a tool: which page it is, and where it goes on. */
import type { Values } from "../core/operations/check";
import type { Declaration, Paging } from "../core/operations/declaration";
import { fit, sizeOf } from "./fit";
import type { JsonObject } from "./protocol";
import { howToNarrow, largestResult, type Shown } from "./shown";

interface List extends JsonObject {
  readonly count: number;
  readonly total?: number;
  readonly next_page?: number;
  readonly items: readonly unknown[];
}

/** Where in a list a page is, and whether another one follows. */
function placeOf({ page, size, defaultSize }: Paging, input: Values, count: number, total?: number) {
  const number = Number(input[page] ?? 1);
  const asked = Number(input[size] ?? defaultSize);
  const before = (number - 1) * asked;
  const more = total === undefined ? count >= Math.min(asked, defaultSize) : before + count < total;
  return {
    [page]: number,
    [size]: asked,
    ...(total !== undefined && { total }),
    ...(more && count > 0 && { next_page: number + 1 }),
  };
}

/** The page as if less had been asked for: what was left out begins the next one. */
function smallerPage({ page, size }: Paging, list: List, shown: readonly unknown[]): List {
  const before = (Number(list[page]) - 1) * Number(list[size]);
  let count = shown.length;
  while (before % count !== 0) count -= 1;
  const next = before / count + 2;
  return {
    truncated: `Only ${count} of them fit in one result: go on with ${page} ${next} and ${size} ${count}.`,
    ...list,
    count,
    [page]: next - 1,
    [size]: count,
    next_page: next,
    items: shown.slice(0, count),
  };
}

/** The list with as many entries as fit. */
function fittingList(operation: Declaration, list: List): List {
  if (sizeOf(list) <= largestResult) return list;
  const { items } = fit(list, largestResult) as List;
  if (operation.pages) return smallerPage(operation.pages, list, items);
  const truncated = `Only the first ${items.length} of them fit in one result.${howToNarrow(operation)}`;
  return { truncated, ...list, items };
}

function remarksOn({ count, total, next_page: next, truncated }: List): string[] {
  const entries = `${count} ${count === 1 ? "entry" : "entries"}.`;
  const all = total === undefined ? [] : [`${total} in all.`];
  if (typeof truncated === "string") return [entries, ...all, truncated];
  return [entries, ...all, ...(next === undefined ? [] : [`More may follow on page ${next}.`])];
}

export function shownList(
  operation: Declaration,
  input: Values,
  items: readonly unknown[],
  total?: number,
): Shown {
  const place = operation.pages && placeOf(operation.pages, input, items.length, total);
  const content = fittingList(operation, { count: items.length, ...place, items });
  return { content, remarks: remarksOn(content) };
}
