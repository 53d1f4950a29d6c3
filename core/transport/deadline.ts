/** How long a call may take, and who may stop it. */

/** Why a call ended before its response was there. */
export class DeadlineEnded extends Error {
  constructor(
    /** The caller's signal, or one of the two limits. */
    readonly by: "caller" | "queue" | "time",
    message: string,
  ) {
    super(message);
  }
}

/** The end of a call whose caller's signal says so. */
export const callerAbortedError = () => new DeadlineEnded("caller", "The call was aborted.");

/** Stops a step that is under way; returns what it ends with, where that is not the reason itself. */
type CancelStep = (reason: DeadlineEnded) => Error | void;

/**
 * The limits of one call, and its caller's signal. A call has two limits, one after the other: until pacing lets it go,
 * and from then until its response is there. Every wait of a call is a step of its deadline, so that an end is felt at
 * once, wherever the call is; undici's own limits are half a second late and do not act while it connects.
 */
export class Deadline {
  ended: DeadlineEnded | undefined;
  /** Nobody waits for the call: it does not keep the process alive. */
  isInBackground = false;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: (() => void) | undefined;
  #limitKind: "queue" | "time" = "queue";
  #limitMs = Infinity;
  #endsAt = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #cancel: CancelStep | undefined;
  #isAbortable = true;
  #released = false;

  constructor(queueTimeoutMs: number, signal?: AbortSignal) {
    this.#signal = signal;
    this.#setLimit(queueTimeoutMs, "queue");
    if (!signal) return;
    // Named before it is assigned: see `Exchange`.
    const onAbort = () => this.#endByCaller();
    this.#onAbort = onAbort;
    if (signal.aborted) this.#endByCaller();
    else signal.addEventListener("abort", onAbort, { once: true });
  }

  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Pacing lets the call go: from now on it has this time. */
  startTimeLimit(timeoutMs: number): void {
    this.#setLimit(timeoutMs, "time");
  }

  /** Whether the caller's signal still ends the call: not while money is on its way. */
  setAbortable(isAbortable: boolean): void {
    this.#isAbortable = isAbortable;
    if (isAbortable && this.#signal?.aborted) this.#endByCaller();
  }

  /**
   * Waits for what `start` begins. It returns how to stop it; when the call ends first, it is stopped and the reason is
   * thrown. One step at a time.
   */
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

  /** Waits for what cannot be stopped, as long as the call has time. */
  race<T>(promise: Promise<T>): Promise<T> {
    // The call may have ended before: then nobody waits for it.
    promise.catch(() => undefined);
    return this.waitFor((resolve, reject) => {
      promise.then(resolve, reject);
      return () => undefined;
    });
  }

  /** From here on, and until `stepEnded`, `stop` ends what is under way: also after the call, a file that still arrives. */
  setCancel(cancel: CancelStep): void {
    this.#setTimer();
    this.#cancel = cancel;
  }

  /** What was under way has ended by itself. */
  clearCancel(): void {
    this.#cancel = undefined;
  }

  wait(ms: number): Promise<void> {
    return this.waitFor<void>((resolve) => {
      const timer = this.#startTimer(resolve, ms);
      return () => clearTimeout(timer);
    });
  }

  /** Throws when the call has ended. */
  assertOpen(): void {
    if (this.ended) throw this.ended;
  }

  /** The response is there, or will never be: lets go of timer and signal. */
  release(): void {
    this.#released = true;
    clearTimeout(this.#timer);
    if (this.#onAbort) this.#signal!.removeEventListener("abort", this.#onAbort);
  }

  /** The timer is set when there is something to wait for: most calls never wait for their turn. */
  #setLimit(ms: number, by: "queue" | "time"): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#limitMs = ms;
    this.#limitKind = by;
    this.#endsAt = performance.now() + ms;
    if (this.#cancel) this.#setTimer();
  }

  #setTimer(): void {
    this.#timer ??= this.#startTimer(() => this.#endByLimit(), this.remainingMs);
  }

  #startTimer(action: () => void, ms: number): NodeJS.Timeout {
    const timer = setTimeout(action, ms);
    return this.isInBackground ? timer.unref() : timer;
  }

  #endByLimit(): void {
    const ms = this.#limitMs;
    const message =
      this.#limitKind === "queue" ? `The call waited ${ms} ms for its turn.` : `No response within ${ms} ms.`;
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
