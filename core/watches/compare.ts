/** What has changed between what was kept and what there is now. */
import type { Snapshot, Watch, WatchStart, WatchState } from "../declaration/watch";
import { canonicalJson } from "../journal/canonical-json";
import { subtractDays } from "./days";
import type { ReadResult, FoundChange, EntryStates, EntryState } from "./repository";

/** A watch as it works, whatever its entries are. */
export type AnyWatch = Watch & {
  readonly identify: (entry: unknown) => string;
  readonly state: (entry: unknown, input: unknown, previous: WatchState | undefined) => WatchState;
  readonly day?: (entry: unknown) => string;
};

export interface ComparisonInput {
  readonly input: unknown;
  readonly knownStates: EntryStates;
  readonly snapshot: Snapshot;
  readonly today: string;
  /** The first day that was looked at. */
  readonly from: string | undefined;
  /** What is told of entries that the first read finds; undefined for a read that is not the first. */
  readonly start: WatchStart | undefined;
}

/** An entry without a day is always looked at. */
const isBefore = (day: string, from: string | undefined): boolean =>
  from !== undefined && day !== "" && day < from;

/** Whether an entry that the first read finds is told. */
const isReportedAtStart = (day: string, start: WatchStart | undefined): boolean =>
  start === undefined || start === "beginning" || (start !== "now" && !isBefore(day, start));

const isSame = (one: WatchState, other: WatchState): boolean => canonicalJson(one) === canonicalJson(other);

/** What was kept stays as long again as it is looked at: an entry that is moved to and fro is not new. */
const isExpired = ({ overlapDays = 0 }: Watch, { day }: EntryState, from: string | undefined): boolean =>
  from !== undefined && isBefore(day, subtractDays(from, overlapDays));

/** The changes, in the order of the entries; what is gone comes last. */
export function compare(
  watch: AnyWatch,
  { input, knownStates, snapshot, today, from, start }: ComparisonInput,
): ReadResult {
  const { entries, gaps } = snapshot;
  const changes: FoundChange[] = [];
  const updatedStates = new Map<string, EntryState>();
  const seen = new Set<string>();
  for (const [id, entry] of new Map(entries.map((each) => [watch.identify(each), each]))) {
    const day = watch.day?.(entry) ?? "";
    if (isBefore(day, from)) continue;
    seen.add(id);
    const previous = knownStates.get(id);
    const state = watch.state(entry, input, previous?.state);
    const hasChanged = previous !== undefined && !isSame(previous.state, state);
    if (!previous || hasChanged || previous.day !== day) updatedStates.set(id, { state, day });
    if (hasChanged) changes.push({ kind: "changed", id, entry, before: previous.state });
    if (!previous && isReportedAtStart(day, start) && (watch.reportsNew?.(state) ?? true))
      changes.push({ kind: "new", id, entry });
  }
  const removedIds: string[] = [];
  const isComplete = gaps.length === 0;
  for (const [id, entry] of isComplete ? knownStates : []) {
    if (seen.has(id)) continue;
    const isGone = watch.reportsGone === true && !isBefore(entry.day, from);
    if (isGone) changes.push({ kind: "gone", id, before: entry.state });
    if (isGone || isExpired(watch, entry, from)) removedIds.push(id);
  }
  return { changes, updatedStates, removedIds, readDay: isComplete ? today : undefined, gaps };
}

/** The first day that a read looks at. */
export function firstDayToRead(
  { overlapDays }: Watch,
  today: string,
  readDay: string | undefined,
  start: WatchStart,
): string | undefined {
  if (overlapDays === undefined) return undefined;
  if (readDay !== undefined) return subtractDays(readDay, overlapDays);
  if (start === "beginning") return undefined;
  const overlapStart = subtractDays(today, overlapDays);
  return start !== "now" && start < overlapStart ? start : overlapStart;
}
