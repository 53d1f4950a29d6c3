/** The pace of one server as this process knows it: found out by what the server takes and refuses. */
import type { RateLimiter } from "./rate-limiter";
import { increaseRate, createCallRate, applyRefusal } from "./call-rate";

/** The shortest interval between two calls, 0 where no rate is known. */
export const minIntervalMsOf = ({ perSecond }: { readonly perSecond?: number | undefined }): number =>
  perSecond === undefined ? 0 : 1_000 / perSecond;

/** What counts as a second without a pause. */
export const fullSecondMs = 900;

/** How late a timer may be without the next one waiting for it. */
export const timerToleranceMs = 20;

export class MemoryRateLimiter implements RateLimiter {
  pausedUntil = 0;
  #nextAt = 0;
  #rate;
  #accepted = 0;
  readonly #window = new SlidingWindow();

  /** Begins with an interval, 0 for no limit, which gets no shorter than the other. */
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
    this.#window.add(now);
  }

  recordRefused(now: number, sentAt: number, retryAfterMs: number | undefined): void {
    const accepted = this.#accepted;
    const acceptedLastSecond = Math.min(this.#window.lastSecond(now), accepted - this.#rate.takenBefore);
    const isFullSecond = now - this.pausedUntil >= fullSecondMs;
    const { rate, pauseMs } = applyRefusal(this.#rate, {
      now,
      sentAt,
      accepted,
      acceptedLastSecond,
      isFullSecond,
      retryAfterMs,
    });
    this.#rate = rate;
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
    // A pause that is shorter than the interval forgives none of it.
    this.#nextAt = Math.max(this.#nextAt, this.pausedUntil);
  }
}

const slots = 64;
const slotMs = 1_000 / slots;

/** Counts what happened within the last second. */
class SlidingWindow {
  readonly #counts = new Uint32Array(slots);
  #newestSlot = 0;

  add(now: number): void {
    this.#advanceTo(now);
    this.#counts[this.#newestSlot % slots]! += 1;
  }

  lastSecond(now: number): number {
    this.#advanceTo(now);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #advanceTo(now: number): void {
    const slot = Math.floor(now / slotMs);
    const elapsed = Math.min(slots, slot - this.#newestSlot);
    for (let back = 0; back < elapsed; back += 1) this.#counts[(slot - back) % slots] = 0;
    this.#newestSlot = slot;
  }
}
