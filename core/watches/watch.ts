/** Helpers for the declarations of watches. */
import { type Watch, watchFor, type WatchState } from "../spec/watch";
import { type Context, type ContractClient, mapConcurrent } from "../procedures/procedure";
import { FxdeskError } from "../spec/errors";

// The explicit type lets the compiler emit short types for declarations.
/** Declares a watch over the contract. */
export const watch: ReturnType<typeof watchFor<ContractClient>> = watchFor();

/** A watch with entries of unknown type. */
export type AnyWatch = Watch & {
  readonly identify: (entry: unknown) => string;
  readonly state: (entry: unknown, input: unknown, previous: WatchState | undefined) => WatchState;
  readonly day?: (entry: unknown) => string;
  readonly time?: (entry: unknown) => string;
};

/**
 * Reads items side by side. Returns their entries and a gap per failed item, both in the order of the items. Throws the first
 * failure if all items failed.
 */
export async function readEach<T, R>(
  context: Context,
  items: readonly T[],
  nameOf: (item: T) => string,
  read: (item: T) => Promise<readonly R[]>,
): Promise<{ entries: R[]; gaps: string[] }> {
  const results = await mapConcurrent(context, items, async (item) => {
    try {
      return await read(item);
    } catch (error) {
      if (!(error instanceof FxdeskError) || context.signal?.aborted) throw error;
      return error;
    }
  });
  const entries: R[] = [];
  const failures: FxdeskError[] = [];
  const gaps: string[] = [];
  for (const [index, result] of results.entries()) {
    if (result instanceof FxdeskError) {
      failures.push(result);
      gaps.push(`${nameOf(items[index]!)}: ${result.message}`);
    } else for (const entry of result) entries.push(entry);
  }
  if (failures.length > 0 && failures.length === items.length) throw failures[0]!;
  return { entries, gaps };
}
