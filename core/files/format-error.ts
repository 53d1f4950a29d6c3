export type Format = "MT940" | "CODA" | "CSV" | "camt" | "pain";

/**
 * - `unrecognised`: the text is not in this format
 * - `missing`: a required part is missing
 * - `misplaced`: a part is in the wrong place
 * - `invalid`: a value is malformed
 * - `too_long`: a value exceeds its field, or a line, field or entry exceeds the limits of the reader
 * - `balance`: opening balance and entries do not add up to the closing balance
 * - `control_sum`: the counts or sums in the file do not match its content
 * - `check_digits`: the check digits of a reference are wrong
 * - `ambiguous`: a text has several meanings, and nothing in the file tells which is right
 */
export type FormatErrorCode =
  | "unrecognised"
  | "missing"
  | "misplaced"
  | "invalid"
  | "too_long"
  | "balance"
  | "control_sum"
  | "check_digits"
  | "ambiguous";

/** A place in a file: tag (`:61:`), record (`2.1`) or column (`amount`), and the line when reading. */
export interface Position {
  readonly format: Format;
  readonly field: string;
  readonly line?: number;
}

/** `error`: an entry is missing or sums may be wrong. `warning`: all entries and sums are right. */
export type Severity = "error" | "warning";

/** A fault of a file that a reader reported and passed over. */
export interface Violation {
  readonly rule: FormatErrorCode;
  readonly severity: Severity;
  readonly field: string;
  readonly line?: number;
  readonly message: string;
}

export interface ReadOptions {
  /**
   * Reads what can be read and lists the faults as `violations` of the statements, instead of refusing the file at the first
   * error. Warnings are listed in both cases.
   */
  readonly tolerate?: boolean;
}

/** A malformed statement file, or a statement that the format cannot represent. `code` is stable; the message is not. */
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

export const toViolation = (
  { code, field, line, message }: FormatError,
  severity: Severity = "error",
): Violation => ({ rule: code, severity, field, ...(line !== undefined && { line }), message });

/** Quotes a value for a message: shortened, with control characters escaped. */
export function quoteValue(text: string): string {
  const shown = JSON.stringify(text);
  return shown.length > 60 ? `${shown.slice(0, 56)}…"` : shown;
}

const kindPatterns: readonly (readonly [beginning: RegExp, kind: string])[] = [
  [/^(?:\$?\{[1-5]:|:\d\d[A-Z]?:|:940:|:942:)/, "MT940"],
  [/^0.{13}05/, "CODA"],
  [/^%PDF/, "PDF"],
  [/^PK/, "a spreadsheet or another archive"],
  [/^</, "XML"],
  [/^[[{]/, "JSON"],
  // A header of the bank's own may precede the first message.
  [/^[^<,;\t]{0,200}\n:20:/, "MT940"],
  [/^[^,;\t\n]*;/, "CSV with semicolons"],
  [/^[^,;\t\n]*\t/, "CSV with tabs"],
  [/^[^\s,]+,\S/, "CSV"],
];

/** Guesses a format from the beginning of a text; undefined if unclear. */
export function detectTextKind(text: string): string | undefined {
  // Envelopes of old systems begin with control characters.
  const start = text.replace(/^[\s\uFEFF\p{Cc}]+/u, "");
  return kindPatterns.find(([beginning]) => beginning.test(start))?.[1];
}

/** Returns a hint about the format for an error message; empty if unclear. */
export function looksLikeHint(line: string): string {
  const kind = detectTextKind(line);
  return kind ? `; it looks like ${kind}` : "";
}
