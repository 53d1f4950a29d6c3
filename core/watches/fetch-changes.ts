/** Batches of changes, for callers that ask from time to time. */
import type { ChangeBatch, InitialChanges, SinceOptions } from "../api/watch-options";
import type { ReadWindow, Snapshot, WatchStart } from "../spec/watch";
import { decodeCursor, encodeCursor, toChange, type StoredChange } from "./stored-rows";
import { diff, firstDayToRead } from "./diff";
import { Poller, type WatchDependencies } from "./poller";
import type { AnyWatch } from "./watch";
import { lastReadFailed, unknownCursor } from "./watch-errors";

/**
 * Acknowledges the changes up to the cursor and returns those after it. The steps are those of `subscribe`, except that
 * it reads at most once, and waits only for the lease of another consumer, for at most the duration of a lease.
 */
export async function fetchChanges(
  dependencies: WatchDependencies,
  { cursor, limit = 100, ...options }: SinceOptions,
  signal: AbortSignal,
): Promise<ChangeBatch> {
  const poller = new Poller(dependencies, options, signal);
  const { repository } = poller;
  const { name } = dependencies.watch;
  const acknowledged = cursor === undefined ? 0 : await deliveredPosition(name, poller, cursor);
  const batch = async (stored: readonly StoredChange[], next: string, hasMore: boolean) => {
    const changes = stored.map((change) => toChange(name, repository.id, change));
    return { changes, next, hasMore, gaps: await poller.withStoreErrors(repository.loadGaps()) };
  };
  const emptyBatch = (hasMore: boolean) => batch([], cursor ?? encodeCursor(repository.id, 0), hasMore);
  const startedAt = performance.now();
  for (let hasRead = false; ;) {
    signal.throwIfAborted();
    const step = await poller.acquireNextStep(acknowledged, limit);
    if (step.kind === "deliver") {
      const { seq } = step.changes.at(-1)!;
      // If the store fails here, the next step fails too and throws the error.
      if (!(await repository.markDelivered(seq, acknowledged).catch(() => false))) continue;
      await repository.releaseLease();
      return batch(step.changes, encodeCursor(repository.id, seq), step.changes.length === limit);
    }
    if (step.kind === "poll") {
      if (hasRead) {
        await repository.releaseLease();
        return emptyBatch(false);
      }
      const failure = await poller.poll(step.due);
      if (failure) throw failure;
      hasRead = true;
    } else if (step.isHeld && performance.now() - startedAt < poller.holdMs) await poller.wait(step);
    else if (step.hasFailed) throw lastReadFailed(name, step.ms);
    else return emptyBatch(step.isHeld);
  }
}

/** Returns the position of a cursor. Refuses changes that were never delivered, because they would be skipped. */
async function deliveredPosition(name: string, poller: Poller, cursor: string): Promise<number> {
  const { repository } = poller;
  const seq = decodeCursor(repository.id, cursor);
  if (seq === undefined) throw unknownCursor(name);
  if (seq > 0 && !(await poller.withStoreErrors(repository.wasDelivered(seq)))) throw unknownCursor(name);
  return seq;
}

interface InitialRead {
  readonly watch: AnyWatch;
  readonly input: unknown;
  readonly from: WatchStart;
  readonly read: (window: ReadWindow) => Promise<Snapshot>;
}

/** Reads once and returns the changes that the first read of a new watch would report. Stores nothing. */
export async function readInitialChanges({ watch, input, from, read }: InitialRead): Promise<InitialChanges> {
  const at = new Date().toISOString();
  const today = at.slice(0, "YYYY-MM-DD".length);
  const firstDay = firstDayToRead(watch, today, undefined, from);
  const knownStates = new Map<string, never>();
  const snapshot = await read({ today, from: firstDay, knownStates });
  const { changes } = diff({ watch, input }, knownStates, snapshot, { from: firstDay, start: from });
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
