/** Time limits and cancellation of calls. */

/** Longest delay of a Node.js timer. Longer ones would fire at once. */
const maxTimerMs = 2 ** 31 - 1;

/** Returns the problem with a numeric limit, or undefined if it is valid. */
export const limitViolation = (value: unknown): string | undefined =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxTimerMs
    ? undefined
    : `must be a whole number from 1 to ${maxTimerMs}, not ${String(value)}`;

/** The deadline ended the call before its response was complete. */
export class DeadlineEnded extends Error {
  constructor(
    /** Cause: the caller's signal, or one of the two limits. */
    readonly by: "caller" | "queue" | "time",
    message: string,
  ) {
    super(message);
  }
}

/** Returns the error for a call that its caller aborted. */
export const callerAbortedError = () => new DeadlineEnded("caller", "The call was aborted.");

/** Cancels the current step. May return an error to report instead of the reason. */
type CancelStep = (reason: DeadlineEnded) => Error | void;

/**
 * Limits of one call, and the caller's signal. The queue limit applies until the rate limiter admits the call, the time limit
 * from then until the response is complete. Every wait is a step of the deadline and ends immediately; undici's own timeouts
 * are up to half a second late and do not cover connecting.
 */
export class Deadline {
  ended: DeadlineEnded | undefined;
  /** True for background calls, which do not keep the process alive. */
  isInBackground = false;
  #signal: AbortSignal | undefined;
  #onAbort: (() => void) | undefined;
  #limitKind: "queue" | "time" = "queue";
  #limitMs = Infinity;
  #endsAt = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #cancel: CancelStep | undefined;
  #isAbortable = true;
  #released = false;

  /** Without a limit, the deadline is idle until `start`. */
  constructor(queueTimeoutMs?: number, signal?: AbortSignal) {
    if (queueTimeoutMs !== undefined) this.start(queueTimeoutMs, signal);
  }

  /** Starts the queue limit, and observes the caller's signal. */
  start(queueTimeoutMs: number, signal?: AbortSignal): void {
    this.#setLimit(queueTimeoutMs, "queue");
    if (!signal) return;
    this.#signal = signal;
    const onAbort = () => this.#endByCaller();
    this.#onAbort = onAbort;
    if (signal.aborted) this.#endByCaller();
    else signal.addEventListener("abort", onAbort, { once: true });
  }

  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Starts the time limit, after the rate limiter admitted the call. */
  startTimeLimit(timeoutMs: number): void {
    this.#setLimit(timeoutMs, "time");
  }

  /** Enables or disables the caller's signal. Disabled while a money call is in flight. */
  setAbortable(isAbortable: boolean): void {
    this.#isAbortable = isAbortable;
    if (isAbortable && this.#signal?.aborted) this.#endByCaller();
  }

  /** Runs a cancellable step. `start` returns its cancel function. One step at a time. */
  waitFor<T>(start: (resolve: (value: T) => void, reject: (error: Error) => void) => CancelStep): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.assertOpen();
      this.#setTimer();
      const cancel = start(
        (value) => {
          this.clearCancel();
          resolve(value);
        },
        (error) => {
          this.clearCancel();
          reject(error);
        },
      );
      this.setCancel((reason) => reject(cancel(reason) ?? reason));
    });
  }

  /** Waits for a promise that cannot be cancelled, until the deadline. */
  race<T>(promise: Promise<T>): Promise<T> {
    // Avoids an unhandled rejection if the deadline has already ended.
    promise.catch(() => undefined);
    return this.waitFor((resolve, reject) => {
      promise.then(resolve, reject);
      return () => undefined;
    });
  }

  /** Sets the cancel function of the current step, until `clearCancel`. Also used for files received after the call. */
  setCancel(cancel: CancelStep): void {
    this.#setTimer();
    this.#cancel = cancel;
  }

  /** Marks the current step as finished. */
  clearCancel(): void {
    this.#cancel = undefined;
  }

  wait(ms: number): Promise<void> {
    return this.waitFor<void>((resolve) => {
      const timer = this.#startTimer(resolve, ms);
      return () => clearTimeout(timer);
    });
  }

  /** Throws if the deadline has ended. */
  assertOpen(): void {
    if (this.ended) throw this.ended;
  }

  /** Releases timer and signal when the call is over. */
  release(): void {
    this.#released = true;
    clearTimeout(this.#timer);
    if (this.#onAbort) this.#signal!.removeEventListener("abort", this.#onAbort);
  }

  /** The timer starts with the first wait: most calls are admitted immediately. */
  #setLimit(ms: number, by: "queue" | "time"): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#limitMs = ms;
    this.#limitKind = by;
    this.#endsAt = performance.now() + ms;
    if (this.#cancel) this.#setTimer();
  }

  #setTimer(): void {
    // An idle deadline has no limit; a timer of infinite length would fire at once.
    if (this.#endsAt === Infinity) return;
    this.#timer ??= this.#startTimer(() => this.#endByLimit(), this.remainingMs);
  }

  #startTimer(action: () => void, ms: number): NodeJS.Timeout {
    const timer = setTimeout(action, ms);
    return this.isInBackground ? timer.unref() : timer;
  }

  #endByLimit(): void {
    const ms = this.#limitMs;
    const message =
      this.#limitKind === "queue"
        ? `The call waited ${ms} ms for the rate limiter.`
        : `No response within ${ms} ms.`;
    this.#endWith(new DeadlineEnded(this.#limitKind, message));
  }

  #endByCaller(): void {
    if (this.#isAbortable) this.#endWith(callerAbortedError());
  }

  #endWith(reason: DeadlineEnded): void {
    if (this.ended || this.#released) return;
    this.ended = reason;
    clearTimeout(this.#timer);
    this.#cancel?.(reason);
  }
}
