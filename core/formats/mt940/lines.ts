/** Long text on the short lines of an MT940 field: at most 65 characters, none beginning with `:` or `-`. */

const lineWidth = 65;
export const maxLines = 6;

/** Where the first line ends and where the next one begins. */
type Break = readonly [end: number, next: number];

const canBeginLine = (sign: string | undefined) => sign !== ":" && sign !== "-";

/** A full line, which readers join without a space. Never at a space: at the end of a line it would get lost. */
const fullLine = (text: string): Break | undefined =>
  text[lineWidth - 1] !== " " && text[lineWidth] !== " " && canBeginLine(text[lineWidth])
    ? [lineWidth, lineWidth]
    : undefined;

/** A line that ends before a space, which begins the next one: a reader that joins lines finds it there. */
function beforeWord(text: string): Break | undefined {
  const end = text.lastIndexOf(" ", lineWidth);
  return end > 0 ? [end, end] : undefined;
}

/** A line that is not full, in place of a space. */
function betweenWords(text: string): Break | undefined {
  for (let end = lineWidth - 1; end > 0; end--)
    if (text[end] === " " && canBeginLine(text[end + 1])) return [end, end + 1];
  return undefined;
}

/** A full line before a space, for want of another place: only who trims the next line loses it. */
const beforeSpace = (text: string): Break | undefined =>
  text[lineWidth - 1] !== " " && text[lineWidth] === " " ? [lineWidth, lineWidth] : undefined;

type BreakPreference = readonly ((text: string) => Break | undefined)[];

/** For people: words stay whole where they can. */
export const preferWholeWords: BreakPreference = [betweenWords, fullLine, beforeSpace];
/** For programs: lines are full where they can be, and no space gets lost. */
export const preferFullLines: BreakPreference = [fullLine, beforeWord];

/**
 * Breaks text into lines; stops when there are more than a field can have. Where no break is allowed, a dot takes the
 * place of the sign that may not begin a line.
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

/** Joins lines: a full line runs on into the next, a shorter one ended in place of a space or another sign. */
export const joinLines = (lines: readonly string[], fullWidth = lineWidth, between = " "): string =>
  lines
    .map((line, index) => (index === lines.length - 1 || line.length >= fullWidth ? line : line + between))
    .join("");
