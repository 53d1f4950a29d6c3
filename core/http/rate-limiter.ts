/** Rate limiters of one server: the interface, and the one in the memory of this process. */
import { increaseRate, createCallRate, applyRefusal } from "./call-rate";

/** Decides when the next call to a server may be sent. */
export interface RateLimiter {
  /** End of the current pause. */
  readonly pausedUntil: number;
  /** Returns the time until the next call; 0 or less for now. Undefined if unknown yet: `dispatch` is called later. */
  waitMs(now: number): number | undefined;
  /** Records an admitted call. */
  recordSent(now: number): void;
  recordAccepted(now: number): void;
  recordRefused(now: number, sentAt: number, retryAfterMs: number | undefined): void;
}

/** Queue in front of a rate limiter. */
export interface WaitingQueue {
  readonly size: number;
  /** Called when the rate limiter has new information. */
  dispatch(): void;
}

/** Returns the configured minimum interval between calls; 0 without a configured rate. */
export const minIntervalMsOf = ({ perSecond }: { readonly perSecond?: number | undefined }): number =>
  perSecond === undefined ? 0 : 1_000 / perSecond;

/** Timer delay that is compensated by the next call. */
export const timerToleranceMs = 20;

export class MemoryRateLimiter implements RateLimiter {
  pausedUntil = 0;
  #nextAt = 0;
  #rate;
  #accepted = 0;
  /** Times of the calls accepted within the last second. */
  readonly #recent: number[] = [];

  /** Starts with an interval (0 for no limit), which never drops below the minimum. */
  constructor(minIntervalMs: number, intervalMs = minIntervalMs) {
    this.#rate = createCallRate(intervalMs, minIntervalMs, performance.now());
  }

  waitMs(now: number): number {
    return Math.max(this.#nextAt, this.pausedUntil) - now;
  }

  recordSent(now: number): void {
    if (this.#rate.intervalMs === 0) return;
    this.#rate = increaseRate(this.#rate, now, this.#accepted);
    this.#nextAt = Math.max(this.#nextAt, now - timerToleranceMs) + this.#rate.intervalMs;
  }

  recordAccepted(now: number): void {
    this.#accepted += 1;
    this.#recent.push(now);
    while (this.#recent[0]! <= now - 1_000) this.#recent.shift();
  }

  recordRefused(now: number, sentAt: number, retryAfterMs: number | undefined): void {
    const accepted = this.#accepted;
    const recent = this.#recent.filter((time) => time > now - 1_000).length;
    const acceptedLastSecond = Math.min(recent, accepted - this.#rate.takenBefore);
    const { rate, pauseMs } = applyRefusal(this.#rate, {
      now,
      sentAt,
      accepted,
      acceptedLastSecond,
      retryAfterMs,
    });
    this.#rate = rate;
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
    // A pause shorter than the interval does not shorten it.
    this.#nextAt = Math.max(this.#nextAt, this.pausedUntil);
  }
}
