/** References and names, as payers and banks write them, so that they can be compared. */
import { isIban } from "../../formats/identifiers";
import { isDay } from "../../schema/values";

/** In capitals, without accents. */
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

const digitsOnly = /^\d+$/;
/** Fewer digits in several words are rather an amount or a date than a reference. */
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
 * A reference without what is written between its parts: INV-2041 and "inv 2041" are the same. Of one that could be a date
 * without it, such as 2026-0109, the parts stay apart.
 */
export const compactReference = (reference: string): string => joinWords(wordsOf(reference));

/** A longer text says nothing more that counts here. */
const maxWords = 120;
/** So many words may make one reference. */
const maxReferenceWords = 6;

interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * How many words from a place on are one IBAN, in groups of four: with right check digits, or behind the word IBAN. A RF
 * reference is none.
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

/** Whose digits are no reference. */
function withoutIbans(words: readonly string[]): string[] {
  const others: string[] = [];
  for (let start = 0; start < words.length; start += 1) {
    const length = ibanWordCount(words, start);
    others.push(length === 0 ? words[start]! : "IBAN");
    start += Math.max(0, length - 1);
  }
  return others;
}

/** All runs of words of a text, written as references are. */
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

/** Whether a reference says by itself what it is. A year, a date or "7" in a text may mean anything. */
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

/** The references, written compactly, that a text names: INV-2041 does not name INV-204, nor an INV 20 that is part of it. */
export function findReferences(text: string, known: ReadonlyMap<string, unknown>): string[] {
  const whole = compactReference(text);
  const found = spansOf(text).filter(
    (span) =>
      known.has(span.text) && (span.text === whole || (isDistinctive(span.text) && isWholeWord(span))),
  );
  return found.filter((span) => !found.some((other) => isInside(span, other))).map((span) => span.text);
}

/** What in a text is a date, or a reference such as 2026-0109 written without its hyphen: nobody can tell. */
export const findDates = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => digitsOnly.test(word) && isDate(word))
    .map((word) => joinWords([word.slice(0, 4), word.slice(4)]));

/** What in a text might be a reference, written compactly. */
export const findReferenceCandidates = (text: string): string[] =>
  spansOf(text)
    .filter((span) => isWholeWord(span) && isDistinctive(span.text))
    .map((span) => span.text);

/** Whether a text names a reference with a letter behind it, such as INV-2041/A, which is none of those that are known. */
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

/**
 * What references of one kind have in common: INV-2041 and INV-88 the letters, 8800123 and 8800124 how many digits they have.
 */
export function referencePattern(reference: string): string {
  const digits = reference.replace(" ", "");
  return digitsOnly.test(digits) ? `${digits.length} digits` : reference.replace(/\d+/g, "#");
}

/** Whether references of a shape are told apart from other numbers by their letters. */
export const hasLetters = (shape: string): boolean => !shape.endsWith(" digits");

/** Words that say which kind of company it is, in their short form. */
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

/** Words that are often left out, and stand for no company. */
const fillers = new Set(["AND", "UND", "ET", "E", "Y", "THE"]);

export interface Party {
  /** As it was given. */
  readonly name: string;
  /** Its words without those of its legal form, in the order of the alphabet: what tells it from others. */
  readonly key: string;
  readonly form: string;
}

/** Umlauts are written with an e behind them, or without. */
const withoutUmlauts = (word: string): string => word.replace(/([AOU])E/g, "$1");

export function parseParty(name: string): Party {
  const words = wordsOf(name.replace(/(?<=(^|[^\p{L}])\p{L})\.(?=\p{L}(\.|\s|$))/gu, ""));
  const distinctWords = words.filter((word) => !Object.hasOwn(legalForms, word) && !fillers.has(word));
  const form = words.filter((word) => Object.hasOwn(legalForms, word)).map((word) => legalForms[word]);
  const keyWords = distinctWords.length > 0 ? distinctWords : words;
  return {
    name,
    key: keyWords.map(withoutUmlauts).toSorted().join(" "),
    form: distinctWords.length > 0 ? form.join(" ") : "",
  };
}

/** Where bank formats cut names off. */
const truncationLengths = new Set([27, 35, 70]);

/** Whether a bank format may have cut a name off: then another key may still be the same company. */
export const mayBeTruncated = ({ name }: Party): boolean => truncationLengths.has(name.length);

const isTruncated = (cut: string, whole: string): boolean =>
  truncationLengths.has(cut.length) &&
  whole.length > cut.length &&
  toComparableText(whole).startsWith(toComparableText(cut));

export type PartyComparison = "same" | "different" | "unknown";

/**
 * Whether two names are of the same company. Similar names are not: one letter or another legal form may be another
 * company.
 */
export function compareParties(one: Party | undefined, other: Party | undefined): PartyComparison {
  if (!one || !other || one.key === "" || other.key === "") return "unknown";
  if (isTruncated(one.name, other.name) || isTruncated(other.name, one.name)) return "same";
  const formsAgree = one.form === other.form || one.form === "" || other.form === "";
  return one.key === other.key && formsAgree ? "same" : "different";
}
