/** The calls of a toolbox until they end, and the log lines of those that move money. */
import { toFxdeskError } from "../core/call/call-errors";
import { formatOutcomeLine } from "../core/call/outcome-line";
import type { ServiceResponse } from "../core/call/response";
import { FxdeskError } from "../core/spec/errors";
import type { Callable } from "../core/spec/operation";

interface InFlightCall {
  readonly operation: Callable;
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

export class InFlightCalls {
  /** True once no more calls are accepted. */
  isClosed = false;
  readonly #calls = new Set<InFlightCall>();

  /** Runs a call with a signal that aborts with the caller's or when the toolbox closes. */
  run<T>(operation: Callable, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    if (signal.aborted) stop.abort();
    else signal.addEventListener("abort", onAbort, { once: true });
    const ended = call(stop.signal).finally(() => {
      signal.removeEventListener("abort", onAbort);
      this.#calls.delete(inFlight);
    });
    const inFlight = { operation, stop, ended };
    this.#calls.add(inFlight);
    return ended;
  }

  /** Returns log lines for the calls whose outcome would be unknown if the process ended now. */
  unfinished(): string[] {
    const stopped = new Error("the server was stopped");
    return [...this.#calls]
      .filter(({ operation }) => operation.effect === "money")
      .map(({ operation }) => logLine(operation, unknownOutcomeError(operation, stopped)));
  }

  /** Aborts all calls and waits for them. The client does not abort a call that moves money once it was sent. */
  async close(): Promise<void> {
    this.isClosed = true;
    const inFlight = [...this.#calls];
    for (const { stop } of inFlight) stop.abort();
    await Promise.allSettled(inFlight.map(({ ended }) => ended));
  }
}

const unknownOutcomeError = (operation: Callable, error: unknown): FxdeskError =>
  toFxdeskError(operation, error, { attempts: 1, sent: true });

const logLine = (operation: Callable, outcome: ServiceResponse | FxdeskError) =>
  `fxdesk: ${formatOutcomeLine(operation, outcome)}`;

/** Logs the outcome of each call that moves money, because its caller may no longer be waiting. */
export function logOutcome(operation: Callable, outcome: ServiceResponse | FxdeskError): void {
  if (operation.effect === "money") console.error(logLine(operation, outcome));
}

/** Logs the outcome of a failed call, and an unexpected error in full. */
export function logFailure(operation: Callable, error: unknown): void {
  if (error instanceof FxdeskError) return logOutcome(operation, error);
  console.error(error);
  logOutcome(operation, unknownOutcomeError(operation, error));
}
