/** What is going to happen, in the order of time: money coming in, trades maturing, statements getting ready. */

interface Event {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly happen: () => void;
}

export class Agenda {
  readonly #events: Event[] = [];
  #time = new Date(0);

  /** When the event that happens now was due; it never goes back. */
  get time(): Date {
    return this.#time;
  }

  /** What is due at the same time happens in the order it was scheduled in. */
  schedule(time: Date, happen: () => void): void {
    const at = time.getTime();
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.at <= at) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, { at, happen });
  }

  /** Lets everything happen that is due, also what follows from it. */
  run(until: Date): void {
    const end = until.getTime();
    while (this.#events.length > 0 && this.#events[0]!.at <= end) {
      const { at, happen } = this.#events.shift()!;
      if (at > this.#time.getTime()) this.#time = new Date(at);
      happen();
    }
    if (until > this.#time) this.#time = until;
  }
}
