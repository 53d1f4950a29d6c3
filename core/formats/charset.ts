/** Text in the narrow character sets of bank formats. */

/** One space wherever there is white space, none at the ends. */
export const squeeze = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Without control characters that no text has: white space stays as it is. */
export const withoutControls = (text: string): string => text.replace(/[^\P{Cc}\t\r\n]/gu, "");

/** Letters and signs that are more than a base letter with a mark. */
const spellings: Readonly<Record<string, string>> = {
  ß: "ss",
  ẞ: "SS",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  ð: "d",
  Ð: "D",
  þ: "th",
  Þ: "TH",
  ı: "i",
  "€": "EUR",
  "£": "GBP",
  "¥": "JPY",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
  "«": '"',
  "»": '"',
  "‐": "-",
  "–": "-",
  "—": "-",
  "−": "-",
  "⁄": "/",
  "×": "x",
};

/** Printable ASCII, on one line: letters lose their marks, what has no spelling becomes a dot. */
export function ascii(text: string): string {
  const line = squeeze(text);
  if (/^[\x20-\x7e]*$/.test(line)) return line;
  const plain = line
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\x20-\x7e]/gu, (sign) => spellings[sign] ?? ".");
  return squeeze(plain);
}

const nearestInX: Readonly<Record<string, string>> = {
  "&": "+",
  _: "-",
  "~": "-",
  "@": "(at)",
  '"': "'",
  "`": "'",
  ";": ",",
  "!": ".",
  "[": "(",
  "{": "(",
  "<": "(",
  "]": ")",
  "}": ")",
  ">": ")",
  "\\": "/",
  "|": "/",
};

const alreadyInX = /^[A-Za-z0-9/\-?:().,'+]+(?: [A-Za-z0-9/\-?:().,'+]+)*$/;

/** SWIFT character set x: letters, digits, space and `/ - ? : ( ) . , ' +`. */
export const swiftX = (text: string): string =>
  alreadyInX.test(text)
    ? text
    : ascii(text).replace(/[^A-Za-z0-9/\-?:().,'+ ]/g, (sign) => nearestInX[sign] ?? ".");

/** At most so many characters, without white space at the end. */
export const cut = (text: string, length: number): string => text.slice(0, length).trimEnd();

/** Without any white space, as account numbers are written. */
export const compact = (text: string): string => text.replace(/\s+/g, "");
