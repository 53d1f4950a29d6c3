/** Normalisation and comparison of references and names as written by payers and banks. */
import { isIban } from "../../files/identifiers";
import { isDay } from "../../values/values";

/** Converts to upper case without accents. */
const toComparableText = (text: string): string =>
  text
    .replace(/[ßẞ]/g, "ss")
    .replace(/[øØ]/g, "o")
    .replace(/[łŁ]/g, "l")
    .replace(/[æÆ]/g, "ae")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase();

const wordsOf = (text: string): string[] => toComparableText(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Removes separators, accents and case, so that "lake side" is part of "Lakeside Ltd". */
export const compactText = (text: string): string => wordsOf(text).join("");

const digitsOnly = /^\d+$/;
/** Minimum digits of a reference over several words. Fewer are more likely an amount or a date. */
const minJoinedDigits = 8;

const isDate = (digits: string): boolean =>
  digits.length === 8 &&
  [
    `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`,
    `${digits.slice(4)}-${digits.slice(2, 4)}-${digits.slice(0, 2)}`,
  ].some(isDay);

const joinWords = (words: readonly string[]): string => {
  const text = words.join("");
  return words.length === 2 && isDate(text) ? words.join(" ") : text;
};

/**
 * Removes separators from a reference, so that INV-2041 equals "inv 2041". Keeps the parts of references such as
 * 2026-0109 apart, which would otherwise look like dates.
 */
export const compactReference = (reference: string): string => joinWords(wordsOf(reference));

/** Maximum number of words read from a text. */
const maxWords = 120;
/** Maximum number of words in a reference. */
const maxReferenceWords = 6;

interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns the number of words from `start` on that form an IBAN in groups of four: with valid check digits, or after
 * the word IBAN. RF references are not IBANs.
 */
function ibanWordCount(words: readonly string[], start: number): number {
  if (!/^(?!RF)[A-Z]{2}\d{2}$/.test(words[start]!)) return 0;
  let end = start + 1;
  while (words[end]?.length === 4) end += 1;
  const isRight = (to: number) => isIban(words.slice(start, to).join(""));
  for (let to = (words[end]?.length ?? 4) < 4 ? end + 1 : end; to > start; to -= 1)
    if (isRight(to)) return to - start;
  if (words[start - 1] !== "IBAN") return 0;
  return (/^\d+$/.test(words[end] ?? "") ? end + 1 : end) - start;
}

/** Replaces IBANs, whose digits are not references. */
function withoutIbans(words: readonly string[]): string[] {
  const others: string[] = [];
  for (let start = 0; start < words.length; start += 1) {
    const length = ibanWordCount(words, start);
    others.push(length === 0 ? words[start]! : "IBAN");
    start += Math.max(0, length - 1);
  }
  return others;
}

/** Returns all sequences of words of a text as compact references. */
function spansOf(text: string): Span[] {
  const words = withoutIbans(wordsOf(text).slice(0, maxWords));
  return words.flatMap((_, start) =>
    Array.from({ length: Math.min(maxReferenceWords, words.length - start) }, (__, more) => ({
      start,
      end: start + more + 1,
      text: joinWords(words.slice(start, start + more + 1)),
    })),
  );
}

/** True if the reference is specific enough to be recognised in a text. A year, a date or "7" is not. */
export const isDistinctive = (reference: string): boolean =>
  digitsOnly.test(reference)
    ? reference.length > 4 && !isDate(reference)
    : /\d/.test(reference) && reference.length >= 4;

const isWholeWord = ({ start, end, text }: Span): boolean =>
  end - start === 1 || text.length >= minJoinedDigits || !digitsOnly.test(text);

const isInside = (one: Span, other: Span): boolean =>
  one !== other &&
  other.start <= one.start &&
  one.end <= other.end &&
  other.end - other.start > one.end - one.start;

/** Returns the known references in a text, in compact form. INV-2041 matches neither INV-204 nor INV 20. */
export function findReferences(text: string, known: ReadonlyMap<string, unknown>): string[] {
  const whole = compactReference(text);
  const found = spansOf(text).filter(
    (span) =>
      known.has(span.text) && (span.text === whole || (isDistinctive(span.text) && isWholeWord(span))),
  );
  return found.filter((span) => !found.some((other) => isInside(span, other))).map((span) => span.text);
}

/** Returns digits that may be a date or a reference such as 2026-0109 without its hyphen. */
export const findDates = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => digitsOnly.test(word) && isDate(word))
    .map((word) => joinWords([word.slice(0, 4), word.slice(4)]));

/** Returns possible references in a text, in compact form. */
export const findReferenceCandidates = (text: string): string[] =>
  spansOf(text)
    .filter((span) => isWholeWord(span) && isDistinctive(span.text))
    .map((span) => span.text);

/** True if the text contains an unknown sub-reference of a known reference, for example INV-2041/A. */
export const namesSubReference = (text: string, known: ReadonlyMap<string, unknown>): boolean => {
  const all = toComparableText(text);
  return [...all.matchAll(/\d[-/._](\p{L})(?![\p{L}\p{N}])/gu)].some(({ index, 1: letter }) => {
    const words = wordsOf(all.slice(0, index + 1)).slice(-maxReferenceWords);
    return words.some((_, start) => {
      const reference = joinWords(words.slice(start));
      return isDistinctive(reference) && known.has(reference) && !known.has(reference + letter);
    });
  });
};

/** Returns the pattern of a reference: its letters (INV-2041 and INV-88), or the number of its digits (8800123). */
export function referencePattern(reference: string): string {
  const digits = reference.replace(" ", "");
  return digitsOnly.test(digits) ? `${digits.length} digits` : reference.replace(/\d+/g, "#");
}

/** True if the pattern contains letters. */
export const hasLetters = (shape: string): boolean => !shape.endsWith(" digits");

/** Legal forms of companies, mapped to their short form. */
const legalForms: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    (
      "AB AG APS AS BV BVBA CO CORP EG EK EV GBR GMBH INC KFT KG KGAA LLC LLP LP LTD MBH NV OHG OY OYJ PLC PTY SA SARL SAS SE SL " +
      "SNC SPA SPZOO SRL SRO UG"
    )
      .split(" ")
      .map((form) => [form, form]),
  ),
  LIMITED: "LTD",
  INCORPORATED: "INC",
  CORPORATION: "CORP",
  COMPANY: "CO",
  AKTIENGESELLSCHAFT: "AG",
};

/** Words that are often omitted from company names. */
const fillers = new Set(["AND", "UND", "ET", "E", "Y", "THE"]);

export interface Party {
  /** Name as given. */
  readonly name: string;
  /** Sorted words of the name without the legal form. */
  readonly key: string;
  /** The same words in their order and without spaces. */
  readonly compact: string;
  readonly form: string;
  /** Beginning of the name, which a truncated name has as well. */
  readonly beginning: string;
}

/** Treats AE, OE and UE as A, O and U, because both spellings of umlauts occur. */
const withoutUmlauts = (word: string): string => word.replace(/([AOU])E/g, "$1");

export function parseParty(name: string): Party {
  const words = wordsOf(name.replace(/(?<=(^|[^\p{L}])\p{L})\.(?=\p{L}(\.|\s|$))/gu, ""));
  const distinctWords = words.filter((word) => !Object.hasOwn(legalForms, word) && !fillers.has(word));
  const form = words.filter((word) => Object.hasOwn(legalForms, word)).map((word) => legalForms[word]);
  const keyWords = (distinctWords.length > 0 ? distinctWords : words).map(withoutUmlauts);
  return {
    name,
    beginning: toComparableText(name).slice(0, 10),
    key: keyWords.toSorted().join(" "),
    compact: keyWords.join(""),
    form: distinctWords.length > 0 ? form.join(" ") : "",
  };
}

/** Lengths at which bank formats truncate names. */
const truncationLengths = new Set([27, 35, 70]);

/** True if a bank may have cut the name. */
export const isCutName = (name: string): boolean => truncationLengths.has(name.length);

const isTruncated = (cut: string, whole: string): boolean =>
  isCutName(cut) && whole.length > cut.length && toComparableText(whole).startsWith(toComparableText(cut));

export type PartyComparison = "same" | "different" | "unknown";

/** Compares two names. Similar is not the same: another letter or legal form may be another company. */
export function compareParties(one: Party | undefined, other: Party | undefined): PartyComparison {
  if (!one || !other || one.key === "" || other.key === "") return "unknown";
  if (isTruncated(one.name, other.name) || isTruncated(other.name, one.name)) return "same";
  const formsAgree = one.form === other.form || one.form === "" || other.form === "";
  const namesAgree = one.key === other.key || one.compact === other.compact;
  return namesAgree && formsAgree ? "same" : "different";
}
