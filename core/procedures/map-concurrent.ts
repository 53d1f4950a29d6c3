/** Work on many items side by side. */
import type { Context } from "./procedure";

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
