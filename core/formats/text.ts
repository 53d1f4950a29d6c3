/** Text in pieces: lines of a source that is still arriving, and one text of pieces that are still being made. */

export type TextSource = string | AsyncIterable<string>;

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** The line break behind it; empty at the end of the text. */
  readonly ending: string;
}

/** Whether a text's lines end as no text's do here: then all of it seems to be one line. */
export const endsWithCrAlone = (line: string): boolean => /\r[^\r]/.test(line);

/** What to say of such a text. */
export const crAlone = "its lines end with CR alone, but LF or CRLF must end them";

function lineFrom(number: number, piece: string, ending: string): Line {
  const text = number === 1 ? piece.replace(/^\uFEFF/, "") : piece;
  return text.endsWith("\r")
    ? { number, text: text.slice(0, -1), ending: `\r${ending}` }
    : { number, text, ending };
}

/** The lines of a text, in batches as they arrive. Lines end with LF or CRLF; a byte order mark is dropped. */
export async function* linesOf(source: TextSource): AsyncGenerator<Line[], void, void> {
  let rest = "";
  let number = 0;
  for await (const chunk of typeof source === "string" ? [source] : source) {
    if (!chunk.includes("\n")) {
      rest += chunk;
      continue;
    }
    const pieces = (rest + chunk).split("\n");
    rest = pieces.pop()!;
    yield pieces.map((piece) => lineFrom(++number, piece, "\n"));
  }
  if (rest !== "") yield [lineFrom(++number, rest, "")];
}

/** A text of lines that end with CRLF. */
export const crlfText = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join("");

/** All of a text that is made in pieces. */
export async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return pieces.join("");
}
