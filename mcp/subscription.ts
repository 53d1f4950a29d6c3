/** A watch that a host listens to: asked again and again, and what was found is kept until the host reads it. */
import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "./protocol";

/** What a watch answers. */
export interface WatchUpdate extends JsonObject {
  readonly count: number;
  readonly cursor: string;
  /** Where more are waiting. */
  readonly next?: JsonObject;
}

interface SubscriptionOptions {
  /** Asks for what comes after a cursor, which says that all before it was heard. */
  readonly readAfter: (cursor: string | undefined, signal: AbortSignal) => Promise<WatchUpdate>;
  readonly everyMs: number;
  /** Hears that there is something to read. */
  readonly onUpdated: () => void;
}

export class Subscription {
  readonly #stop = new AbortController();
  #cursor: string | undefined;
  /** What the host has not read yet. */
  #unread: WatchUpdate | undefined;
  #failure: Error | undefined;
  #pendingRead: Promise<void> = Promise.resolve();
  #wake = new AbortController();

  constructor(private readonly options: SubscriptionOptions) {
    void this.#poll();
  }

  /** What was found. It counts as heard when the watch is asked the next time. Throws why nothing could be read. */
  async read(): Promise<WatchUpdate | undefined> {
    await this.#pendingRead;
    const found = this.#unread;
    if (!found && this.#failure) throw this.#failure;
    if (!found) return undefined;
    this.#unread = undefined;
    this.#cursor = found.cursor;
    if (found.next) this.#wake.abort();
    return found;
  }

  close(): void {
    this.#stop.abort();
  }

  async #poll(): Promise<void> {
    const { everyMs } = this.options;
    while (!this.#stop.signal.aborted) {
      if (!this.#unread) await (this.#pendingRead = this.#readNext());
      this.#wake = new AbortController();
      const signal = AbortSignal.any([this.#stop.signal, this.#wake.signal]);
      await wait(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #readNext(): Promise<void> {
    try {
      const found = await this.options.readAfter(this.#cursor, this.#stop.signal);
      this.#failure = undefined;
      if (found.count === 0) return;
      this.#unread = found;
      this.options.onUpdated();
    } catch (error) {
      this.#failure = error as Error;
    }
  }
}
