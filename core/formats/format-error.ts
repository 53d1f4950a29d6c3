export type Format = "MT940" | "CODA" | "CSV";

/**
 * - `unrecognised`: the text is not of this format at all
 * - `missing`: something that must be there is not
 * - `misplaced`: it may be there, but not here
 * - `invalid`: a value is not of its form
 * - `too_long`: a value does not fit the room the format has for it, or a line, field or entry has no end in sight
 * - `balance`: opening balance and entries do not make the closing balance
 * - `control_sum`: the file's own counts or sums disagree with its content
 * - `check_digits`: a reference fails its check digits
 */
export type FormatErrorCode =
  | "unrecognised"
  | "missing"
  | "misplaced"
  | "invalid"
  | "too_long"
  | "balance"
  | "control_sum"
  | "check_digits";

/** Where in a file: its tag (`:61:`), record (`2.1`) or column (`amount`), and the line when one is read. */
export interface Position {
  readonly format: Format;
  readonly field: string;
  readonly line?: number;
}

/** A statement file that is broken, or a statement that its format cannot carry. `code` is stable; the message is not. */
export class FormatError extends Error implements Position {
  readonly code: FormatErrorCode;
  readonly format: Format;
  readonly field: string;
  /** Line of the file, from 1; undefined when writing. */
  readonly line?: number;

  constructor(code: FormatErrorCode, { format, field, line }: Position, message: string) {
    super(`${format}${line === undefined ? "" : ` line ${line}`}, ${field}: ${message}`);
    this.name = "FormatError";
    this.code = code;
    this.format = format;
    this.field = field;
    if (line !== undefined) this.line = line;
  }
}

/** How a value is shown in a message: short, and with its control characters visible. */
export function quoteValue(text: string): string {
  const shown = JSON.stringify(text);
  return shown.length > 60 ? `${shown.slice(0, 56)}…"` : shown;
}
