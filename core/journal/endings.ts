/** How calls ended, written into the journal: where it cannot take it at once, again and again in the background. */
import { setTimeout as pause } from "node:timers/promises";
import type { Ending, Entry, Journal } from "./entry";

/** How long a caller, who is to hear of the outcome at once, waits for it to be on disk. */
export const patienceMs = 2_000;
const [firstPauseMs, longestPauseMs] = [100, 30_000];

/** Resolves with the promise, or when the time is over. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const stop = new AbortController();
  const over = pause(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  const result = await Promise.race([promise, over]);
  stop.abort();
  return result;
}

/** Whether nothing more is to be said of an entry: a person or another process may have said it. */
const isSettled = ({ ending }: Entry, { state }: Ending): boolean =>
  ending !== undefined && (ending.state !== "unknown" || state === "unknown");

export class Endings {
  readonly #writing = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();

  constructor(private readonly journal: Journal) {}

  /**
   * Writes an ending, once `before` has come to its end. Resolves with the entry when it is on disk; when it cannot be for
   * now, it is written later. Never throws.
   */
  async write(entry: Entry, ending: Ending, before: Promise<unknown>): Promise<Entry | undefined> {
    const first = before.catch(() => undefined).then(() => this.#attempt(entry, ending));
    const written = first.then((isWritten) => (isWritten ? undefined : this.#goOn(entry, ending)));
    const known = written.finally(() => this.#writing.delete(known));
    this.#writing.add(known);
    return within(patienceMs, first);
  }

  /** Waits for what is still to be written, and gives it up after that time. */
  async close(limitMs: number): Promise<void> {
    if (this.#writing.size > 0) await within(limitMs, Promise.all(this.#writing));
    this.#stop.abort();
  }

  /** The entry where nothing is left to be written. */
  async #attempt(entry: Entry, ending: Ending): Promise<Entry | undefined> {
    try {
      return await this.journal.end(entry, ending);
    } catch {
      const known = await this.journal.get(entry.id).catch(() => undefined);
      return known && isSettled(known, ending) ? known : undefined;
    }
  }

  async #goOn(entry: Entry, ending: Ending): Promise<void> {
    const { signal } = this.#stop;
    sayLate(entry, ending);
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (await this.#attempt(entry, ending)) return;
    }
  }
}

const sayLate = ({ operation, id }: Entry, { state }: Ending): void =>
  process.emitWarning(
    `${operation}: That the call is ${state} is not in the journal yet (entry ${id}): the store cannot take it for now. It is tried again.`,
    { type: "FxdeskWarning", code: "FXDESK_JOURNAL_LATE" },
  );
