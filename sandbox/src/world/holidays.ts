/**
 * When banks do not settle a currency, by rule. EUR, USD and GBP follow TARGET, the Federal Reserve and the banks of
 * England; the others are simplified: demo data. Currencies without rules settle on every weekday.
 */
import { addDays, startOf, weekdayOf } from "./days";

/** All the holidays of a year, as days; some of them may be at weekends. */
type Holidays = (year: number) => readonly string[];

const date = (year: number, month: number, dayOfMonth: number) =>
  `${year}-${String(month).padStart(2, "0")}-${String(dayOfMonth).padStart(2, "0")}`;

const dates = (year: number, ...days: readonly (readonly [month: number, dayOfMonth: number])[]) =>
  days.map(([month, dayOfMonth]) => date(year, month, dayOfMonth));

/** Easter Sunday by the Gregorian computus (Meeus, Jones, Butcher). */
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

/** Feasts, by their distance from Easter Sunday in days. */
const feasts = {
  maundyThursday: -3,
  goodFriday: -2,
  easterMonday: 1,
  ascension: 39,
  fridayAfterAscension: 40,
  whitMonday: 50,
  corpusChristi: 60,
} as const;

const easterDays = (year: number, ...names: readonly (keyof typeof feasts)[]) =>
  names.map((name) => addDays(easter(year), feasts[name]));

const sunday = 0;
const monday = 1;
const thursday = 4;
const friday = 5;

/** The first such weekday on or after a day. */
const weekdayFrom = (day: string, weekday: number) => addDays(day, (weekday - weekdayOf(day) + 7) % 7);

/** The nth such weekday of a month, from 1. */
const nth = (year: number, month: number, weekday: number, n: number) =>
  addDays(weekdayFrom(date(year, month, 1), weekday), 7 * (n - 1));

function last(year: number, month: number, weekday: number): string {
  const fifth = nth(year, month, weekday, 5);
  return startOf(fifth).getUTCMonth() === month - 1 ? fifth : nth(year, month, weekday, 4);
}

/** A Sunday is moved to Monday; a Saturday stays. */
const sundayToMonday = (day: string) => (weekdayOf(day) === sunday ? addDays(day, 1) : day);

/** Each of the days, or where it is at a weekend or taken by one before, the next day that is not. */
function substituted(days: readonly string[]): string[] {
  const taken: string[] = [];
  const free = (day: string): string =>
    weekdayOf(day) % 6 === 0 || taken.includes(day) ? free(addDays(day, 1)) : day;
  for (const day of days) taken.push(free(day));
  return taken;
}

const target: Holidays = (year) => [
  ...dates(year, [1, 1], [5, 1], [12, 25], [12, 26]),
  ...easterDays(year, "goodFriday", "easterMonday"),
];

const federalReserve: Holidays = (year) => [
  ...dates(year, [1, 1], [6, 19], [7, 4], [11, 11], [12, 25]).map(sundayToMonday),
  nth(year, 1, monday, 3),
  nth(year, 2, monday, 3),
  last(year, 5, monday),
  nth(year, 9, monday, 1),
  nth(year, 10, monday, 2),
  nth(year, 11, thursday, 4),
];

const england: Holidays = (year) => [
  ...substituted(dates(year, [1, 1], [12, 25], [12, 26])),
  ...easterDays(year, "goodFriday", "easterMonday"),
  nth(year, 5, monday, 1),
  last(year, 5, monday),
  last(year, 8, monday),
];

/** The day of an equinox in Japan, from that of 1980. Good until 2099. */
const equinox = (year: number, month: number, in1980: number) =>
  date(year, month, Math.floor(in1980 + 0.242194 * (year - 1980) - Math.floor((year - 1980) / 4)));

/** A Sunday is made up for on the next day that is none, and a day between two holidays is one. */
function japan(year: number): readonly string[] {
  const own = [
    ...dates(year, [1, 1], [2, 11], [2, 23], [4, 29], [5, 3], [5, 4], [5, 5], [8, 11], [11, 3], [11, 23]),
    equinox(year, 3, 20.8431),
    equinox(year, 9, 23.2488),
    nth(year, 1, monday, 2),
    nth(year, 7, monday, 3),
    nth(year, 9, monday, 3),
    nth(year, 10, monday, 2),
  ];
  const madeUp = (day: string): string => (own.includes(day) ? madeUp(addDays(day, 1)) : day);
  return [
    ...own,
    ...own.filter((day) => weekdayOf(day) === sunday).map(madeUp),
    ...own.filter((day) => own.includes(addDays(day, 2))).map((day) => addDays(day, 1)),
    ...dates(year, [1, 2], [1, 3], [12, 31]),
  ];
}

const switzerland: Holidays = (year) => [
  ...dates(year, [1, 1], [1, 2], [5, 1], [8, 1], [12, 25], [12, 26]),
  ...easterDays(year, "goodFriday", "easterMonday", "ascension", "whitMonday"),
];

const canada: Holidays = (year) => [
  ...substituted(dates(year, [1, 1], [7, 1], [9, 30], [11, 11], [12, 25], [12, 26])),
  ...easterDays(year, "goodFriday"),
  nth(year, 2, monday, 3),
  weekdayFrom(date(year, 5, 18), monday),
  nth(year, 8, monday, 1),
  nth(year, 9, monday, 1),
  nth(year, 10, monday, 2),
];

const australia: Holidays = (year) => [
  ...substituted(dates(year, [1, 1], [1, 26], [12, 25], [12, 26])),
  ...dates(year, [4, 25]),
  ...easterDays(year, "goodFriday", "easterMonday"),
  nth(year, 6, monday, 2),
  nth(year, 10, monday, 1),
];

const newZealand: Holidays = (year) => [
  ...substituted(dates(year, [1, 1], [1, 2], [2, 6], [4, 25], [12, 25], [12, 26])),
  ...easterDays(year, "goodFriday", "easterMonday"),
  nth(year, 6, monday, 1),
  nth(year, 10, monday, 4),
];

const poland: Holidays = (year) => [
  ...dates(year, [1, 1], [1, 6], [5, 1], [5, 3], [8, 15], [11, 1], [11, 11], [12, 24], [12, 25], [12, 26]),
  ...easterDays(year, "easterMonday", "corpusChristi"),
];

const sweden: Holidays = (year) => [
  ...dates(year, [1, 1], [1, 6], [5, 1], [6, 6], [12, 24], [12, 25], [12, 26], [12, 31]),
  ...easterDays(year, "goodFriday", "easterMonday", "ascension"),
  weekdayFrom(date(year, 6, 19), friday),
];

const norway: Holidays = (year) => [
  ...dates(year, [1, 1], [5, 1], [5, 17], [12, 25], [12, 26]),
  ...easterDays(year, "maundyThursday", "goodFriday", "easterMonday", "ascension", "whitMonday"),
];

const denmark: Holidays = (year) => [
  ...dates(year, [1, 1], [6, 5], [12, 24], [12, 25], [12, 26], [12, 31]),
  ...easterDays(year, "maundyThursday", "goodFriday", "easterMonday", "ascension", "fridayAfterAscension"),
  ...easterDays(year, "whitMonday"),
];

/** By currency. */
export const holidays: Readonly<Record<string, Holidays>> = {
  EUR: target,
  USD: federalReserve,
  GBP: england,
  JPY: japan,
  CHF: switzerland,
  CAD: canada,
  AUD: australia,
  NZD: newZealand,
  PLN: poland,
  SEK: sweden,
  NOK: norway,
  DKK: denmark,
};
