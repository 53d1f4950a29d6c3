/** Long text on the short lines of an MT940 field: at most 65 characters, none beginning with `:` or `-`. */

const width = 65;
export const mostLines = 6;

/** Where the first line ends and where the next one begins. */
type Break = readonly [end: number, next: number];

const mayBegin = (sign: string | undefined) => sign !== ":" && sign !== "-";

/** A full line, which readers join without a space. Never at a space: at the end of a line it would get lost. */
const fullLine = (text: string): Break | undefined =>
  text[width - 1] !== " " && text[width] !== " " && mayBegin(text[width]) ? [width, width] : undefined;

/** A line that ends before a space, which begins the next one: a reader that joins lines finds it there. */
function beforeWord(text: string): Break | undefined {
  const end = text.lastIndexOf(" ", width);
  return end > 0 ? [end, end] : undefined;
}

/** A line that is not full, in place of a space. */
function betweenWords(text: string): Break | undefined {
  for (let end = width - 1; end > 0; end--)
    if (text[end] === " " && mayBegin(text[end + 1])) return [end, end + 1];
  return undefined;
}

/** A full line before a space, for want of another place: only who trims the next line loses it. */
const beforeSpace = (text: string): Break | undefined =>
  text[width - 1] !== " " && text[width] === " " ? [width, width] : undefined;

type Preference = readonly ((text: string) => Break | undefined)[];

/** For people: words stay whole where they can. */
export const wholeWords: Preference = [betweenWords, fullLine, beforeSpace];
/** For programs: lines are full where they can be, and no space gets lost. */
export const fullLines: Preference = [fullLine, beforeWord];

/**
 * Breaks text into lines; stops when there are more than a field can have. Where no break is allowed, a dot takes the
 * place of the sign that may not begin a line.
 */
export function brokenIntoLines(text: string, preference: Preference): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width && lines.length <= mostLines) {
    const place = preference.map((find) => find(rest)).find((found) => found !== undefined);
    if (place) {
      lines.push(rest.slice(0, place[0]));
      rest = rest.slice(place[1]);
    } else rest = `${rest.slice(0, width)}.${rest.slice(width + 1)}`;
  }
  return [...lines, rest];
}

/** Joins lines: a full line runs on into the next, a shorter one ended in place of a space or another sign. */
export const joinedLines = (lines: readonly string[], fullWidth = width, between = " "): string =>
  lines
    .map((line, index) => (index === lines.length - 1 || line.length >= fullWidth ? line : line + between))
    .join("");
