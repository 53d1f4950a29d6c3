/** Calendar days as YYYY-MM-DD in UTC. */
import { memoize } from "../memoize";

export const dayMs = 86_400_000;

/** Days since 1970-01-01. */
const dayNumberOf = memoize((day: string) => Date.parse(`${day}T00:00:00.000Z`) / dayMs);
const dayText = memoize((number: number) => new Date(number * dayMs).toISOString().slice(0, 10));

export const dayOf = (time: Date): string => dayText(Math.floor(time.getTime() / dayMs));

/** Midnight at the beginning of a day. */
export const startOf = (day: string): Date => new Date(dayNumberOf(day) * dayMs);

export const addDays = (day: string, days: number): string => dayText(dayNumberOf(day) + days);

/** How many days the one is after the other. */
export const daysBetween = (earlier: string, later: string): number =>
  dayNumberOf(later) - dayNumberOf(earlier);

/** The later of two days. */
export const laterDay = (one: string, other: string): string => (one > other ? one : other);

/** From 0, Sunday, to 6. */
export const weekdayOf = (day: string): number => startOf(day).getUTCDay();

/** A whole hour of a day. */
export const timeAtHour = (day: string, hour: number): Date =>
  new Date(startOf(day).getTime() + hour * 3_600_000);
