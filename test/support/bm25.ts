/** Ranks texts by how well they fit a query: Okapi BM25, over words without their endings. */

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) =>
    word.replace(/(?<=\w{3})(ies|ing|ed|es|s|e|y)$/, ""),
  );

/** How soon more of the same word counts for less, and how much long texts are held back. */
const [saturation, length] = [1.2, 0.75];

const countsOf = (words: readonly string[]): Map<string, number> =>
  words.reduce((counts, word) => counts.set(word, (counts.get(word) ?? 0) + 1), new Map<string, number>());

/** Returns a function that gives the names of the texts, the best first; those without any word of the query are left out. */
export function ranking(texts: ReadonlyMap<string, string>): (query: string) => string[] {
  const documents = [...texts].map(([name, text]) => {
    const words = wordsOf(text);
    return { name, counts: countsOf(words), size: words.length };
  });
  const usual = documents.reduce((sum, { size }) => sum + size, 0) / documents.length;
  const rarity = (word: string) => {
    const having = documents.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
  };
  return (query) => {
    const words = new Set(wordsOf(query));
    const scored = documents.map(({ name, counts, size }) => {
      const weight = (count: number) =>
        (count * (saturation + 1)) / (count + saturation * (1 - length + (length * size) / usual));
      const score = [...words].reduce((sum, word) => sum + rarity(word) * weight(counts.get(word) ?? 0), 0);
      return { name, score };
    });
    const fitting = scored.filter(({ score }) => score > 0);
    return fitting.toSorted((one, other) => other.score - one.score).map(({ name }) => name);
  };
}
