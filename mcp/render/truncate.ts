/** Truncates responses to a size that a model can read. */
import type { Callable } from "../../core/spec/operation";

/** Upper bound of one result in characters of JSON: about 5,000 tokens, well below the limits of hosts. */
export const maxResultLength = 20_000;

export const jsonLength = (value: unknown): number => JSON.stringify(value)?.length ?? 0;

/**
 * Truncates a value to a number of characters of JSON. Keeps the first items of an array, the beginning of a string and all
 * properties of an object, cutting large ones first. An object with too many properties loses the largest.
 */
export function truncate(value: unknown, budget: number): unknown {
  if (jsonLength(value) <= budget) return value;
  if (typeof value === "string") return truncateText(value, budget);
  if (Array.isArray(value)) return truncateArray(value, budget);
  if (typeof value === "object" && value !== null) return truncateObject(value, budget);
  return value;
}

/**
 * Cuts the text in proportion to its JSON, in which line ends and quotes take two characters. Does not split surrogate
 * pairs.
 */
function truncateText(text: string, budget: number): string {
  const part = Math.max(0, budget - 3) / jsonLength(text);
  return `${text.slice(0, Math.floor(text.length * part)).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function truncateArray(items: readonly unknown[], budget: number): unknown[] {
  let remaining = budget - 2;
  const end = items.findIndex((item) => (remaining -= jsonLength(item) + 1) < 0);
  return end === 0 ? [truncate(items[0], budget - 2)] : items.slice(0, end);
}

function truncateObject(object: object, budget: number): unknown {
  const smallestFirst = Object.entries(object).toSorted(([, a], [, b]) => jsonLength(a) - jsonLength(b));
  let remaining = budget - 2;
  let remainingCount = smallestFirst.length;
  const included = new Map<string, unknown>();
  for (const [key, value] of smallestFirst) {
    const share = remaining / remainingCount - key.length - 4;
    const truncated = truncate(value, share);
    const size = jsonLength(truncated) + key.length + 4;
    remainingCount -= 1;
    if (size > remaining) continue;
    included.set(key, truncated);
    remaining -= size;
  }
  return Object.fromEntries(
    Object.keys(object).flatMap((key) => (included.has(key) ? [[key, included.get(key)]] : [])),
  );
}

/** Adds a warning for calls that are not reads, which must not be repeated to see the rest. */
export const truncationNote = ({ effect }: Callable, text: string): string =>
  effect === "read"
    ? text
    : `${text} Do not call the tool again to see the rest: that would repeat the action.`;
