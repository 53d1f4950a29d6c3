/** Paging of lists. */
import type { Call } from "./behaviour";

export type Sliceable<T> = Pick<readonly T[], "length" | "slice">;

/** Reverses a list without copying it. */
export const newestFirst = <T>(items: Sliceable<T>): Sliceable<T> => ({
  length: items.length,
  slice: (from = 0, to = items.length) =>
    items.slice(Math.max(items.length - to, 0), Math.max(items.length - from, 0)).toReversed(),
});

const countHeader = "x-total-count";

/** Returns the requested page, with the total count if the contract documents it or the settings enable it. */
export function toPageResponse<T, View>(
  { operation, values, world }: Call,
  items: Sliceable<T>,
  view: (item: T) => View,
) {
  const { page, size, defaultSize, total } = operation.pages!;
  const length = Number(values[size] ?? defaultSize);
  const start = (Number(values[page] ?? 1) - 1) * length;
  const totalHeader = total ?? (world.settings.totalCount ? countHeader : undefined);
  const headers: Record<string, string> =
    totalHeader === undefined ? {} : { [totalHeader]: String(items.length) };
  return { status: 200, body: items.slice(start, start + length).map(view), headers } as const;
}
