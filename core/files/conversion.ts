/**
 * Statements that are read twice: once to check them and to learn their balances, which some formats write before the
 * entries, and once to write them. Memory use does not grow with the number of entries.
 */
import { RunningBalance } from "./amount";
import type { Position, Violation } from "./format-error";
import type { LossCounter } from "./losses";
import {
  type Entry,
  isBooked,
  type StatementHead,
  type StatementSource,
  type StatementTail,
} from "./statement";
import type { StatementPart } from "./statement-parts";

/** A statement without its entries. */
type Frame = StatementHead & StatementTail;

export interface Survey {
  readonly statements: readonly {
    readonly frame: Frame;
    /** Number of its opening part, from 1. Openings without an end have no statement. */
    readonly opening: number;
  }[];
  readonly entryCount: number;
  /** The first violations, and the number of all. */
  readonly violations: readonly Violation[];
  readonly violationCount: number;
}

const maxViolations = 1000;
const entriesAtOnce = 50;
const position: Position = { format: "CSV", field: "balance" };

/** Returns the entries as a statement of their own, which adds up. */
function toStatement(head: StatementHead, entries: readonly Entry[]) {
  const { currency } = head.account;
  const zero = { creditDebit: "Credit", amount: "0", date: entries[0]!.bookingDate } as const;
  const sum = new RunningBalance(zero, currency, position);
  for (const entry of entries) if (isBooked(entry)) sum.add(entry, position);
  return {
    account: head.account,
    number: 0,
    openingBalance: zero,
    closingBalance: sum.balanceOn(entries.at(-1)!.bookingDate),
    entries,
  };
}

/**
 * Reads all parts and adds what the target format loses to `counter`. Throws the first fault if no statement is complete.
 */
export async function surveyParts(
  parts: AsyncIterable<StatementPart>,
  counter: LossCounter,
): Promise<Survey> {
  const statements: Survey["statements"][number][] = [];
  const violations: Violation[] = [];
  let [entryCount, ownCount, violationCount, opening] = [0, 0, 0, 0];
  let head: StatementHead | undefined;
  let entries: Entry[] = [];
  let cause: Error | undefined;
  const addEntries = async () => {
    if (head && entries.length > 0) await counter.addEntries(toStatement(head, entries));
    entries = [];
  };
  for await (const part of parts) {
    if (part.kind === "violation") {
      violationCount += 1;
      if (violations.length < maxViolations) violations.push(part.violation);
      cause ??= part.cause;
    } else if (part.kind === "opening") {
      head = part.opening;
      opening += 1;
      ownCount = 0;
      entries = [];
    } else if (part.kind === "entry") {
      ownCount += 1;
      if (entries.push(part.entry) === entriesAtOnce) await addEntries();
    } else if (head) {
      await addEntries();
      const frame = { ...head, ...part.closing };
      await counter.addFrame(frame);
      statements.push({ frame, opening });
      entryCount += ownCount;
      head = undefined;
    }
  }
  if (statements.length === 0 && cause) throw cause;
  return { statements, entryCount, violations, violationCount };
}

/** Yields the surveyed statements with their entries, which must be read in order. */
export async function* statementsFrom(
  { statements }: Survey,
  parts: AsyncIterable<StatementPart>,
): AsyncGenerator<StatementSource, void, void> {
  const iterator = parts[Symbol.asyncIterator]();
  let openings = 0;
  async function* entriesOf(opening: number): AsyncGenerator<Entry, void, void> {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      const part = next.value;
      if (part.kind === "opening") openings += 1;
      else if (openings < opening) continue;
      else if (part.kind === "entry") yield part.entry;
      else if (part.kind === "closing") return;
    }
  }
  for (const { frame, opening } of statements) yield { ...frame, entries: entriesOf(opening) };
}
