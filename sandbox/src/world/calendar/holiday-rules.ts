/** Rules for computing holidays. */
import { addDays, startOf, weekdayOf } from "./days";

/** Returns all holidays of a year; some may fall on weekends. */
export type Holidays = (year: number) => readonly string[];

type DayOfYear = readonly [month: number, dayOfMonth: number];

export const date = (year: number, month: number, dayOfMonth: number): string =>
  `${year}-${String(month).padStart(2, "0")}-${String(dayOfMonth).padStart(2, "0")}`;

export const dates = (year: number, ...days: readonly DayOfYear[]): string[] =>
  days.map(([month, dayOfMonth]) => date(year, month, dayOfMonth));

/** Holidays introduced in a year. */
export const since = (first: number, year: number, days: readonly string[]): readonly string[] =>
  year < first ? [] : days;

/** Returns Easter Sunday by the Gregorian computus (Meeus, Jones, Butcher). */
export function easter(year: number): string {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return date(year, Math.floor(sum / 31), (sum % 31) + 1);
}

/** Lag of the Julian calendar from 1900 to 2099. */
const julianDays = 13;

/** Returns Orthodox Easter Sunday by the Julian computus. Valid from 1900 to 2099. */
export function orthodoxEaster(year: number): string {
  const d = (19 * (year % 19) + 15) % 30;
  const e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7;
  const sum = d + e + 114;
  return addDays(date(year, Math.floor(sum / 31), (sum % 31) + 1), julianDays);
}

/** Christian feasts, in days relative to Easter Sunday. */
const feasts = {
  maundyThursday: -3,
  goodFriday: -2,
  easterMonday: 1,
  ascension: 39,
  fridayAfterAscension: 40,
  whitMonday: 50,
  corpusChristi: 60,
} as const;

/** Returns feasts relative to a given Easter Sunday. */
export const feastDays = (sunday: string, ...names: readonly (keyof typeof feasts)[]): string[] =>
  names.map((name) => addDays(sunday, feasts[name]));

export const easterDays = (year: number, ...names: readonly (keyof typeof feasts)[]): string[] =>
  feastDays(easter(year), ...names);

export const sunday = 0;
export const monday = 1;
export const thursday = 4;
export const friday = 5;

/** Returns the first such weekday on or after a day. */
export const weekdayFrom = (day: string, weekday: number): string =>
  addDays(day, (weekday - weekdayOf(day) + 7) % 7);

/** Returns the nth such weekday of a month, from 1. */
export const nth = (year: number, month: number, weekday: number, n: number): string =>
  addDays(weekdayFrom(date(year, month, 1), weekday), 7 * (n - 1));

export function last(year: number, month: number, weekday: number): string {
  const fifth = nth(year, month, weekday, 5);
  return startOf(fifth).getUTCMonth() === month - 1 ? fifth : nth(year, month, weekday, 4);
}

/** Moves a Sunday to Monday; a Saturday stays. */
export const sundayToMonday = (day: string): string => (weekdayOf(day) === sunday ? addDays(day, 1) : day);

const isWeekend = (day: string) => weekdayOf(day) % 6 === 0;
const isSunday = (day: string) => weekdayOf(day) === sunday;

/** Moves each unavailable or already taken day to the next free one. */
function moveToFreeDay(days: readonly string[], isUnavailable: (day: string) => boolean): string[] {
  const taken: string[] = [];
  const free = (day: string): string =>
    isUnavailable(day) || taken.includes(day) ? free(addDays(day, 1)) : day;
  for (const day of days) taken.push(free(day));
  return taken;
}

/** Moves each day that falls on a weekend, or is already taken, to the next free weekday. */
export const moveFromWeekend = (days: readonly string[]): string[] => moveToFreeDay(days, isWeekend);

/**
 * Moves each Sunday, and each day that coincides with an earlier holiday, to the next free day. Days are processed in
 * calendar order.
 */
export const moveFromSunday = (days: readonly string[]): string[] => moveToFreeDay(days.toSorted(), isSunday);
