/** Much work in pieces, so that the event loop is not held. */
import { setImmediate as turn } from "node:timers/promises";

/** What is no stall yet. */
const sliceMs = 10;

export class TimeSlice {
  #endsAt = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Begins the next one after a turn of the event loop. */
  async next(): Promise<void> {
    await turn();
    this.#endsAt = performance.now() + sliceMs;
  }
}
