/** What a watch would tell if it began now: nothing of it is kept. */
import type { Snapshot, WatchBeginning, Window } from "../declaration/watch";
import { type AnyWatch, compare, windowFrom } from "./compare";
import type { FirstChanges } from "./options";

interface Beginning {
  readonly watch: AnyWatch;
  readonly input: unknown;
  readonly from: WatchBeginning;
  readonly read: (window: Window) => Promise<Snapshot>;
}

/** Reads once, and returns the changes of a first read. */
export async function firstChanges({ watch, input, from, read }: Beginning): Promise<FirstChanges> {
  const at = new Date().toISOString();
  const today = at.slice(0, "YYYY-MM-DD".length);
  const first = windowFrom(watch, today, undefined, from);
  const known = new Map<string, never>();
  const snapshot = await read({ today, from: first, known });
  const { changes } = compare(watch, { input, known, snapshot, today, from: first, first: from });
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
