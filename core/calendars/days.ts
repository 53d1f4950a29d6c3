/** Calendar days as YYYY-MM-DD in UTC, and times of day in time zones. */

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

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone }).format(0);
    return true;
  } catch {
    return false;
  }
}

/** Returns the date and time of day in a zone, as milliseconds since 1970 in UTC. */
type LocalTime = (time: number) => number;

export function localTimeIn(zone: string): LocalTime {
  if (zone === "UTC") return (time) => time;
  const format = new Intl.DateTimeFormat("sv", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
  return (time) => Date.parse(`${format.format(time).replace(" ", "T")}Z`);
}

/** Returns the instant of a time of day. A time that is skipped when clocks change is moved by the skipped time. */
export function instantOf(day: string, at: string, localTime: LocalTime): number {
  const local = Date.parse(`${day}T${at}:00Z`);
  const offsetAt = (time: number) => localTime(time) - time;
  const near = local - offsetAt(local);
  return local - offsetAt(near) === near ? near : local - Math.min(offsetAt(near), offsetAt(local));
}
