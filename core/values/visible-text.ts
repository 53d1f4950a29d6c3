/** Shows text of other people so that no two different texts look the same without a hint. */

/**
 * Control, format, unassigned and default-ignorable characters (fillers, tags, variation selectors), and spaces that look
 * like others. They hide or reverse words for a person, while programs still read them.
 */
const invisible = /(?![ \t\n\r\u3000])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc]/gu;

const codeOf = (character: string): string =>
  `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}>`;

/** Matches text with nothing to replace, which most text is. It is much faster than the pattern above. */
const plain = /^[\t\n\r -~]*$/;

/** Replaces invisible characters by their codes, for example `<U+200B>`. Keeps tabs and line ends. */
export const visibleText = (text: string): string =>
  plain.test(text) ? text : text.replace(invisible, codeOf);

const alphabets = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Words, also in JSON text, where an escape such as \n may precede them. */
const words = /(?<!\\)[\p{L}\p{M}\p{N}]+/gu;

/** Returns a warning that names the words with letters of several alphabets that look alike; undefined if there are none. */
export function alphabetNote(text: string): string | undefined {
  const mixed = (text.match(words) ?? []).filter(
    (word) => alphabets.filter((alphabet) => alphabet.test(word)).length > 1,
  );
  if (mixed.length === 0) return undefined;
  const shown = mixed.map((word) => word.replace(/[\p{Script=Cyrillic}\p{Script=Greek}]/gu, codeOf));
  return `mixes alphabets: ${shown.join(", ")}`;
}
