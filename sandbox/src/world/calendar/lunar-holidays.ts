/**
 * Holidays of calendars that follow the moon, or the moon and the sun, as days of the civil calendar. The calendars are
 * those of the runtime: Hebrew, Islamic as Umm al-Qura computes it (where the moon must be seen first, the day may be
 * another), and Chinese, whose months begin with the new moon.
 */
import { memoize } from "../memoize";
import { addDays, dayOf, startOf } from "./days";
import { newMoonNear } from "./new-moon";
import { date } from "./holiday-rules";

type Calendar = "chinese" | "hebrew" | "islamic-umalqura";

/** A month as the calendar counts or names it: a Chinese leap month is 6bis, Hebrew months have names. */
type LunarDay = readonly [month: number | string, dayOfMonth: number];

const formatOf = memoize(
  (calendar: Calendar) =>
    new Intl.DateTimeFormat(`en-u-ca-${calendar}`, { month: "numeric", day: "numeric", timeZone: "UTC" }),
);

/** The civil days of a year by month and day of another calendar. The key is that calendar with the year behind it. */
const civilDays = memoize((key: string): ReadonlyMap<string, readonly string[]> => {
  const format = formatOf(key.slice(0, -4) as Calendar);
  const year = Number(key.slice(-4));
  const days = new Map<string, string[]>();
  for (let day = date(year, 1, 1); day < date(year + 1, 1, 1); day = addDays(day, 1)) {
    const parts = format.formatToParts(Date.parse(day));
    const valueOf = (part: string) => parts.find(({ type }) => type === part)?.value;
    const name = `${valueOf("month")} ${valueOf("day")}`;
    days.set(name, [...(days.get(name) ?? []), day]);
  }
  return days;
});

const daysOf =
  (calendar: Calendar) =>
  (year: number, ...days: readonly LunarDay[]): string[] =>
    days.flatMap(([month, day]) => civilDays(calendar + year).get(`${month} ${day}`) ?? []);

export const hebrew = daysOf("hebrew");
export const islamic = daysOf("islamic-umalqura");

const chinaMs = 8 * 3_600_000;

/** The day of the new moon in China, next to which the runtime lets a month begin: where it is near midnight, a day off. */
const monthBegins = (day: string): string => dayOf(new Date(newMoonNear(startOf(day).getTime()) + chinaMs));

/** Days of the Chinese calendar; day 0 of a month is the one before its first. */
export const chinese = (year: number, ...days: readonly LunarDay[]): string[] =>
  days.flatMap(([month, day]) =>
    (civilDays(`chinese${year}`).get(`${month} 1`) ?? []).map((first) =>
      addDays(monthBegins(first), day - 1),
    ),
  );

/** Days of an Islamic month, the first and the last included. */
export const islamicDays = (year: number, month: number, first: number, last: number): string[] =>
  islamic(year, ...Array.from({ length: last - first + 1 }, (_, n): LunarDay => [month, first + n]));

/** Deepavali: the day before the new moon for which the sun stands in Libra, as Hindus count it. */
export const deepavali = (year: number): string[] =>
  newMoons(year)
    .filter((day) => day >= date(year, 10, 18) && day <= date(year, 11, 16))
    .map((day) => addDays(day, -1));

/** The first days of Chinese months. */
export const newMoons = (year: number): string[] =>
  [...civilDays(`chinese${year}`)]
    .filter(([name]) => name.endsWith(" 1"))
    .flatMap(([, days]) => days.map(monthBegins));
