/**
 * Limits on the text that a reader buffers, far above real files. An endless line or unclosed quote becomes an error instead
 * of filling the memory.
 */
import { FormatError, type Position } from "./format-error";

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
