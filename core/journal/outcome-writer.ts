/** Writes outcomes into the journal, with retries in the background if the store is unavailable. */
import { setTimeout as pause } from "node:timers/promises";
import type { EntryOutcome, Entry } from "./entry";
import type { Journal } from "./journal";

/** Maximum wait for a durable outcome. The caller then receives the outcome anyway. */
export const waitTimeoutMs = 2_000;
const [initialPauseMs, maxPauseMs] = [100, 30_000];

/** Resolves with the promise's value, or with undefined after `ms`. */
export async function waitAtMost<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const over = pause(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  const result = await Promise.race([promise, over]);
  stop.abort();
  return result;
}

/** True if nothing is left to record: a person or another process may have recorded an outcome first. */
const isRecorded = ({ ending }: Entry, { state }: EntryOutcome): boolean =>
  ending !== undefined && (ending.state !== "unknown" || state === "unknown");

export class OutcomeWriter {
  readonly #pendingWrites = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();

  constructor(private readonly journal: Journal) {}

  /**
   * Writes an outcome after `before` has settled. Resolves with the stored entry, or with undefined if the store is slow or
   * unavailable; the write then continues in the background. Never throws.
   */
  async write(entry: Entry, outcome: EntryOutcome, before: Promise<unknown>): Promise<Entry | undefined> {
    const first = before.catch(() => undefined).then(() => this.#tryWrite(entry, outcome));
    const written = first.then((isWritten) =>
      isWritten ? undefined : this.#retryInBackground(entry, outcome),
    );
    const known = written.finally(() => this.#pendingWrites.delete(known));
    this.#pendingWrites.add(known);
    return waitAtMost(waitTimeoutMs, first);
  }

  /** Waits up to `limitMs` for pending writes, then abandons them. */
  async close(limitMs: number): Promise<void> {
    if (this.#pendingWrites.size > 0) await waitAtMost(limitMs, Promise.all(this.#pendingWrites));
    this.#stop.abort();
  }

  /** Returns the entry once an outcome is stored, undefined if the write failed. */
  async #tryWrite(entry: Entry, outcome: EntryOutcome): Promise<Entry | undefined> {
    try {
      return await this.journal.recordOutcome(entry, outcome);
    } catch {
      const known = await this.journal.get(entry.id).catch(() => undefined);
      return known && isRecorded(known, outcome) ? known : undefined;
    }
  }

  async #retryInBackground(entry: Entry, outcome: EntryOutcome): Promise<void> {
    const { signal } = this.#stop;
    warnDelayed(entry, outcome);
    for (let pauseMs = initialPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (await this.#tryWrite(entry, outcome)) return;
    }
  }
}

const warnDelayed = ({ operation, id }: Entry, { state }: EntryOutcome): void =>
  process.emitWarning(
    `${operation}: The outcome ${state} is not in the journal yet (entry ${id}): the store is unavailable. The write is retried.`,
    { type: "FxdeskWarning", code: "FXDESK_JOURNAL_LATE" },
  );
