/** Reads of several items that may fail individually. */
import { FxdeskError } from "../spec/errors";
import { mapConcurrent } from "../procedures/map-concurrent";
import type { Context } from "../procedures/procedure";

/** Returns the entries of all items and a gap per failed item. Throws the first failure if all items failed. */
export async function readEach<T, R>(
  { signal }: Context,
  items: readonly T[],
  nameOf: (item: T) => string,
  read: (item: T) => Promise<readonly R[]>,
): Promise<{ entries: R[]; gaps: string[] }> {
  const failures: FxdeskError[] = [];
  const gaps: string[] = [];
  const found = await mapConcurrent(items, async (item) => {
    try {
      return await read(item);
    } catch (error) {
      if (!(error instanceof FxdeskError) || signal?.aborted) throw error;
      failures.push(error);
      gaps.push(`${nameOf(item)}: ${error.message}`);
      return [];
    }
  });
  if (failures.length > 0 && failures.length === items.length) throw failures[0]!;
  return { entries: found.flat(), gaps };
}
