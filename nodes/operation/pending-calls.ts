/** The calls of one node that are under way. */

/** How many calls share a signal: to make one takes long, and so it does to listen where thousands do. */
const callsPerSignal = 10;

export class PendingCalls {
  readonly #calls = new Map<Promise<void>, AbortController>();
  #abort = new AbortController();
  #sharing = 0;
  #closed = false;

  get count(): number {
    return this.#calls.size;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Runs a call, which must not throw, and counts it until it ends. `changed` hears that there are more or less. */
  run(call: (signal: AbortSignal) => Promise<void>, changed: () => void): void {
    const abort = this.#nextAbort();
    const ended = call(abort.signal).finally(() => {
      this.#calls.delete(ended);
      changed();
    });
    this.#calls.set(ended, abort);
    changed();
  }

  /**
   * Ends what can be ended, which is all but the calls that commit money and have left. Returns when the last one has
   * ended.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const ended = [...this.#calls.keys()];
    for (const abort of this.#calls.values()) abort.abort();
    await Promise.allSettled(ended);
  }

  /** What comes after the end of the node does not leave. */
  #nextAbort(): AbortController {
    if (this.#sharing === callsPerSignal) {
      this.#abort = new AbortController();
      this.#sharing = 0;
    }
    this.#sharing += 1;
    if (this.#closed) this.#abort.abort();
    return this.#abort;
  }
}
