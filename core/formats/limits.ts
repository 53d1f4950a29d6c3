/**
 * How much a reader takes in before it can give anything out. Far more than any bank writes, and little enough for any
 * memory: what has no end, a line or a quote, becomes an error instead of filling it.
 */
import { FormatError, type Position } from "./format-error";

/** Characters of a line, and of a field or a row that goes on over several lines. */
export const maxFieldLength = 1_000_000;

/** Characters of what is given out as one: an entry with its details, or all that follows the entries. */
export const maxPartLength = 20_000_000;

export const tooLongError = (subject: string, max: number, position: Position): FormatError =>
  new FormatError("too_long", position, `${subject} has at most ${max} characters`);

/** The length of what comes in several lines. */
export class LengthLimit {
  #characters = 0;

  constructor(
    readonly subject: string,
    readonly max: number,
  ) {}

  restart(): void {
    this.#characters = 0;
  }

  /** Adds a line and its end. Throws a FormatError `too_long` when it is too much. */
  add(line: string, position: Position): void {
    this.#characters += line.length + 1;
    if (this.#characters > this.max) throw tooLongError(this.subject, this.max, position);
  }
}
