/** Amounts as people write them. The one rule for text that can mean two amounts, on every surface. */
import { Big } from "big.js";
import { z } from "zod";

export type DecimalMark = "." | ",";

/** Amounts by decimal mark; the other mark separates groups of three digits. */
const amountPatterns = {
  ".": /^(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?$/,
  ",": /^(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/,
} as const;

export const decimalMarks = [".", ","] as const;
export const otherMark = { ".": ",", ",": "." } as const;

export type AmountReadings = Readonly<Partial<Record<DecimalMark, Big>>>;

/** Returns the amounts that a text can mean, by decimal mark. An amount without a mark is the same for both. */
export function readingsOf(given: string): AmountReadings {
  const text = given
    .trim()
    .replace(/^[\u2212\u2013]/, "-")
    .replace(/(?<=\d)[\s\u00A0\u202F'\u2019](?=\d{3}(\D|$))/g, "");
  const [, sign = "", digits = ""] = /^([+-]?)\s*(\d[\d.,]*)$/.exec(text) ?? [];
  const found = decimalMarks.filter((mark) => amountPatterns[mark].test(digits));
  return Object.fromEntries(
    found.map((mark) => {
      const plain = digits.replaceAll(otherMark[mark], "").replace(mark, ".");
      return [mark, new Big(sign === "-" ? `-${plain}` : plain)];
    }),
  );
}

/** Formats an amount with a fourth decimal where three could be read as thousands. */
export const unambiguousText = (amount: Big): string =>
  amount.toFixed().replace(/^(-?[1-9]\d{0,2}\.\d{3})$/, "$10");

/** Returns the amounts that a text can mean, as they are to be written. */
const spellingsOf = (text: string): readonly string[] => [
  ...new Set(Object.values(readingsOf(text)).map(unambiguousText)),
];

/** True if the text can mean two amounts, as 10.000 and 1,000 can. */
export const isAmbiguousAmount = (text: string): boolean => spellingsOf(text).length > 1;

/** Returns what to write instead of a text with separators; undefined for a plain decimal number, and for no amount. */
export function amountProblem(text: unknown): string | undefined {
  const [first, second] = typeof text === "string" ? spellingsOf(text.trim()) : [];
  if (second !== undefined) return `can mean ${first} or ${second}: write ${first} or ${second}`;
  return first === undefined || /^-?\d+(\.\d+)?$/.test(String(text))
    ? undefined
    : `must be written as ${first}`;
}

/** Returns the schema of an amount that a person may have written. Its errors say what to write. */
export const amountText = (pattern: RegExp, expected: string): z.ZodString =>
  z
    .string()
    .regex(pattern, { error: ({ input }) => amountProblem(input) ?? expected, abort: true })
    .refine((text) => !isAmbiguousAmount(text), { error: ({ input }) => amountProblem(input)! });
