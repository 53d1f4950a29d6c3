/** What is computed from little and asked for again and again. */

/** How many results are kept; then all are forgotten, so that nothing grows with what is asked for. */
const maxResults = 10_000;

/** The function with its results kept. */
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
