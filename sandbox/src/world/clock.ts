/** The sandbox's time. Nothing in the world asks the machine's clock. */
export interface Clock {
  now(): Date;
  /** Called once for each request. */
  tick(): void;
  /** Moves the time forward. */
  advance(milliseconds: number): void;
}

/** Runs with the machine's clock, ahead of it by what it was advanced. */
export function runningClock(): Clock {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    tick: () => {},
    advance: (milliseconds) => (ahead += milliseconds),
  };
}

const tickMs = 100;

/**
 * Starts at a given time and moves with the requests, a tenth of a second for each: the same requests always meet the
 * same time.
 */
export function steppedClock(start: Date): Clock {
  let time = start.getTime();
  return {
    now: () => new Date(time),
    tick: () => (time += tickMs),
    advance: (milliseconds) => (time += milliseconds),
  };
}
