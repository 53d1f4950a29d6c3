/** The pace of one server as this process knows it: found out by what the server takes and refuses. */
import type { Gate } from "./gate";
import { climbed, rateOf, refused } from "./rate";

/** The shortest interval between two calls, 0 where no rate is known. */
export const leastMsOf = ({ perSecond }: { readonly perSecond?: number | undefined }): number =>
  perSecond === undefined ? 0 : 1_000 / perSecond;

/** What counts as a second without a pause. */
export const wholeMs = 900;

/** How late a timer may be without the next one waiting for it. */
export const lateMs = 20;

export class MemoryGate implements Gate {
  pausedUntil = 0;
  #nextAt = 0;
  #rate;
  #count = 0;
  readonly #meter = new Meter();

  /** Begins with an interval, 0 for no limit, which gets no shorter than the other. */
  constructor(leastMs: number, intervalMs = leastMs) {
    this.#rate = rateOf(intervalMs, leastMs, performance.now());
  }

  waitMs(now: number): number {
    return Math.max(this.#nextAt, this.pausedUntil) - now;
  }

  pass(now: number): void {
    if (this.#rate.intervalMs === 0) return;
    this.#rate = climbed(this.#rate, now, this.#count);
    this.#nextAt = Math.max(this.#nextAt, now - lateMs) + this.#rate.intervalMs;
  }

  taken(now: number): void {
    this.#count += 1;
    this.#meter.add(now);
  }

  refused(now: number, sentAt: number, retryAfterMs: number | undefined): void {
    const taken = this.#count;
    const lastSecond = Math.min(this.#meter.lastSecond(now), taken - this.#rate.takenBefore);
    const isWhole = now - this.pausedUntil >= wholeMs;
    const { rate, pauseMs } = refused(this.#rate, { now, sentAt, taken, lastSecond, isWhole, retryAfterMs });
    this.#rate = rate;
    this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
    // A pause that is shorter than the interval forgives none of it.
    this.#nextAt = Math.max(this.#nextAt, this.pausedUntil);
  }
}

const slots = 64;
const slotMs = 1_000 / slots;

/** Counts what happened within the last second. */
class Meter {
  readonly #counts = new Uint32Array(slots);
  #newest = 0;

  add(now: number): void {
    this.#turnTo(now);
    this.#counts[this.#newest % slots]! += 1;
  }

  lastSecond(now: number): number {
    this.#turnTo(now);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #turnTo(now: number): void {
    const slot = Math.floor(now / slotMs);
    const gone = Math.min(slots, slot - this.#newest);
    for (let back = 0; back < gone; back += 1) this.#counts[(slot - back) % slots] = 0;
    this.#newest = slot;
  }
}
