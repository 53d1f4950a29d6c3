/** Calendar days as YYYY-MM-DD in UTC. */
import { remembered } from "../remembered";

export const dayMs = 86_400_000;

/** Days since 1970-01-01. */
const numberOf = remembered((day: string) => Date.parse(`${day}T00:00:00.000Z`) / dayMs);
const nameOf = remembered((number: number) => new Date(number * dayMs).toISOString().slice(0, 10));

export const dayOf = (time: Date): string => nameOf(Math.floor(time.getTime() / dayMs));

/** Midnight at the beginning of a day. */
export const startOf = (day: string): Date => new Date(numberOf(day) * dayMs);

export const addDays = (day: string, days: number): string => nameOf(numberOf(day) + days);

/** How many days the one is after the other. */
export const daysBetween = (earlier: string, later: string): number => numberOf(later) - numberOf(earlier);

/** The later of two days. */
export const laterDay = (one: string, other: string): string => (one > other ? one : other);

/** From 0, Sunday, to 6. */
export const weekdayOf = (day: string): number => startOf(day).getUTCDay();

/** A whole hour of a day. */
export const hourOf = (day: string, hour: number): Date =>
  new Date(startOf(day).getTime() + hour * 3_600_000);
