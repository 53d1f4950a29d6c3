/** The calls of a toolbox that are under way, until the toolbox is closed. */
import type { Callable } from "../core/declaration/operation";

interface PendingCall {
  readonly operation: Callable;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

export class PendingCalls {
  /** Whether no more calls are taken. */
  isClosed = false;
  readonly #pending = new Set<PendingCall>();

  /** Runs a call. Its signal is the caller's, and that of the close. */
  run<T>(operation: Callable, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    if (signal.aborted) stop.abort();
    else signal.addEventListener("abort", onAbort, { once: true });
    const ended = call(stop.signal).finally(() => {
      signal.removeEventListener("abort", onAbort);
      this.#pending.delete(pendingCall);
    });
    const pendingCall = { operation, stop, ended };
    this.#pending.add(pendingCall);
    return ended;
  }

  /** The operations under way that commit money. */
  moneyOperations(): Callable[] {
    return [...this.#pending].map(({ operation }) => operation).filter(({ effect }) => effect === "money");
  }

  /** Stops what can be stopped, and waits for the rest: the client ends no call that commits money and has left. */
  async close(): Promise<void> {
    this.isClosed = true;
    const inFlight = [...this.#pending];
    for (const { stop } of inFlight) stop.abort();
    await Promise.allSettled(inFlight.map(({ ended }) => ended));
  }
}
