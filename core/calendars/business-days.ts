/** Business days by currency. */
import { addDays, dayMs, dayOf, daysBetween, weekdayOf } from "./days";
import { holidayRules, otherWeekends } from "./holidays";
import { daysByRules, saturday } from "./holiday-rules";

/** Holidays by currency and year, computed once. */
const knownHolidays = new Map<string, ReadonlySet<string>>();

function holidaysOf(currency: string, year: string): ReadonlySet<string> {
  const known = knownHolidays.get(currency + year);
  if (known) return known;
  const holidays = new Set(daysByRules(holidayRules[currency] ?? [], Number(year)));
  knownHolidays.set(currency + year, holidays);
  return holidays;
}

/** True if a day is a weekend day in the currency's country. */
function isWeekend(day: string, currency: string): boolean {
  const [, firstDay = saturday] = otherWeekends[currency]?.find(([until]) => day <= until) ?? [];
  return (weekdayOf(day) - firstDay + 7) % 7 < 2;
}

/** True if banks settle all the currencies on a day. */
export function isBusinessDay(day: string, currencies: readonly string[]): boolean {
  const year = day.slice(0, 4);
  return currencies.every((currency) => !isWeekend(day, currency) && !holidaysOf(currency, year).has(day));
}

/** Returns the day, or the next one on which all the currencies settle. */
export function nextBusinessDay(day: string, currencies: readonly string[]): string {
  return isBusinessDay(day, currencies) ? day : nextBusinessDay(addDays(day, 1), currencies);
}

/** Returns the day, or the next one on which trades of two currencies settle: also USD, through which they are dealt. */
export const nextSettlementDay = (day: string, pair: readonly string[]): string =>
  nextBusinessDay(day, [...pair, "USD"]);

/** Returns the last earlier day on which all the currencies settle. */
export function previousBusinessDay(day: string, currencies: readonly string[]): string {
  const before = addDays(day, -1);
  return isBusinessDay(before, currencies) ? before : previousBusinessDay(before, currencies);
}

export function businessDaysAfter(day: string, count: number, currencies: readonly string[]): string {
  return count === 0
    ? day
    : businessDaysAfter(nextBusinessDay(addDays(day, 1), currencies), count - 1, currencies);
}

export function businessDaysBefore(day: string, count: number, currencies: readonly string[]): string {
  return count === 0 ? day : businessDaysBefore(previousBusinessDay(day, currencies), count - 1, currencies);
}

/** Returns the same time of day on the next business day. */
export function nextBusinessTime(time: Date, currencies: readonly string[]): Date {
  const day = nextBusinessDay(addDays(dayOf(time), 1), currencies);
  return new Date(time.getTime() + daysBetween(dayOf(time), day) * dayMs);
}
