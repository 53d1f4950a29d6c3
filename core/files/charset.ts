/** Converts text to the restricted character sets of bank formats. */

/** Replaces each run of white space by one space and trims the ends. */
export const collapseWhitespace = (text: string): string => text.replace(/\s{2,}|[^\S ]/g, " ").trim();

/** Removes control characters other than white space. */
export const removeControls = (text: string): string => text.replace(/[^\P{Cc}\t\r\n]/gu, "");

/** Spellings of characters that are not a base letter with a mark. */
const asciiSpellings: Readonly<Record<string, string>> = {
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

const removeMarks = (text: string) => text.replace(/\p{M}/gu, "");

/** Converts to printable ASCII on one line: marks are dropped, characters without a spelling become a dot. */
export function toAscii(text: string): string {
  const line = collapseWhitespace(text);
  if (/^[\x20-\x7e]*$/.test(line)) return line;
  // Marks are also removed first, because normalising many of them is slow.
  const plain = removeMarks(removeMarks(line).normalize("NFKD")).replace(
    /[^\x20-\x7e]/gu,
    (sign) => asciiSpellings[sign] ?? ".",
  );
  return collapseWhitespace(plain);
}

const swiftXReplacements: Readonly<Record<string, string>> = {
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

const swiftXPattern = /^[A-Za-z0-9/\-?:().,'+ ]*$/;

/** Converts to the SWIFT character set x: letters, digits, space and `/ - ? : ( ) . , ' +`. */
export const toSwiftX = (text: string): string =>
  swiftXPattern.test(text)
    ? collapseWhitespace(text)
    : toAscii(text).replace(/[^A-Za-z0-9/\-?:().,'+ ]/g, (sign) => swiftXReplacements[sign] ?? ".");

/** Cuts text to a length and trims the end. */
export const truncate = (text: string, length: number): string => text.slice(0, length).trimEnd();

/**
 * Removes any of these characters from the end. A regular expression would be slow on long text, because it restarts at
 * each match.
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Trims slashes and spaces from both ends. */
export const trimSlashes = (text: string): string => trimEndOf(text.replace(/^[/ ]+/, ""), "/ ");

/** Removes all white space, for example from account numbers. */
export const removeWhitespace = (text: string): string => text.replace(/\s+/g, "");
