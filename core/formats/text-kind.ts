/** What a text is that was given to the wrong reader. */

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

/** What a text is by its first line; undefined where nobody could know. */
export const detectTextKind = (line: string): string | undefined =>
  kindPatterns.find(([beginning]) => beginning.test(line))?.[1];

/** Says what a text looks like that begins with a line; nothing where nobody could know. */
export function looksLikeHint(line: string): string {
  const kind = detectTextKind(line);
  return kind ? `; it looks like ${kind}` : "";
}
