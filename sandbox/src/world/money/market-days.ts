/** Trading days of the currency market, and the spot and fixing dates that follow from them. */
import {
  addDays,
  businessDaysAfter,
  businessDaysBefore,
  daysBetween,
  nextBusinessDay,
  nextSettlementDay,
  weekdayOf,
} from "@fxdesk/toolkit/calendars";

const hourMs = 3_600_000;
const newYork = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York" });
const auckland = new Intl.DateTimeFormat("en-CA", { timeZone: "Pacific/Auckland" });

/** Returns the market's day, which begins at 17:00 New York time on the day before. */
const marketDay = (time: Date): string => newYork.format(time.getTime() + 7 * hourMs);

/** Returns the trading day of the New Zealand dollar, which begins earlier: at 07:00 in Auckland. */
const newZealandDay = (time: Date): string => auckland.format(time.getTime() - 7 * hourMs);

const isMarketDay = (day: string) => weekdayOf(day) % 6 !== 0;

/** True from Sunday to Friday, 17:00 New York time. */
export const isMarketOpen = (time: Date): boolean => isMarketDay(marketDay(time));

/** Returns the full hour at which a closed market opens again. */
export function nextMarketOpening(time: Date): Date {
  const hour = new Date(Math.floor(time.getTime() / hourMs + 1) * hourMs);
  return isMarketOpen(hour) ? hour : nextMarketOpening(hour);
}

/** Returns the trading day of a deal. Weekend deals count as Monday's. */
export function tradingDay(time: Date, pair: readonly string[]): string {
  return marketDayFrom(pair.includes("NZD") ? newZealandDay(time) : marketDay(time));
}

const marketDayFrom = (day: string): string => (isMarketDay(day) ? day : marketDayFrom(addDays(day, 1)));

/** Returns the last earlier day on which the market was open. */
export function previousMarketDay(day: string): string {
  const before = addDays(day, -1);
  return isMarketDay(before) ? before : previousMarketDay(before);
}

/** Currencies that settle one business day after a deal against USD; others take two. */
const nextDayCurrencies: ReadonlySet<string> = new Set(["CAD", "TRY"]);

/** Business days from a deal against USD to its settlement. */
const spotLag = (currency: string) => (nextDayCurrencies.has(currency) ? 1 : 2);

/** Returns the currencies dealt against USD: a pair without USD is dealt as two such deals. */
const againstUsd = (pair: readonly string[]) => pair.filter((currency) => currency !== "USD");

/**
 * Returns the spot value date of a trading day; without USD, the later one of both currencies. A holiday of USD alone
 * does not stop the count, but no trade settles on it.
 */
export function spotDate(from: string, buyCurrency: string, sellCurrency: string): string {
  const pair = [buyCurrency, sellCurrency];
  const spots = againstUsd(pair).map((currency) =>
    nextBusinessDay(businessDaysAfter(from, spotLag(currency), [currency]), [currency, "USD"]),
  );
  return nextSettlementDay(spots.toSorted().at(-1)!, pair);
}

/** Returns the spot value date of a deal made at a time. */
export const spotDateAt = (time: Date, buyCurrency: string, sellCurrency: string): string =>
  spotDate(tradingDay(time, [buyCurrency, sellCurrency]), buyCurrency, sellCurrency);

/** Returns the number of days from spot to a value date, for a deal made at a time; at least 0. */
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
 * Returns the fixing date of a non-delivered trade: as long before the value date as spot is after the deal, but not
 * before the deal, which may be on a holiday.
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
