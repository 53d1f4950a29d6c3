import { EventEmitter } from "node:events";
import type { Readable } from "node:stream";

/**
 * One time limit over all attempts of a call, and the caller's own signal. An emitter, not an AbortSignal: undici takes
 * both, and combining signals with AbortSignal.any costs half a request's CPU.
 */
export class Deadline extends EventEmitter {
  aborted = false;
  reason: Error | undefined;
  /** Whether the caller, not the clock, ended the call. */
  byCaller = false;
  readonly #end: number;
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  #following = false;

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

  /** Ends with a stream instead of with the call: the caller's signal can still stop it, the clock no longer. */
  follow(stream: Readable): void {
    this.#following = true;
    stream.once("close", () => this.#letGo());
  }

  /** The call has answered: lets go of the timer and, unless a stream is followed, of the caller's signal. */
  release(): void {
    clearTimeout(this.#timer);
    if (!this.#following) this.#letGo();
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
    clearTimeout(this.#timer);
    this.emit("abort");
  }

  #letGo(): void {
    this.#signal?.removeEventListener("abort", this.#onCallerAbort);
  }
}
