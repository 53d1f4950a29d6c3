/**
 * Holidays of lunar and lunisolar calendars as civil days. The calendars come from the runtime: Hebrew, Islamic (Umm
 * al-Qura; countries that rely on moon sighting may differ by a day) and Chinese.
 */
import { memoize } from "../common/memoize";
import { addDays, dayOf, startOf } from "./days";
import { newMoonNear } from "./new-moon";
import { date } from "./holiday-rules";

type Calendar = "chinese" | "hebrew" | "islamic-umalqura";

/** A month as the calendar names it: a Chinese leap month is 6bis, Hebrew months have names. */
type LunarDay = readonly [month: number | string, dayOfMonth: number];

const formatOf = memoize(
  (calendar: Calendar) =>
    new Intl.DateTimeFormat(`en-u-ca-${calendar}`, { month: "numeric", day: "numeric", timeZone: "UTC" }),
);

/**
 * Civil days of a year by month and day of another calendar. The key is the calendar followed by the year.
 */
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

/**
 * Returns the day of the new moon in China. The runtime's month can start a day off if the new moon is near midnight.
 */
const monthBegins = (day: string): string => dayOf(new Date(newMoonNear(startOf(day).getTime()) + chinaMs));

/** Returns days of the Chinese calendar. Day 0 is the day before the first. */
export const chinese = (year: number, ...days: readonly LunarDay[]): string[] =>
  days.flatMap(([month, day]) =>
    (civilDays(`chinese${year}`).get(`${month} 1`) ?? []).map((first) =>
      addDays(monthBegins(first), day - 1),
    ),
  );

/** Returns a range of days of an Islamic month, both ends inclusive. */
export const islamicDays = (year: number, month: number, first: number, last: number): string[] =>
  islamic(year, ...Array.from({ length: last - first + 1 }, (_, n): LunarDay => [month, first + n]));

/** Returns Deepavali: the day before the new moon while the sun is in Libra (sidereal). */
export const deepavali = (year: number): string[] =>
  newMoons(year)
    .filter((day) => day >= date(year, 10, 18) && day <= date(year, 11, 16))
    .map((day) => addDays(day, -1));

/** Returns the first days of the Chinese months. */
export const newMoons = (year: number): string[] =>
  [...civilDays(`chinese${year}`)]
    .filter(([name]) => name.endsWith(" 1"))
    .flatMap(([, days]) => days.map(monthBegins));
