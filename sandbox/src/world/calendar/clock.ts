/** Where a clock stands: one that runs goes on from there with the machine's, one that steps waits for requests. */
export interface ClockState {
  readonly kind: "running" | "stepped";
  readonly time: Date;
}

/** The sandbox's time. Nothing in the world asks the machine's clock. */
export interface Clock {
  readonly state: ClockState;
  now(): Date;
  /** Called once for each request. */
  tick(): void;
  /** Moves the time forward. Throws a RangeError when that leads further than the sandbox can be. */
  advance(milliseconds: number): void;
}

/** Statements write years with two digits, from 1980 on; there is a year behind the first day, and trades are ahead. */
const [first, last] = ["2000-01-01T00:00:00.000Z", "2069-12-31T23:59:59.999Z"];

/** Why the sandbox cannot be at a time. */
export const timeViolation = (time: Date): string | undefined =>
  time >= new Date(first) && time <= new Date(last) ? undefined : `now must be from ${first} to ${last}`;

/** A time as milliseconds since 1970. Throws a RangeError when the sandbox cannot be there. */
function assertPlayable(time: number): number {
  const violation = timeViolation(new Date(time));
  if (violation !== undefined) throw new RangeError(violation);
  return time;
}

/** Runs with the machine's clock from a time on, as a rule the machine's: ahead of it by what it was advanced. */
export function createRunningClock(start = new Date()): Clock {
  let ahead = assertPlayable(start.getTime()) - Date.now();
  const now = () => new Date(Date.now() + ahead);
  return {
    get state() {
      return { kind: "running", time: now() } as const;
    },
    now,
    tick: () => {},
    advance: (milliseconds) => {
      assertPlayable(Date.now() + ahead + milliseconds);
      ahead += milliseconds;
    },
  };
}

const tickMs = 100;

/**
 * Starts at a given time and moves with the requests, a tenth of a second for each: the same requests always meet the
 * same time. Throws a RangeError when it cannot be there.
 */
export function createSteppedClock(start: Date): Clock {
  let time = assertPlayable(start.getTime());
  return {
    get state() {
      return { kind: "stepped", time: new Date(time) } as const;
    },
    now: () => new Date(time),
    tick: () => (time += tickMs),
    advance: (milliseconds) => (time = assertPlayable(time + milliseconds)),
  };
}

/** A clock that goes on from where another stood. */
export const restoreClock = ({ kind, time }: ClockState): Clock =>
  kind === "running" ? createRunningClock(time) : createSteppedClock(time);
