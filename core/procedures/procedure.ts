/** The `procedure()` function for procedures over the contract, and how they work on many items. */
import type { operations } from "../contract/all";
import type { Client } from "../api/client-types";
import { FxdeskError } from "../spec/errors";
import { procedureFor, type RunContext } from "../spec/procedure";

/** The client of procedures, with every operation of the contract. */
export type ContractClient = Client<typeof operations>;

export type Context = RunContext<ContractClient>;

// The explicit type lets the compiler emit short types for declarations.
export const procedure: ReturnType<typeof procedureFor<ContractClient>> = procedureFor();

/** Returns the result of one part of the work, or its error. Rethrows it after an abort, and if no call failed. */
export async function attempt<T>(
  { signal }: Pick<Context, "signal">,
  work: () => Promise<T>,
): Promise<T | FxdeskError> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FxdeskError) || signal?.aborted) throw error;
    return error;
  }
}

/**
 * Maps items concurrently and returns results in the order of the items. Starts only as many calls as the rate limiter lets
 * through, so that its queue stays free for other callers and no call waits in it until it times out. After the first
 * failure, no further item is started.
 */
export async function mapConcurrent<T, R>(
  { client }: Pick<Context, "client">,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(client.connections, items.length) }, worker));
  return results;
}
