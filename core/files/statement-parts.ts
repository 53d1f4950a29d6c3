/** Statements in parts as they are read, and collected. */
import { RunningBalance } from "./amount";
import {
  type Format,
  FormatError,
  type Position,
  type ReadOptions,
  type Severity,
  toViolation,
  type Violation,
} from "./format-error";
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
  /** A closing part has the opening balance if it came after the entries. */
  | {
      readonly kind: "closing";
      readonly closing: StatementTail & Pick<StatementHead, "openingBalance">;
      readonly line: number;
    }
  /** A fault of the part that follows, or of one that is left out. */
  | {
      readonly kind: "violation";
      readonly violation: Violation;
      readonly cause: FormatError;
      readonly line: number;
    };

/** A reader of one format: receives each line, then `finish`. */
export interface LineReader {
  readonly format: Format;
  /** The tag, record or column of amounts, to name in balance errors. */
  readonly balanceFields: Readonly<Record<"opening" | "entry" | "closing", string>>;
  readLine(line: Line, emit: Emit): void;
  finish(emit: Emit): void;
}

/** Takes the next part. */
export type Emit = (part: StatementPart) => void;

/** Reports a fault: returns it as a part, or throws an error that the caller does not tolerate. */
export function reportFault(
  error: unknown,
  { tolerate = false }: ReadOptions,
  severity: Severity = "error",
): StatementPart {
  if (!(error instanceof FormatError) || (severity === "error" && !tolerate)) throw error;
  return { kind: "violation", violation: toViolation(error, severity), cause: error, line: error.line ?? 0 };
}

const nothing = { creditDebit: "Credit", amount: "0" } as const;

/** Precedes parts with a fault if opening balance and entries do not add up to the closing balance. */
export function createBalanceCheck(
  { format, balanceFields }: Pick<LineReader, "format" | "balanceFields">,
  options: ReadOptions,
): (part: StatementPart, emit: Emit) => void {
  let running: RunningBalance | undefined;
  let head: StatementHead | undefined;
  const positionOf = ({ kind, line }: Exclude<StatementPart, { kind: "violation" }>): Position => ({
    format,
    field: balanceFields[kind],
    line,
  });
  function check(part: StatementPart): void {
    if (part.kind === "violation") return;
    const position = positionOf(part);
    const closingPosition = { ...position, field: balanceFields.closing };
    if (part.kind === "opening") {
      head = part.opening;
      const { openingBalance = { ...nothing, date: "" }, account } = head;
      running = new RunningBalance(openingBalance, account.currency, position);
    } else if (part.kind === "entry") {
      if (!part.entry.status) running?.add(part.entry, position);
      if (part.balance) running?.check(part.balance, closingPosition);
    } else if (running && head) {
      const { openingBalance, closingBalance } = part.closing;
      if (openingBalance && !head.openingBalance) running.add(openingBalance, position);
      const isProvable = closingBalance && (head.openingBalance ?? openingBalance);
      if (isProvable) running.check(closingBalance, closingPosition);
      else if (!head.kind)
        throw new FormatError(
          "missing",
          closingPosition,
          "a booked balance is missing, so that the entries cannot be checked",
        );
    }
  }
  return (part, emit) => {
    try {
      check(part);
    } catch (error) {
      const isUnproven = error instanceof FormatError && error.code === "missing";
      emit(reportFault(error, options, isUnproven ? "warning" : "error"));
      // Later balances are compared with this one, so that each fault is reported once.
      if (part.kind === "entry" && part.balance && head)
        running = new RunningBalance(part.balance, head.account.currency, positionOf(part));
    }
    emit(part);
  };
}

export async function* readParts(
  source: TextSource,
  reader: LineReader,
  options: ReadOptions = {},
): AsyncGenerator<StatementPart, void, void> {
  const checkBalance = createBalanceCheck(reader, options);
  const parts: StatementPart[] = [];
  const push: Emit = (part) => void parts.push(part);
  const emit: Emit = (part) => checkBalance(part, push);
  const read = (work: () => void) => {
    try {
      work();
    } catch (error) {
      push(reportFault(error, options));
    }
  };
  for await (const lines of readLines(source))
    try {
      for (const line of lines) read(() => reader.readLine(line, emit));
    } finally {
      yield* parts.splice(0);
    }
  try {
    read(() => reader.finish(emit));
  } finally {
    yield* parts;
  }
}

/**
 * Collects parts into complete statements, with the faults that were found in them and after them. Throws the first fault
 * that belongs to no statement.
 */
export async function* collectStatements(
  parts: AsyncIterable<StatementPart>,
): AsyncGenerator<Statement, void, void> {
  let head: StatementHead | undefined;
  let entries: Entry[] = [];
  let violations: Violation[] = [];
  let complete: Statement | undefined;
  let cause: FormatError | undefined;
  const finished = (): Statement[] => {
    if (!complete) return [];
    const statement = violations.length > 0 ? { ...complete, violations } : complete;
    violations = [];
    complete = cause = undefined;
    return [statement];
  };
  for await (const part of parts) {
    if (part.kind === "violation") {
      violations.push(part.violation);
      cause ??= part.cause;
    } else if (part.kind === "opening") {
      yield* finished();
      head = part.opening;
      entries = [];
    } else if (part.kind === "entry") entries.push(part.entry);
    else if (head) complete = { ...head, ...part.closing, entries };
  }
  yield* finished();
  if (cause) throw cause;
}
