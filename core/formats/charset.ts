/** Text in the narrow character sets of bank formats. */

/** One space wherever there is white space, none at the ends. */
export const collapseWhitespace = (text: string): string => text.replace(/\s{2,}|[^\S ]/g, " ").trim();

/** Without control characters that no text has: white space stays as it is. */
export const removeControls = (text: string): string => text.replace(/[^\P{Cc}\t\r\n]/gu, "");

/** Letters and signs that are more than a base letter with a mark. */
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

/** Printable ASCII, on one line: letters lose their marks, what has no spelling becomes a dot. */
export function toAscii(text: string): string {
  const line = collapseWhitespace(text);
  if (/^[\x20-\x7e]*$/.test(line)) return line;
  // Marks go before, too: to put many of them into their order takes long.
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

/** SWIFT character set x: letters, digits, space and `/ - ? : ( ) . , ' +`. */
export const toSwiftX = (text: string): string =>
  swiftXPattern.test(text)
    ? collapseWhitespace(text)
    : toAscii(text).replace(/[^A-Za-z0-9/\-?:().,'+ ]/g, (sign) => swiftXReplacements[sign] ?? ".");

/** At most so many characters, without white space at the end. */
export const truncate = (text: string, length: number): string => text.slice(0, length).trimEnd();

/**
 * Without any of these signs at its end. A regular expression would begin anew at each of them, also far from the end,
 * which takes long where there are many.
 */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Without slashes and spaces at its ends. */
export const trimSlashes = (text: string): string => trimEndOf(text.replace(/^[/ ]+/, ""), "/ ");

/** Without any white space, as account numbers are written. */
export const removeWhitespace = (text: string): string => text.replace(/\s+/g, "");
