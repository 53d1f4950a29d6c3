/** Comparison of a read with the stored states of a watch. */
import type { Snapshot, Watch, WatchStart, WatchState } from "../spec/watch";
import { canonicalJson } from "../values/canonical-json";
import { subtractDays } from "./days";
import type { ReadResult, FoundChange, EntryStates, EntryState } from "./repository";

/** A watch with entries of unknown type. */
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
  /** First day of the read; undefined for all days. */
  readonly from: string | undefined;
  /** Start of the watch, for the first read; undefined for later reads. */
  readonly start: WatchStart | undefined;
}

/** Entries without a day are never before the first day. */
const isBefore = (day: string, from: string | undefined): boolean =>
  from !== undefined && day !== "" && day < from;

/** True if an entry of the first read is reported. */
const isReportedAtStart = (day: string, start: WatchStart | undefined): boolean =>
  start === undefined || start === "beginning" || (start !== "now" && !isBefore(day, start));

const isSame = (one: WatchState, other: WatchState): boolean => canonicalJson(one) === canonicalJson(other);

/**
 * True if a state can be deleted. States stay for twice the overlap, so that an entry moved back and forth is not new
 * again.
 */
const isExpired = ({ overlapDays = 0 }: Watch, { day }: EntryState, from: string | undefined): boolean =>
  from !== undefined && isBefore(day, subtractDays(from, overlapDays));

/** Returns the changes in the order of the entries, with removed entries last. */
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

/** Returns the first day of a read; undefined for all days. */
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
