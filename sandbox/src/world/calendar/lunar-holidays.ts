/**
 * Holidays of lunar and lunisolar calendars as civil days. The calendars come from the runtime: Hebrew, Islamic (Umm
 * al-Qura; countries that rely on moon sighting may differ by a day) and Chinese.
 */
import { memoize } from "../common/memoize";
import { addDays, dayMs, dayOf, startOf } from "./days";
import { date } from "./holiday-rules";

/** Julian day of 1970-01-01. */
const epoch = 2_440_587.5;
/** Julian day of the first new moon of 2000, and the mean length of a lunation. */
const [firstMoon, lunation] = [2_451_550.09766, 29.530588861];

const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 180);

/** Difference between dynamical and universal time in days: about 70 seconds. */
const deltaT = 70 / 86_400;

/**
 * Returns the new moon nearest to a time, in milliseconds since 1970. Accurate to about a minute from 1950 to 2100
 * (Meeus, Astronomical Algorithms, chapter 49).
 */
function newMoonNear(time: number): number {
  const k = Math.round((time / dayMs + epoch - firstMoon) / lunation);
  const centuries = k / 1236.85;
  const e = 1 - 0.002516 * centuries;
  const sun = 2.5534 + 29.1053567 * k;
  const moon = 201.5643 + 385.81693528 * k + 0.0107582 * centuries ** 2;
  const node = 160.7108 + 390.67050284 * k;
  const terms: readonly (readonly [days: number, degrees: number])[] = [
    [-0.4072, moon],
    [0.17241 * e, sun],
    [0.01608, 2 * moon],
    [0.01039, 2 * node],
    [0.00739 * e, moon - sun],
    [-0.00514 * e, moon + sun],
    [0.00208 * e * e, 2 * sun],
    [-0.00111, moon - 2 * node],
    [-0.00057, moon + 2 * node],
    [0.00056 * e, 2 * moon + sun],
    [-0.00042, 3 * moon],
    [0.00042 * e, sun + 2 * node],
    [0.00038 * e, sun - 2 * node],
    [-0.00024 * e, 2 * moon - sun],
    [-0.00017, 124.7746 - 1.56375588 * k],
    [0.000325, 299.77 + 0.107408 * k],
    [0.000165, 251.88 + 0.016321 * k],
    [0.000164, 251.83 + 26.651886 * k],
    [0.000126, 349.42 + 36.412478 * k],
    [0.00011, 84.66 + 18.206239 * k],
  ];
  const day = terms.reduce(
    (sum, [days, degrees]) => sum + days * sine(degrees),
    firstMoon + lunation * k + 0.00015437 * centuries ** 2,
  );
  return (day - deltaT - epoch) * dayMs;
}

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
