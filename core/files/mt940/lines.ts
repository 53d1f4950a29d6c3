/** Breaks text into the lines of an MT940 field: at most 65 characters, none beginning with `:` or `-`. */

const lineWidth = 65;
export const maxLines = 6;

/** End of the first line and start of the next one. */
type Break = readonly [end: number, next: number];

const canBeginLine = (character: string | undefined) => character !== ":" && character !== "-";

/** Breaks after a full line, which readers join without a space. Not next to a space, which readers would trim. */
const fullLine = (text: string): Break | undefined =>
  text[lineWidth - 1] !== " " && text[lineWidth] !== " " && canBeginLine(text[lineWidth])
    ? [lineWidth, lineWidth]
    : undefined;

/** Breaks before a space, which then begins the next line, so that readers keep it. */
function beforeWord(text: string): Break | undefined {
  const end = text.lastIndexOf(" ", lineWidth);
  return end > 0 ? [end, end] : undefined;
}

/** Replaces a space by a line break, so that the line is not full. */
function betweenWords(text: string): Break | undefined {
  for (let end = lineWidth - 1; end > 0; end--)
    if (text[end] === " " && canBeginLine(text[end + 1])) return [end, end + 1];
  return undefined;
}

/** Last resort: breaks a full line before a space, which only readers that trim lines lose. */
const beforeSpace = (text: string): Break | undefined =>
  text[lineWidth - 1] !== " " && text[lineWidth] === " " ? [lineWidth, lineWidth] : undefined;

type BreakPreference = readonly ((text: string) => Break | undefined)[];

/** For human readers: avoids breaking words. */
export const preferWholeWords: BreakPreference = [betweenWords, fullLine, beforeSpace];
/** For programs: prefers full lines and keeps all spaces. */
export const preferFullLines: BreakPreference = [fullLine, beforeWord];

/**
 * Breaks text into lines; stops above the maximum of a field. If no break is allowed, a dot replaces the character that must
 * not begin a line.
 */
export function breakIntoLines(text: string, preference: BreakPreference): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > lineWidth && lines.length <= maxLines) {
    const lineBreak = preference.map((find) => find(rest)).find((found) => found !== undefined);
    if (lineBreak) {
      lines.push(rest.slice(0, lineBreak[0]));
      rest = rest.slice(lineBreak[1]);
    } else rest = `${rest.slice(0, lineWidth)}.${rest.slice(lineWidth + 1)}`;
  }
  return [...lines, rest];
}

/** Joins lines: a full line without, a shorter one with a separator. */
export const joinLines = (lines: readonly string[], fullWidth = lineWidth, between = " "): string =>
  lines
    .map((line, index) => (index === lines.length - 1 || line.length >= fullWidth ? line : line + between))
    .join("");
