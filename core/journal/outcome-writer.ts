/** How calls ended, written into the journal: where it cannot take it at once, again and again in the background. */
import { setTimeout as pause } from "node:timers/promises";
import type { EntryOutcome, Entry, Journal } from "./entry";

/** How long a caller, who is to hear of the outcome at once, waits for it to be on disk. */
export const waitTimeoutMs = 2_000;
const [initialPauseMs, maxPauseMs] = [100, 30_000];

/** Resolves with the promise, or when the time is over. */
export async function waitAtMost<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const over = pause(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  const result = await Promise.race([promise, over]);
  stop.abort();
  return result;
}

/** Whether nothing more is to be said of an entry: a person or another process may have said it. */
const isRecorded = ({ ending }: Entry, { state }: EntryOutcome): boolean =>
  ending !== undefined && (ending.state !== "unknown" || state === "unknown");

export class OutcomeWriter {
  readonly #pendingWrites = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();

  constructor(private readonly journal: Journal) {}

  /**
   * Writes an ending, once `before` has come to its end. Resolves with the entry when it is on disk; when it cannot be for
   * now, it is written later. Never throws.
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

  /** Waits for what is still to be written, and gives it up after that time. */
  async close(limitMs: number): Promise<void> {
    if (this.#pendingWrites.size > 0) await waitAtMost(limitMs, Promise.all(this.#pendingWrites));
    this.#stop.abort();
  }

  /** The entry where nothing is left to be written. */
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
    `${operation}: That the call is ${state} is not in the journal yet (entry ${id}): the store cannot take it for now. It is tried again.`,
    { type: "FxdeskWarning", code: "FXDESK_JOURNAL_LATE" },
  );
