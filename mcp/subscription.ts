/** A watch that a host listens to: asked again and again, and what was found is kept until the host reads it. */
import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "./protocol";

/** What a watch answers. */
export interface Tidings extends JsonObject {
  readonly count: number;
  readonly cursor: string;
  /** Where more are waiting. */
  readonly next?: JsonObject;
}

interface Listening {
  /** Asks for what comes after a cursor, which says that all before it was heard. */
  readonly ask: (cursor: string | undefined, signal: AbortSignal) => Promise<Tidings>;
  readonly everyMs: number;
  /** Hears that there is something to read. */
  readonly updated: () => void;
}

export class Subscription {
  readonly #stop = new AbortController();
  #cursor: string | undefined;
  /** What the host has not read yet. */
  #unread: Tidings | undefined;
  #failure: Error | undefined;
  #asking: Promise<void> = Promise.resolve();
  #more = new AbortController();

  constructor(private readonly listening: Listening) {
    void this.#listen();
  }

  /** What was found. It counts as heard when the watch is asked the next time. Throws why nothing could be read. */
  async read(): Promise<Tidings | undefined> {
    await this.#asking;
    const found = this.#unread;
    if (!found && this.#failure) throw this.#failure;
    if (!found) return undefined;
    this.#unread = undefined;
    this.#cursor = found.cursor;
    if (found.next) this.#more.abort();
    return found;
  }

  close(): void {
    this.#stop.abort();
  }

  async #listen(): Promise<void> {
    const { everyMs } = this.listening;
    while (!this.#stop.signal.aborted) {
      if (!this.#unread) await (this.#asking = this.#ask());
      this.#more = new AbortController();
      const signal = AbortSignal.any([this.#stop.signal, this.#more.signal]);
      await wait(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #ask(): Promise<void> {
    try {
      const found = await this.listening.ask(this.#cursor, this.#stop.signal);
      this.#failure = undefined;
      if (found.count === 0) return;
      this.#unread = found;
      this.listening.updated();
    } catch (error) {
      this.#failure = error as Error;
    }
  }
}
