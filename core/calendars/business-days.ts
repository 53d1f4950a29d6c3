/** Business days by currency, and the operating days and cut-off times of payment systems. Cut-offs are simplified. */
import { addDays, dayMs, dayOf, daysBetween, timeAtHour, weekdayOf } from "./days";
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

/** Cut-off: an hour (UTC) on the execution day, or some business days before. */
type CutOff = readonly [businessDaysBefore: number, hour: number];

export interface PaymentSystem {
  /** Currency whose banking days apply. */
  readonly currency: string;
  /** Undefined: the system operates at any time. */
  readonly cutOff?: CutOff;
}

/** Currencies not listed need instructions a day before, because their day ends early. */
const cutOffs: Readonly<Record<string, CutOff>> = {
  EUR: [0, 15],
  GBP: [0, 15],
  USD: [0, 18],
  CAD: [0, 18],
  MXN: [0, 17],
  CHF: [0, 13],
  NOK: [0, 12],
  SEK: [0, 12],
  DKK: [0, 12],
  PLN: [0, 12],
  CZK: [0, 11],
  HUF: [0, 11],
  RON: [0, 11],
  TRY: [0, 11],
  ZAR: [0, 12],
  ILS: [0, 10],
};

const previousDayCutOff: CutOff = [1, 14];

/** Returns the default payment system of a currency. */
export const paymentSystemOf = (currency: string): PaymentSystem => ({
  currency,
  cutOff: cutOffs[currency] ?? previousDayCutOff,
});

export const sepa: PaymentSystem = { currency: "EUR", cutOff: [0, 14] };
export const instant: PaymentSystem = { currency: "EUR" };
export const target2: PaymentSystem = { currency: "EUR", cutOff: [0, 16] };

export const isSystemOpen = ({ currency, cutOff }: PaymentSystem, day: string): boolean =>
  cutOff === undefined || isBusinessDay(day, [currency]);

/** True if an instruction given at `time` can be executed on `day`. */
function isBeforeCutOff({ currency, cutOff }: PaymentSystem, time: Date, day: string): boolean {
  if (cutOff === undefined) return day >= dayOf(time);
  const [before, hour] = cutOff;
  return time < timeAtHour(businessDaysBefore(day, before, [currency]), hour);
}

/**
 * Returns the day on which the system processes a payment sent at a time: the next day after its closing hour.
 */
export function settlementStartDay({ cutOff }: PaymentSystem, time: Date): string {
  const day = dayOf(time);
  const [before, hour] = cutOff ?? [1, 0];
  return before === 0 && time >= timeAtHour(day, hour) ? addDays(day, 1) : day;
}

/** Returns the first day, on or after `day`, that can be instructed at `time`. */
export const firstInstructableDay = (system: PaymentSystem, time: Date, day: string): string =>
  isSystemOpen(system, day) && isBeforeCutOff(system, time, day)
    ? day
    : firstInstructableDay(system, time, addDays(day, 1));
