/** Splits streamed text into lines, and joins lines and chunks into text. */

import { FormatError, type Position } from "./format-error";

// Limits on the text that a reader buffers, far above real files. An endless line or unclosed quote becomes an error
// instead of filling the memory.

/** Upper bound in characters of a line, and of a field or row that spans several lines. */
export const maxFieldLength = 1_000_000;

/** Upper bound in characters of one part: an entry with its details, or everything after the entries. */
export const maxPartLength = 20_000_000;

export const tooLongError = (subject: string, max: number, position: Position): FormatError =>
  new FormatError("too_long", position, `${subject} is longer than ${max} characters`);

/** Limits the total length of several lines. */
export class LengthLimit {
  #characters = 0;

  constructor(
    readonly subject: string,
    readonly max: number,
  ) {}

  restart(): void {
    this.#characters = 0;
  }

  /** Adds a line and its line break. Throws a FormatError `too_long` above the limit. */
  add(line: string, position: Position): void {
    this.#characters += line.length + 1;
    if (this.#characters > this.max) throw tooLongError(this.subject, this.max, position);
  }
}

export type TextSource = string | AsyncIterable<string>;

export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** The line break after it; empty at the end of the text. */
  readonly ending: string;
}

/** True if lines end with CR alone, which would make the whole text one line. */
export const hasBareCr = (line: string): boolean => line.includes("\r") && /\r[^\r]/.test(line);

export const bareCrMessage = "lines end with CR alone; they must end with LF or CRLF";

function toLine(number: number, piece: string, ending: string): Line {
  const text = number === 1 ? piece.replace(/^\uFEFF/, "") : piece;
  return text.endsWith("\r")
    ? { number, text: text.slice(0, -1), ending: `\r${ending}` }
    : { number, text, ending };
}

const pieceLength = 65_536;

/** Cuts a text into the pieces of a stream, so that only few of its lines exist at a time. */
function* toPieces(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length; at += pieceLength) yield text.slice(at, at + pieceLength);
}

/** A byte order mark and a CR do not count towards the length of a line. */
const nonTextLength = 2;

/**
 * Yields the lines of a text in batches as they arrive. Lines end with LF or CRLF; a byte order mark is dropped.
 *
 * If a line exceeds `maxFieldLength`, yields the part read so far and ends, because the line may be endless. The reader
 * refuses it.
 */
export async function* readLines(source: TextSource): AsyncGenerator<Line[], void, void> {
  let rest = "";
  let number = 0;
  for await (const piece of typeof source === "string" ? toPieces(source) : source) {
    if (piece.includes("\n")) {
      const lines = (rest + piece).split("\n");
      rest = lines.pop()!;
      yield lines.map((line) => toLine(++number, line, "\n"));
    } else rest += piece;
    if (rest.length > maxFieldLength + nonTextLength) break;
  }
  if (rest !== "") yield [toLine(++number, rest, "")];
}

/** Joins lines, each with CRLF. */
export const joinCrlf = (lines: readonly string[]): string => lines.map((line) => `${line}\r\n`).join("");

/** Collects chunks into one text. */
export async function collectText(chunks: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = [];
  for await (const chunk of chunks) pieces.push(chunk);
  return pieces.join("");
}
