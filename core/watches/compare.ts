/** What has changed between what was kept and what there is now. */
import type { Snapshot, Watch, WatchBeginning, WatchState } from "../declaration/watch";
import { canonicalJson } from "../journal/canonical";
import { daysBefore } from "./days";
import type { Finding, FoundChange, Known, KnownEntry } from "./kept";

/** A watch as it works, whatever its entries are. */
export type AnyWatch = Watch & {
  readonly identify: (entry: unknown) => string;
  readonly state: (entry: unknown, input: unknown, previous: WatchState | undefined) => WatchState;
  readonly day?: (entry: unknown) => string;
};

export interface Comparison {
  readonly input: unknown;
  readonly known: Known;
  readonly snapshot: Snapshot;
  readonly today: string;
  /** The first day that was looked at. */
  readonly from: string | undefined;
  /** What is told of entries that the first read finds; undefined for a read that is not the first. */
  readonly first: WatchBeginning | undefined;
}

/** An entry without a day is always looked at. */
const isBefore = (day: string, from: string | undefined): boolean =>
  from !== undefined && day !== "" && day < from;

/** Whether an entry that the first read finds is told. */
const isTold = (day: string, first: WatchBeginning | undefined): boolean =>
  first === undefined || first === "beginning" || (first !== "now" && !isBefore(day, first));

const isSame = (one: WatchState, other: WatchState): boolean => canonicalJson(one) === canonicalJson(other);

/** What was kept stays as long again as it is looked at: an entry that is moved to and fro is not new. */
const isOver = ({ overlapDays = 0 }: Watch, { day }: KnownEntry, from: string | undefined): boolean =>
  from !== undefined && isBefore(day, daysBefore(from, overlapDays));

/** The changes, in the order of the entries; what is gone comes last. */
export function compare(
  watch: AnyWatch,
  { input, known, snapshot, today, from, first }: Comparison,
): Finding {
  const { entries, gaps } = snapshot;
  const changes: FoundChange[] = [];
  const kept = new Map<string, KnownEntry>();
  const seen = new Set<string>();
  for (const [id, entry] of new Map(entries.map((each) => [watch.identify(each), each]))) {
    const day = watch.day?.(entry) ?? "";
    if (isBefore(day, from)) continue;
    seen.add(id);
    const previous = known.get(id);
    const state = watch.state(entry, input, previous?.state);
    const hasChanged = previous !== undefined && !isSame(previous.state, state);
    if (!previous || hasChanged || previous.day !== day) kept.set(id, { state, day });
    if (hasChanged) changes.push({ kind: "changed", id, entry, before: previous.state });
    if (!previous && isTold(day, first) && (watch.tellsWhenNew?.(state) ?? true))
      changes.push({ kind: "new", id, entry });
  }
  const dropped: string[] = [];
  const isComplete = gaps.length === 0;
  for (const [id, entry] of isComplete ? known : []) {
    if (seen.has(id)) continue;
    const isGone = watch.tellsGone === true && !isBefore(entry.day, from);
    if (isGone) changes.push({ kind: "gone", id, before: entry.state });
    if (isGone || isOver(watch, entry, from)) dropped.push(id);
  }
  return { changes, kept, dropped, readDay: isComplete ? today : undefined, gaps };
}

/** The first day that a read looks at. */
export function windowFrom(
  { overlapDays }: Watch,
  today: string,
  readDay: string | undefined,
  begins: WatchBeginning,
): string | undefined {
  if (overlapDays === undefined) return undefined;
  if (readDay !== undefined) return daysBefore(readDay, overlapDays);
  if (begins === "beginning") return undefined;
  const usual = daysBefore(today, overlapDays);
  return begins !== "now" && begins < usual ? begins : usual;
}
