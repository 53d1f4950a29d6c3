/** Calls side by side: enough to be quick, few enough to leave others their turn. */
const maxConcurrent = 6;

/** The results in the order of the items. The first failure ends it: no further item is begun. */
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
