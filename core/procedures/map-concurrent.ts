/** Limit of concurrent calls: enough for speed, few enough to leave room for other callers. */
const maxConcurrent = 6;

/**
 * Maps items concurrently. Returns results in the order of the items. After the first failure, no further item is
 * started.
 */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const remaining = items.entries();
  const worker = async () => {
    for (const [index, item] of remaining) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, worker));
  return results;
}
