/** Guesses the format of a text that was passed to the wrong reader. */

const kindPatterns: readonly (readonly [beginning: RegExp, kind: string])[] = [
  [/^\s*(?:\{[1-5]:|:\d\d[A-Z]?:)/, "MT940"],
  [/^0.{13}05/, "CODA"],
  [/^%PDF/, "PDF"],
  [/^PK/, "a spreadsheet or another archive"],
  [/^\s*</, "XML"],
  [/^\s*[[{]/, "JSON"],
  [/^[^,;\t]*;/, "CSV with semicolons"],
  [/^[^,;\t]*\t/, "CSV with tabs"],
  [/^[^\s,]+,\S/, "CSV"],
];

/** Guesses a format from the first line; undefined if unclear. */
export const detectTextKind = (line: string): string | undefined =>
  kindPatterns.find(([beginning]) => beginning.test(line))?.[1];

/** Returns a hint about the format for an error message; empty if unclear. */
export function looksLikeHint(line: string): string {
  const kind = detectTextKind(line);
  return kind ? `; it looks like ${kind}` : "";
}
