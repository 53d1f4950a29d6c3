/** What is going to happen, in the order of time: money coming in, trades maturing, statements getting ready. */

interface Event {
  readonly at: Date;
  readonly happen: () => void;
}

export class Agenda {
  readonly #events: Event[] = [];
  #time = new Date(0);

  /** When the event that happens now was due. */
  get time(): Date {
    return this.#time;
  }

  /** What is due at the same time happens in the order it was scheduled in. */
  schedule(at: Date, happen: () => void): void {
    let place = this.#events.length;
    while (place > 0 && this.#events[place - 1]!.at > at) place -= 1;
    this.#events.splice(place, 0, { at, happen });
  }

  /** Lets everything happen that is due, also what follows from it. */
  run(until: Date): void {
    while (this.#events.length > 0 && this.#events[0]!.at <= until) {
      const { at, happen } = this.#events.shift()!;
      if (at > this.#time) this.#time = at;
      happen();
    }
    this.#time = until;
  }
}
