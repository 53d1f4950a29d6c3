/** Text in pieces: lines of a source that is still arriving, and one text of pieces that are still being made. */

import { maxFieldLength } from "./limits";

export type TextSource = string | AsyncIterable<string>;

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** The line break behind it; empty at the end of the text. */
  readonly ending: string;
}

/** Whether a text's lines end as no text's do here: then all of it seems to be one line. */
export const hasBareCr = (line: string): boolean => /\r[^\r]/.test(line);

/** What to say of such a text. */
export const bareCrMessage = "its lines end with CR alone, but LF or CRLF must end them";

function toLine(number: number, piece: string, ending: string): Line {
  const text = number === 1 ? piece.replace(/^\uFEFF/, "") : piece;
  return text.endsWith("\r")
    ? { number, text: text.slice(0, -1), ending: `\r${ending}` }
    : { number, text, ending };
}

/** Characters looked at together, so that the lines of a large text are not all there at once. */
const pieceLength = 65_536;

function* splitChunk(chunk: string): Generator<string, void, void> {
  for (let at = 0; at < chunk.length; at += pieceLength) yield chunk.slice(at, at + pieceLength);
}

async function* toPieces(source: TextSource): AsyncGenerator<string, void, void> {
  if (typeof source === "string") yield* splitChunk(source);
  else for await (const chunk of source) yield* splitChunk(chunk);
}

/** A byte order mark and a CR, which are no part of a line's text. */
const nonTextLength = 2;

/**
 * The lines of a text, in batches as they arrive. Lines end with LF or CRLF; a byte order mark is dropped.
 *
 * A line longer than `longestField` is for the reader to refuse. What is there of it is given as soon as it is too long,
 * since it may have no end, and nothing behind it.
 */
export async function* readLines(source: TextSource): AsyncGenerator<Line[], void, void> {
  let rest = "";
  let number = 0;
  for await (const piece of toPieces(source)) {
    if (piece.includes("\n")) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop()!;
      yield lines.map((line) => toLine(++number, line, "\n"));
    } else rest += piece;
    if (rest.length > maxFieldLength + nonTextLength) break;
  }
  if (rest !== "") yield [toLine(++number, rest, "")];
}

/** A text of lines that end with CRLF. */
export const joinCrlf = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join("");

/** All of a text that is made in pieces. */
export async function collectText(chunks: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return pieces.join("");
}
