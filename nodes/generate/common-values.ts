/** What is the same for most who have a name is said once, by that name. */

type Named<T> = readonly [name: string, value: T];

/** What most say of each name, by name; who says something else of it says it for itself. */
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

/** Whether a name has what most say of it. */
export const isCommon = <T>(common: Readonly<Record<string, T>>, [name, value]: Named<T>): boolean =>
  JSON.stringify(common[name]) === JSON.stringify(value);
