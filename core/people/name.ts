/** Names of people and programs: which are allowed, and which a reader could confuse. */
import { z } from "zod";

/** Letters that look like nothing, although Unicode counts them as letters. */
const blankLetters = /[\p{Default_Ignorable_Code_Point}]/u;

export const PersonName = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u, "must be a name of letters, digits and . _ @ -")
  .refine((name) => name === name.normalize("NFC"), "must be in Unicode normal form NFC")
  .refine((name) => !blankLetters.test(name), "must not contain invisible characters")
  .meta({ description: "Name of a person or program." });

/** Cyrillic, Greek, Armenian and Latin letters beside the plain letters that they look like, in lower case. */
const lookAlikeLetters: readonly (readonly [plain: string, others: string])[] = [
  ["a", "\u0430\u03b1\u0251"],
  ["b", "\u0432\u044c\u03b2"],
  ["c", "\u0441\u03f2"],
  ["d", "\u0501"],
  ["e", "\u0435\u0454\u04bd\u03b5"],
  ["g", "\u0261\u0581"],
  ["h", "\u043d\u04bb\u0570"],
  ["i", "\u0456\u0131\u03b9\u0269"],
  ["j", "\u0458\u0575"],
  ["k", "\u043a\u03ba\u0138"],
  ["l", "\u04cf\u04c0"],
  ["m", "\u043c\u03bc"],
  ["n", "\u0578\u03b7\u043f"],
  ["o", "\u043e\u03bf\u0585\u03c3"],
  ["p", "\u0440\u03c1"],
  ["q", "\u051b\u0566"],
  ["r", "\u0433"],
  ["s", "\u0455"],
  ["t", "\u0442\u03c4"],
  ["u", "\u03c5\u057d"],
  ["v", "\u0475\u03bd"],
  ["w", "\u051d\u0461\u03c9"],
  ["x", "\u0445\u03c7"],
  ["y", "\u0443\u04af\u03b3"],
  ["z", "\u03b6"],
];

const plainLetters = new Map(
  lookAlikeLetters.flatMap(([plain, others]) => Array.from(others, (letter) => [letter, plain] as const)),
);

/** Returns the same text for names that a reader could confuse: by case, accents, digits or letters of other scripts. */
function skeletonOf(name: string): string {
  // Capital I, the digit one and a small L look alike; so do a capital O and zero.
  const unaccented = name.replace(/[I1|]/g, "l").normalize("NFKD").replace(/\p{M}/gu, "");
  const letters = Array.from(unaccented.toLowerCase(), (letter) => plainLetters.get(letter) ?? letter);
  return letters.join("").replaceAll("0", "o").replaceAll("rn", "m").replaceAll("vv", "w");
}

const foldCase = (name: string): string => name.normalize("NFKC").toLowerCase();

/** Returns the first of `others` that differs from the name only by case or by characters that look alike. */
export const findLookAlike = (name: string, others: Iterable<string>): string | undefined =>
  [...others].find(
    (other) =>
      other !== name && (foldCase(other) === foldCase(name) || skeletonOf(other) === skeletonOf(name)),
  );
