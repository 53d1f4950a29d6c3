/** Rules that compute the holidays of a year. Some results fall on weekends. */
import { addDays, weekdayOf } from "./days";

/** Returns the days of a year. */
export type Rule = (year: number) => readonly string[];

/** Returns the days of a year to which rules apply. */
export const daysByRules = (rules: readonly Rule[], year: number): string[] =>
  rules.flatMap((rule) => rule(year));

/** Fixed dates, as MM-DD. */
export const on =
  (...dates: readonly string[]): Rule =>
  (year) =>
    dates.map((date) => `${year}-${date}`);

/** Holidays introduced in a year. */
export const since =
  (first: number, rule: Rule): Rule =>
  (year) =>
    year < first ? [] : rule(year);

/** Returns a day of March by its number, which may exceed 31. */
const dayOfMarch = (year: number, day: number) => addDays(`${year}-03-01`, day - 1);

/** Returns Easter Sunday by the Gregorian computus (Meeus, Jones, Butcher). */
function easterSunday(year: number): string {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  return dayOfMarch(year, 22 + h + l - 7 * m);
}

/** Returns Orthodox Easter Sunday by the Julian computus, 13 days behind. Valid from 1900 to 2099. */
function orthodoxSunday(year: number): string {
  const d = (19 * (year % 19) + 15) % 30;
  const e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7;
  return dayOfMarch(year, 22 + d + e + 13);
}

/** Days from Easter Sunday. */
export const [maundyThursday, goodFriday, easterMonday, ascension, whitMonday, corpusChristi] = [
  -3, -2, 1, 39, 50, 60,
] as const;

const relativeTo =
  (sundayOf: (year: number) => string) =>
  (...days: readonly number[]): Rule =>
  (year) =>
    days.map((each) => addDays(sundayOf(year), each));

export const easter = relativeTo(easterSunday);
export const orthodoxEaster = relativeTo(orthodoxSunday);

export const [sunday, monday, thursday, friday, saturday] = [0, 1, 4, 5, 6] as const;

/** Returns the first such weekday on or after a day. */
export const weekdayFrom = (day: string, weekday: number): string =>
  addDays(day, (weekday - weekdayOf(day) + 7) % 7);

/** The first such weekday on or after a date, given as MM-DD. */
export const firstFrom =
  (date: string, weekday: number): Rule =>
  (year) => [weekdayFrom(`${year}-${date}`, weekday)];

/** The Mondays from the given dates: MM-01 for the first of a month, MM-15 for the third. */
export const mondaysFrom =
  (...dates: readonly string[]): Rule =>
  (year) =>
    dates.map((date) => weekdayFrom(`${year}-${date}`, monday));

/** Moves a Sunday to Monday; a Saturday stays. */
export const moveSundayToMonday =
  (rule: Rule): Rule =>
  (year) =>
    rule(year).map((day) => (weekdayOf(day) === sunday ? addDays(day, 1) : day));

/** Moves each unavailable or already taken day to the next free one. */
function moveToFreeDay(days: readonly string[], unavailable: readonly number[]): string[] {
  const taken: string[] = [];
  const free = (day: string): string =>
    unavailable.includes(weekdayOf(day)) || taken.includes(day) ? free(addDays(day, 1)) : day;
  for (const day of days) taken.push(free(day));
  return taken;
}

/** Moves each day that falls on a weekend, or is already taken, to the next free weekday. */
export const moveFromWeekend =
  (...rules: readonly Rule[]): Rule =>
  (year) =>
    moveToFreeDay(daysByRules(rules, year), [saturday, sunday]);

/**
 * Moves each Sunday, and each day that coincides with an earlier holiday, to the next free day. Days are processed in
 * calendar order.
 */
export const moveFromSunday =
  (...rules: readonly Rule[]): Rule =>
  (year) =>
    moveToFreeDay(daysByRules(rules, year).toSorted(), [sunday]);

type Calendar = "chinese" | "hebrew" | "islamic-umalqura";

/**
 * Returns the days of a year by month and day of another calendar, such as "Tishri 10". The calendars come from the
 * runtime: Hebrew, Islamic (Umm al-Qura; countries that rely on moon sighting may differ by a day) and Chinese.
 */
function daysByName(calendar: Calendar, year: number): ReadonlyMap<string, readonly string[]> {
  const options = { month: "numeric", day: "numeric", timeZone: "UTC" } as const;
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, options);
  const days = new Map<string, string[]>();
  for (let day = `${year}-01-01`; day <= `${year}-12-31`; day = addDays(day, 1)) {
    const parts = format.formatToParts(Date.parse(day));
    const valueOf = (part: string) => parts.find(({ type }) => type === part)?.value;
    const name = `${valueOf("month")} ${valueOf("day")}`;
    days.set(name, [...(days.get(name) ?? []), day]);
  }
  return days;
}

const namedDays =
  (calendar: Calendar) =>
  (...names: readonly string[]): Rule =>
  (year) => {
    const days = daysByName(calendar, year);
    return names.flatMap((name) => days.get(name) ?? []);
  };

export const hebrew = namedDays("hebrew");
export const islamic = namedDays("islamic-umalqura");

/**
 * First days of Chinese months up to 2069 that the runtime takes for the day before or after, because the new moon is
 * near midnight.
 */
const correctedMonths: Readonly<Record<string, string>> = {
  "2012-08-18": "2012-08-17",
  "2018-11-07": "2018-11-08",
  "2027-02-07": "2027-02-06",
  "2030-02-02": "2030-02-03",
};

/** Returns the first days of the Chinese months by month. A leap month has a name of its own, such as 6bis. */
const chineseMonths = (year: number) =>
  [...daysByName("chinese", year)]
    .filter(([name]) => name.endsWith(" 1"))
    .flatMap(([name, days]) =>
      days.map((day) => ({ month: name.slice(0, -2), first: correctedMonths[day] ?? day })),
    );

/** Days of the Chinese calendar. Day 0 is the day before the first. */
export const chinese =
  (...days: readonly (readonly [month: number, dayOfMonth: number])[]): Rule =>
  (year) => {
    const months = chineseMonths(year);
    return days.flatMap(([month, day]) =>
      months.filter((each) => each.month === String(month)).map(({ first }) => addDays(first, day - 1)),
    );
  };

/** Days some days from a new moon, between two dates (MM-DD). */
export const fromNewMoon =
  (days: number, first: string, last: string): Rule =>
  (year) =>
    chineseMonths(year)
      .map((month) => addDays(month.first, days))
      .filter((day) => day >= `${year}-${first}` && day <= `${year}-${last}`);
