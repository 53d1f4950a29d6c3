/** Preview of the first changes of a watch. Nothing is stored. */
import type { Snapshot, WatchStart, ReadWindow } from "../spec/watch";
import { type AnyWatch, compare, firstDayToRead } from "./diff";
import type { InitialChanges } from "../api/watch-options";

interface InitialRead {
  readonly watch: AnyWatch;
  readonly input: unknown;
  readonly from: WatchStart;
  readonly read: (window: ReadWindow) => Promise<Snapshot>;
}

/** Reads once and returns the changes that a first read would report. */
export async function readInitialChanges({ watch, input, from, read }: InitialRead): Promise<InitialChanges> {
  const at = new Date().toISOString();
  const today = at.slice(0, "YYYY-MM-DD".length);
  const firstDay = firstDayToRead(watch, today, undefined, from);
  const knownStates = new Map<string, never>();
  const snapshot = await read({ today, from: firstDay, knownStates });
  const { changes } = compare(watch, { input, knownStates, snapshot, today, from: firstDay, start: from });
  return {
    changes: changes.map(({ kind, id, entry, before }) => ({
      watch: watch.name,
      kind,
      id,
      entry,
      before,
      at,
      repeated: false,
    })),
    gaps: snapshot.gaps,
  };
}
