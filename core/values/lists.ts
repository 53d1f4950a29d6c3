/** Order and grouping of lists. */

/** Compares texts by their characters, independent of the language. */
export const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Groups a list by keys, in the order of their first use. */
export function groupBy<T, K>(list: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of list) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}
