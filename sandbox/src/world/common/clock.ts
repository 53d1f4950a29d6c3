/** State of a clock. A running clock follows the machine's clock, a stepped one moves with requests. */
export interface ClockState {
  readonly kind: "running" | "stepped";
  readonly time: Date;
}

/** The sandbox's clock. The world never reads the machine's clock directly. */
export interface Clock {
  readonly state: ClockState;
  now(): Date;
  /** Called once per request. */
  tick(): void;
  /** Moves the time forward. Throws a RangeError beyond the supported range. */
  advance(milliseconds: number): void;
}

/**
 * Supported range. Statements write two-digit years, from 1980 on; a year of history and future trades must fit.
 */
const [first, last] = ["2000-01-01T00:00:00.000Z", "2069-12-31T23:59:59.999Z"];

/** Returns why a time is not supported. */
export const timeViolation = (time: Date): string | undefined =>
  time >= new Date(first) && time <= new Date(last) ? undefined : `now must be from ${first} to ${last}`;

/** Returns the time if it is supported, else throws a RangeError. */
function assertPlayable(time: number): number {
  const violation = timeViolation(new Date(time));
  if (violation !== undefined) throw new RangeError(violation);
  return time;
}

const tickMs = 100;

/**
 * Creates a clock in a state. A stepped clock moves by 100 ms per request, so that repeated runs see the same times. Throws
 * a RangeError for an unsupported time.
 */
export function createClock({ kind, time }: ClockState): Clock {
  const base = () => (kind === "running" ? Date.now() : 0);
  let ahead = assertPlayable(time.getTime()) - base();
  const now = () => new Date(base() + ahead);
  return {
    get state() {
      return { kind, time: now() };
    },
    now,
    tick: () => {
      if (kind === "stepped") ahead += tickMs;
    },
    advance: (milliseconds) => {
      ahead = assertPlayable(base() + ahead + milliseconds) - base();
    },
  };
}
