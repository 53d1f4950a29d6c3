/** Comparison of a read with the stored states of a watch, without side effects. */
import { addDays } from "../calendars/days";
import type { Snapshot, Watch, WatchStart, WatchState } from "../spec/watch";
import { canonicalJson } from "../values/json";
import type { EntryState, EntryStates, FoundChange } from "./stored-rows";
import type { AnyWatch } from "./watch";

export interface DiffWindow {
  /** First day of the read; undefined for all days. */
  readonly from: string | undefined;
  /** Start of the watch, for the first read; undefined for later reads. */
  readonly start: WatchStart | undefined;
}

/** The difference between the stored states and a read. */
export interface Diff {
  /** Oldest first, or in the order of the entries, with removed entries last. */
  readonly changes: readonly FoundChange[];
  readonly updatedStates: EntryStates;
  readonly removedIds: readonly string[];
}

/** Returns the first day of a read; undefined for all days. `readDay` is the day of the last complete read. */
export function firstDayToRead(
  { overlapDays }: Watch,
  today: string,
  readDay: string | undefined,
  start: WatchStart,
): string | undefined {
  if (overlapDays === undefined) return undefined;
  if (readDay !== undefined) return addDays(readDay, -overlapDays);
  if (start === "beginning") return undefined;
  const overlapStart = addDays(today, -overlapDays);
  return start !== "now" && start < overlapStart ? start : overlapStart;
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
const isExpired = ({ overlapDays = 0 }: Watch, day: string, from: string | undefined): boolean =>
  from !== undefined && isBefore(day, addDays(from, -overlapDays));

/** Returns the entries oldest first, if the watch knows their times. In a list that begins with the newest, of entries of the same time the last is the oldest. */
function oldestFirst({ time }: AnyWatch, entries: readonly unknown[]): readonly unknown[] {
  if (!time) return entries;
  const timeOf = (entry: unknown) => Date.parse(time(entry)) || Infinity;
  const [first, last] = [entries[0], entries.at(-1)];
  const isReversed = entries.length > 1 && timeOf(first) > timeOf(last);
  // Two entries without a time keep their order.
  return (isReversed ? entries.toReversed() : entries).toSorted((one, other) =>
    timeOf(one) === timeOf(other) ? 0 : timeOf(one) - timeOf(other),
  );
}

/** Compares a read with the stored states. An incomplete read never reports an entry as gone. */
export function diff(
  { watch, input }: { readonly watch: AnyWatch; readonly input: unknown },
  previous: EntryStates,
  current: Snapshot,
  { from, start }: DiffWindow,
): Diff {
  const changes: FoundChange[] = [];
  const updatedStates = new Map<string, EntryState>();
  const removedIds: string[] = [];
  const seen = new Set<string>();
  for (const [id, entry] of new Map(
    oldestFirst(watch, current.entries).map((each) => [watch.identify(each), each]),
  )) {
    const day = watch.day?.(entry) ?? "";
    if (isBefore(day, from)) continue;
    seen.add(id);
    const stored = previous.get(id);
    const state = watch.state(entry, input, stored?.state);
    const hasChanged = stored !== undefined && !isSame(stored.state, state);
    if (!stored || hasChanged || stored.day !== day) updatedStates.set(id, { state, day });
    if (hasChanged) changes.push({ kind: "changed", id, entry, before: stored.state });
    if (!stored && isReportedAtStart(day, start) && (watch.reportsNew?.(state) ?? true))
      changes.push({ kind: "new", id, entry });
  }
  const isComplete = current.gaps.length === 0;
  for (const [id, { state, day }] of isComplete ? previous : []) {
    if (seen.has(id)) continue;
    const isGone = watch.reportsGone === true && !isBefore(day, from);
    if (isGone) changes.push({ kind: "gone", id, before: state });
    if (isGone || isExpired(watch, day, from)) removedIds.push(id);
  }
  return { changes, updatedStates, removedIds };
}

/** Returns the states after a difference. */
export function applyDiff(previous: EntryStates, { updatedStates, removedIds }: Diff): EntryStates {
  const states = new Map([...previous, ...updatedStates]);
  for (const id of removedIds) states.delete(id);
  return states;
}
