/**
 * How much a reader takes in before it can give anything out. Far more than any bank writes, and little enough for any
 * memory: what has no end, a line or a quote, becomes an error instead of filling it.
 */
import { FormatError, type Place } from "./error";

/** Characters of a line, and of a field or a row that goes on over several lines. */
export const longestField = 1_000_000;

/** Characters of what is given out as one: an entry with its details, or all that follows the entries. */
export const longestPart = 20_000_000;

export const tooLong = (what: string, most: number, place: Place): FormatError =>
  new FormatError("too_long", place, `${what} has at most ${most} characters`);

/** The length of what comes in several lines. */
export class Length {
  #characters = 0;

  constructor(
    readonly what: string,
    readonly most: number,
  ) {}

  restart(): void {
    this.#characters = 0;
  }

  /** Adds a line and its end. Throws a FormatError `too_long` when it is too much. */
  add(line: string, place: Place): void {
    this.#characters += line.length + 1;
    if (this.#characters > this.most) throw tooLong(this.what, this.most, place);
  }
}
