/** Calendar days as YYYY-MM-DD in UTC. */

export const dayMs = 86_400_000;

export const dayOf = (time: number | Date): string => new Date(time).toISOString().slice(0, 10);

/** Returns midnight (UTC) at the start of a day. */
export const startOf = (day: string): Date => new Date(`${day}T00:00:00.000Z`);

export const addDays = (day: string, days: number): string => dayOf(startOf(day).getTime() + days * dayMs);

/** Returns the number of days from one day to a later one. */
export const daysBetween = (earlier: string, later: string): number =>
  (startOf(later).getTime() - startOf(earlier).getTime()) / dayMs;

export const laterDay = (one: string, other: string): string => (one > other ? one : other);

/** Returns the weekday from 0 (Sunday) to 6. */
export const weekdayOf = (day: string): number => startOf(day).getUTCDay();

/** Returns a full hour (UTC) of a day. */
export const timeAtHour = (day: string, hour: number): Date =>
  new Date(startOf(day).getTime() + hour * 3_600_000);
