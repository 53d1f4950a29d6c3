/** Tracks the calls of a toolbox until they end. */
import type { Callable } from "../core/spec/operation";

interface PendingCall {
  readonly operation: Callable;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

export class PendingCalls {
  /** True once no more calls are accepted. */
  isClosed = false;
  readonly #pending = new Set<PendingCall>();

  /** Runs a call with a signal that aborts with the caller's or when the toolbox closes. */
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

  /** Returns the operations of pending calls that move money. */
  moneyOperations(): Callable[] {
    return [...this.#pending].map(({ operation }) => operation).filter(({ effect }) => effect === "money");
  }

  /** Aborts all calls and waits for them. The client does not abort a call that moves money once it was sent. */
  async close(): Promise<void> {
    this.isClosed = true;
    const inFlight = [...this.#pending];
    for (const { stop } of inFlight) stop.abort();
    await Promise.allSettled(inFlight.map(({ ended }) => ended));
  }
}
