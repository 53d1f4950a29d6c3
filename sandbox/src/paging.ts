/** Pages of a list. */
import type { Call, Result } from "./behaviour";

/** The page the call asks for, and the count of all where the contract documents one. */
export function paged<T>(
  { operation, values }: Call,
  items: readonly T[],
  view: (item: T) => unknown,
): Result {
  const { page, size, defaultSize, total } = operation.pages!;
  const length = Number(values[size] ?? defaultSize);
  const start = (Number(values[page] ?? 1) - 1) * length;
  const headers = total === undefined ? {} : { [total]: String(items.length) };
  return { status: 200, body: items.slice(start, start + length).map(view), headers };
}
