/** Spelling suggestions for unknown words. */

/** Returns the Levenshtein distance. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** Ignores case and word separators. */
const normalizeWord = (word: string) => word.toLowerCase().replace(/[-_.]/g, "");

/** Returns the known words most similar to `word`, best first: three at most, none if nothing is similar. */
export function suggestions(word: string, known: readonly string[]): string[] {
  const normalized = normalizeWord(word);
  const maxDistance = Math.max(2, Math.floor(normalized.length / 3));
  return known
    .map((candidate) => ({ candidate, distance: editDistance(normalized, normalizeWord(candidate)) }))
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}
