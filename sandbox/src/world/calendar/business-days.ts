/** Business days, and the days and hours of the currency market. */
import { addDays, dayMs, dayOf, daysBetween, weekdayOf } from "./days";
import { memoize } from "../memoize";
import { holidays, otherWeekends } from "./holidays";

/** The holidays of a currency in a year, which stand behind one another in the key. */
const holidaysOf = memoize(
  (key: string): ReadonlySet<string> => new Set(holidays[key.slice(0, 3)]?.(Number(key.slice(3)))),
);

const saturday = 6;

/** Whether a day is at the weekend of the country of a currency. */
function isWeekend(day: string, currency: string): boolean {
  const [, firstDay = saturday] = otherWeekends[currency]?.find(([until]) => day <= until) ?? [];
  return (weekdayOf(day) - firstDay + 7) % 7 < 2;
}

/** Whether banks settle all of the currencies on a day. */
export function isBusinessDay(day: string, currencies: readonly string[]): boolean {
  const year = day.slice(0, 4);
  return currencies.every((currency) => !isWeekend(day, currency) && !holidaysOf(currency + year).has(day));
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

/** So many business days after a day. */
export function businessDaysAfter(day: string, count: number, currencies: readonly string[]): string {
  return count === 0
    ? day
    : businessDaysAfter(nextBusinessDay(addDays(day, 1), currencies), count - 1, currencies);
}

/** So many business days before a day. */
export function businessDaysBefore(day: string, count: number, currencies: readonly string[]): string {
  return count === 0 ? day : businessDaysBefore(previousBusinessDay(day, currencies), count - 1, currencies);
}

/** The same time of day on the next business day after a time. */
export function nextBusinessTime(time: Date, currencies: readonly string[]): Date {
  const day = nextBusinessDay(addDays(dayOf(time), 1), currencies);
  return new Date(time.getTime() + daysBetween(dayOf(time), day) * dayMs);
}

const hourMs = 3_600_000;
const newYork = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" });
const auckland = new Intl.DateTimeFormat("en-CA", { timeZone: "Pacific/Auckland" });

/** The market's day at a time: it begins at 17:00 in New York on the day before. */
const marketDay = (time: Date): string => newYork.format(time.getTime() + 7 * hourMs);

/** The day of the New Zealand dollar begins earlier: at 07:00 in Auckland. */
const newZealandDay = (time: Date): string => auckland.format(time.getTime() - 7 * hourMs);

const isMarketDay = (day: string) => weekdayOf(day) % 6 !== 0;

/** Whether the market is open: from Sunday to Friday, 17:00 in New York. */
export const isMarketOpen = (time: Date): boolean => isMarketDay(marketDay(time));

/** When a market that is closed opens again: on the hour. */
export function nextMarketOpening(time: Date): Date {
  const hour = new Date(Math.floor(time.getTime() / hourMs + 1) * hourMs);
  return isMarketOpen(hour) ? hour : nextMarketOpening(hour);
}

/** The day for which a deal in a pair of currencies counts; what is dealt at the weekend is one of Monday. */
export function tradingDay(time: Date, pair: readonly string[]): string {
  return marketDayFrom(pair.includes("NZD") ? newZealandDay(time) : marketDay(time));
}

const marketDayFrom = (day: string): string => (isMarketDay(day) ? day : marketDayFrom(addDays(day, 1)));

/** The last day before on which the market was open. */
export function previousMarketDay(day: string): string {
  const before = addDays(day, -1);
  return isMarketDay(before) ? before : previousMarketDay(before);
}

/** Currencies that settle a business day after dealing against USD; others take two. */
const nextDayCurrencies: ReadonlySet<string> = new Set(["CAD", "TRY"]);

/** Business days from dealing in a currency against USD to settling. */
const spotLag = (currency: string) => (nextDayCurrencies.has(currency) ? 1 : 2);

/** Of a pair, those that are dealt against USD: a pair without USD is dealt as two with it. */
const againstUsd = (pair: readonly string[]) => pair.filter((currency) => currency !== "USD");

/**
 * The spot value date of a deal of a trading day: for a pair without USD the later of those against USD. A holiday of USD
 * alone does not stop the count, but no trade settles on it.
 */
export function spotDate(from: string, buyCurrency: string, sellCurrency: string): string {
  const pair = [buyCurrency, sellCurrency];
  const spots = againstUsd(pair).map((currency) =>
    nextBusinessDay(businessDaysAfter(from, spotLag(currency), [currency]), [currency, "USD"]),
  );
  return nextBusinessDay(spots.toSorted().at(-1)!, [...pair, "USD"]);
}

/** The same for a trading day and a pair that stand behind one another in the key. */
const spotDateOf = memoize((key: string) => spotDate(key.slice(0, -6), key.slice(-6, -3), key.slice(-3)));

/** The spot value date of a deal made at a time. */
export const spotDateAt = (time: Date, buyCurrency: string, sellCurrency: string): string =>
  spotDateOf(tradingDay(time, [buyCurrency, sellCurrency]) + buyCurrency + sellCurrency);

/** How many days after spot a value date is, for a deal made at a time; none when it is not after it. */
export function daysFromSpot(
  time: Date,
  buyCurrency: string,
  sellCurrency: string,
  valueDate: string,
): number {
  const spot = spotDateAt(time, buyCurrency, sellCurrency);
  return Math.max(0, daysBetween(spot, valueDate));
}

/**
 * The day whose market decides what a trade without delivery pays on its value date: as long before as spot is after, and
 * not before the day of the deal, which may have been made on a holiday.
 */
export function fixingDate(
  dealt: string,
  valueDate: string,
  buyCurrency: string,
  sellCurrency: string,
): string {
  const fixings = againstUsd([buyCurrency, sellCurrency]).map((currency) =>
    businessDaysBefore(valueDate, spotLag(currency), [currency]),
  );
  const fixing = fixings.toSorted()[0]!;
  return fixing < dealt ? dealt : fixing;
}
