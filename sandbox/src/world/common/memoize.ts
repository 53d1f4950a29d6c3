/** Bounds the memory of a cache: when it is full, all results are dropped. */
const maxResults = 10_000;

/** Returns a function that caches its results. */
export function memoize<Key extends string | number, Value>(
  compute: (key: Key) => Value,
): (key: Key) => Value {
  const results = new Map<Key, Value>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    if (results.size >= maxResults) results.clear();
    results.set(key, value);
    return value;
  };
}
