/** Removes repetition from generated files, to keep them small. */

type Named<T> = readonly [name: string, value: T];

/** Returns the most frequent value of each name. */
export function commonValues<T>(all: readonly Named<T>[]): Readonly<Record<string, T>> {
  const counts = new Map<string, { readonly entry: Named<T>; times: number }>();
  for (const entry of all) {
    const key = JSON.stringify(entry);
    const known = counts.get(key);
    if (known) known.times += 1;
    else counts.set(key, { entry, times: 1 });
  }
  const byCount = [...counts.values()].toSorted((one, other) => one.times - other.times);
  return Object.fromEntries(byCount.map(({ entry }) => entry));
}

/** True if an entry has the common value of its name. */
export const isCommon = <T>(common: Readonly<Record<string, T>>, [name, value]: Named<T>): boolean =>
  JSON.stringify(common[name]) === JSON.stringify(value);
