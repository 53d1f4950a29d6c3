/** Statements in parts as they are read, and collected. */
import { RunningBalance } from "./amount";
import type { Format, Position } from "./format-error";
import type { Balance, Entry, Statement, StatementHead, StatementTail } from "./statement";
import { type Line, readLines, type TextSource } from "./text-lines";

/**
 * A part of a statement, in the order opening, entries, closing. Readers yield parts as the text arrives, so that memory use
 * does not grow with the statement.
 */
export type StatementPart =
  | { readonly kind: "opening"; readonly opening: StatementHead; readonly line: number }
  /** `balance` is the balance after the entry, if the format states it. */
  | { readonly kind: "entry"; readonly entry: Entry; readonly balance?: Balance; readonly line: number }
  | { readonly kind: "closing"; readonly closing: StatementTail; readonly line: number };

/** A reader of one format: receives each line, then `finish`. */
export interface LineReader {
  readonly format: Format;
  /** The tag, record or column of amounts, to name in balance errors. */
  readonly balanceFields: Readonly<Record<StatementPart["kind"], string>>;
  readLine(line: Line): Iterable<StatementPart>;
  finish(): Iterable<StatementPart>;
}

/** Returns parts unchanged and throws if opening balance and entries do not add up to the closing balance. */
function createBalanceCheck({ format, balanceFields }: LineReader): (part: StatementPart) => StatementPart {
  let running: RunningBalance | undefined;
  return (part) => {
    const position: Position = { format, field: balanceFields[part.kind], line: part.line };
    if (part.kind === "opening")
      running = new RunningBalance(part.opening.openingBalance, part.opening.account.currency, position);
    if (part.kind === "entry") running?.add(part.entry, position);
    const stated =
      part.kind === "closing" ? part.closing.closingBalance : part.kind === "entry" && part.balance;
    if (stated) running?.check(stated, { ...position, field: balanceFields.closing });
    return part;
  };
}

export async function* readParts(
  source: TextSource,
  reader: LineReader,
): AsyncGenerator<StatementPart, void, void> {
  const checkBalance = createBalanceCheck(reader);
  for await (const lines of readLines(source))
    for (const line of lines) for (const part of reader.readLine(line)) yield checkBalance(part);
  for (const part of reader.finish()) yield checkBalance(part);
}

/** Collects parts into complete statements. */
export async function* collectStatements(
  parts: AsyncIterable<StatementPart>,
): AsyncGenerator<Statement, void, void> {
  let head: StatementHead | undefined;
  let entries: Entry[] = [];
  for await (const part of parts) {
    if (part.kind === "opening") {
      head = part.opening;
      entries = [];
    } else if (part.kind === "entry") entries.push(part.entry);
    else if (head) yield { ...head, ...part.closing, entries };
  }
}
