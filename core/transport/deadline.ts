import { EventEmitter } from "node:events";

/**
 * One time limit over all attempts of a call, and the caller's own signal. An emitter, not an AbortSignal: undici takes
 * both, and combining signals with AbortSignal.any costs half a request's CPU.
 */
export class Deadline extends EventEmitter {
  aborted = false;
  reason: Error | undefined;
  /** Whether the caller, not the clock, ended the call. */
  byCaller = false;
  /** Whether a body is still being read after the call has answered, so that the caller's signal stays in force. */
  reading = false;
  readonly #end: number;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;

  constructor(limitMs: number, signal: AbortSignal | undefined) {
    super();
    this.#end = Date.now() + limitMs;
    this.#timer = setTimeout(() => this.#abort(new Error(`No answer within ${limitMs} ms.`)), limitMs);
    this.#signal = signal;
    if (signal?.aborted) this.#onCallerAbort();
    else signal?.addEventListener("abort", this.#onCallerAbort, { once: true });
  }

  get remainingMs(): number {
    return this.#end - Date.now();
  }

  /** Ends the time limit; the caller's signal still ends a body that is being read. */
  stopClock(): void {
    clearTimeout(this.#timer);
  }

  /** Lets go of the timer and of the caller's signal. */
  release(): void {
    this.stopClock();
    this.#signal?.removeEventListener("abort", this.#onCallerAbort);
  }

  /** Waits, unless the call ends first. */
  async wait(ms: number): Promise<void> {
    if (this.aborted) throw this.reason!;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.off("abort", onAbort);
        resolve();
      }, ms);
      const onAbort = () => {
        clearTimeout(timer);
        reject(this.reason!);
      };
      this.once("abort", onAbort);
    });
  }

  #onCallerAbort = (): void => {
    this.byCaller = true;
    this.#abort(new Error("The call was aborted."));
  };

  #abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.stopClock();
    this.emit("abort");
  }
}
