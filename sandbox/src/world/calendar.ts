/** Business days: the settlement calendars of the currencies, by rule. */
import { addDays, startOf, weekdayOf } from "./days";

type Holidays = (year: number) => readonly string[];

const date = (year: number, month: number, dayOfMonth: number) =>
  `${year}-${String(month).padStart(2, "0")}-${String(dayOfMonth).padStart(2, "0")}`;

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

const goodFriday = (year: number) => addDays(easter(year), -2);
const easterMonday = (year: number) => addDays(easter(year), 1);
const monday = 1;
const thursday = 4;

/** The nth such weekday of a month, from 1. */
function nth(year: number, month: number, weekday: number, n: number): string {
  const first = date(year, month, 1);
  return addDays(first, ((weekday - weekdayOf(first) + 7) % 7) + 7 * (n - 1));
}

function last(year: number, month: number, weekday: number): string {
  const fifth = nth(year, month, weekday, 5);
  return startOf(fifth).getUTCMonth() === month - 1 ? fifth : nth(year, month, weekday, 4);
}

/** A Sunday is moved to Monday; a Saturday stays. */
const sundayToMonday = (day: string) => (weekdayOf(day) === 0 ? addDays(day, 1) : day);

/** The next day that is neither at a weekend nor one of those taken. */
function substitute(day: string, taken: readonly string[] = []): string {
  return weekdayOf(day) % 6 === 0 || taken.includes(day) ? substitute(addDays(day, 1), taken) : day;
}

const target: Holidays = (year) => [
  date(year, 1, 1),
  goodFriday(year),
  easterMonday(year),
  date(year, 5, 1),
  date(year, 12, 25),
  date(year, 12, 26),
];

const federalReserve: Holidays = (year) => [
  sundayToMonday(date(year, 1, 1)),
  nth(year, 1, monday, 3),
  nth(year, 2, monday, 3),
  last(year, 5, monday),
  sundayToMonday(date(year, 6, 19)),
  sundayToMonday(date(year, 7, 4)),
  nth(year, 9, monday, 1),
  nth(year, 10, monday, 2),
  sundayToMonday(date(year, 11, 11)),
  nth(year, 11, thursday, 4),
  sundayToMonday(date(year, 12, 25)),
];

const england: Holidays = (year) => {
  const christmas = substitute(date(year, 12, 25));
  return [
    substitute(date(year, 1, 1)),
    goodFriday(year),
    easterMonday(year),
    nth(year, 5, monday, 1),
    last(year, 5, monday),
    last(year, 8, monday),
    christmas,
    substitute(date(year, 12, 26), [christmas]),
  ];
};

/** The fixed days only: demo data. */
const japan: Holidays = (year) =>
  [
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 11],
    [2, 23],
    [4, 29],
    [5, 3],
    [5, 4],
    [5, 5],
    [8, 11],
    [11, 3],
    [11, 23],
    [12, 31],
  ].map(([month, dayOfMonth]) => sundayToMonday(date(year, month!, dayOfMonth!)));

const holidays: Readonly<Record<string, Holidays>> = {
  EUR: target,
  USD: federalReserve,
  GBP: england,
  JPY: japan,
};

const known = new Map<string, ReadonlySet<string>>();

function holidaysOf(currency: string, year: number): ReadonlySet<string> {
  const key = `${currency}${year}`;
  const found = known.get(key) ?? new Set(holidays[currency]?.(year));
  known.set(key, found);
  return found;
}

/** Whether banks settle all of the currencies on a day. */
export function isBusinessDay(day: string, currencies: readonly string[]): boolean {
  if (weekdayOf(day) % 6 === 0) return false;
  const year = Number(day.slice(0, 4));
  return currencies.every((currency) => !holidaysOf(currency, year).has(day));
}

/** The day itself, or the next on which all of the currencies settle. */
export function nextBusinessDay(day: string, currencies: readonly string[]): string {
  return isBusinessDay(day, currencies) ? day : nextBusinessDay(addDays(day, 1), currencies);
}

/** The last day before on which all of the currencies settle. */
export function previousBusinessDay(day: string, currencies: readonly string[]): string {
  const before = addDays(day, -1);
  return isBusinessDay(before, currencies) ? before : previousBusinessDay(before, currencies);
}

const newYork = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" });
const hourMs = 3_600_000;
const hoursBeforeMidnight = 7;

/** The market's day at a time: it begins at 17:00 in New York on the day before. */
const marketDay = (time: Date): string => newYork.format(time.getTime() + hoursBeforeMidnight * hourMs);

/** Whether the market is open: from Sunday to Friday, 17:00 in New York. */
export const isMarketOpen = (time: Date): boolean => weekdayOf(marketDay(time)) % 6 !== 0;

/** When a market that is closed opens again: on the hour. */
export function opensAgain(closed: Date): Date {
  const hour = new Date(Math.floor(closed.getTime() / hourMs + 1) * hourMs);
  return isMarketOpen(hour) ? hour : opensAgain(hour);
}

/** The day for which a deal made at a time counts: it begins at 17:00 in New York, and no week has a weekend. */
export const tradingDay = (time: Date): string => nextBusinessDay(marketDay(time), []);

const usdCad = new Set(["USD", "CAD"]);

/**
 * The spot value date of a trade: two business days on, one for USD against CAD. A holiday of USD alone does not stop the
 * count, but no trade settles on it.
 */
export function spotDate(from: string, buyCurrency: string, sellCurrency: string): string {
  const pair = [buyCurrency, sellCurrency];
  const lag = pair.every((currency) => usdCad.has(currency)) ? 1 : 2;
  const counted = pair.filter((currency) => currency !== "USD");
  let day = from;
  for (let passed = 0; passed < lag; passed += 1) day = nextBusinessDay(addDays(day, 1), counted);
  return nextBusinessDay(day, [...pair, "USD"]);
}
