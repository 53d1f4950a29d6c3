/** Splits long work into slices, so that it does not block the event loop. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Maximum time that a slice may block the event loop. */
const sliceMs = 10;

export class TimeSlice {
  #endsAt = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Starts the next slice after one turn of the event loop. */
  async next(): Promise<void> {
    await nextTurn();
    this.#endsAt = performance.now() + sliceMs;
  }
}
