/** Calendar days as YYYY-MM-DD in UTC. */
import { memoize } from "../common/memoize";

export const dayMs = 86_400_000;

/** Days since 1970-01-01. */
const dayNumberOf = memoize((day: string) => Date.parse(`${day}T00:00:00.000Z`) / dayMs);
const dayText = memoize((number: number) => new Date(number * dayMs).toISOString().slice(0, 10));

export const dayOf = (time: Date): string => dayText(Math.floor(time.getTime() / dayMs));

/** Returns midnight (UTC) at the start of a day. */
export const startOf = (day: string): Date => new Date(dayNumberOf(day) * dayMs);

export const addDays = (day: string, days: number): string => dayText(dayNumberOf(day) + days);

/** Returns the number of days from one day to a later one. */
export const daysBetween = (earlier: string, later: string): number =>
  dayNumberOf(later) - dayNumberOf(earlier);

export const laterDay = (one: string, other: string): string => (one > other ? one : other);

/** Returns the weekday from 0 (Sunday) to 6. */
export const weekdayOf = (day: string): number => startOf(day).getUTCDay();

/** Returns a full hour (UTC) of a day. */
export const timeAtHour = (day: string, hour: number): Date =>
  new Date(startOf(day).getTime() + hour * 3_600_000);
