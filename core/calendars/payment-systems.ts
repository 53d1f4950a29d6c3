/** Payment systems: their operating days and cut-off times. */
import { addDays, dayOf, instantOf, localTimeIn } from "./days";
import { businessDaysBefore, isBusinessDay } from "./business-days";

/** Cut-off: a time of day on the execution day, or some business days before. */
export interface CutOff {
  readonly businessDaysBefore: number;
  /** Time of day, hh:mm. */
  readonly at: string;
  /** IANA time zone. */
  readonly zone: string;
}

export interface PaymentSystem {
  /** Name of a system that is not the default one of its currency. */
  readonly name?: string;
  /** Currency whose banking days apply. */
  readonly currency: string;
  /** Undefined: the system operates at any time. */
  readonly cutOff?: CutOff;
}

const cutOffAt = (at: string, daysBefore = 0): CutOff => ({
  businessDaysBefore: daysBefore,
  at,
  zone: "UTC",
});

/** Cut-offs of the sandbox, simplified. Currencies not listed need instructions a day before, because their day ends early. */
const cutOffs: Readonly<Record<string, string>> = {
  EUR: "15:00",
  GBP: "15:00",
  USD: "18:00",
  CAD: "18:00",
  MXN: "17:00",
  CHF: "13:00",
  NOK: "12:00",
  SEK: "12:00",
  DKK: "12:00",
  PLN: "12:00",
  CZK: "11:00",
  HUF: "11:00",
  RON: "11:00",
  TRY: "11:00",
  ZAR: "12:00",
  ILS: "10:00",
};

const systemOfCurrency = (currency: string): PaymentSystem => ({
  currency,
  cutOff: cutOffs[currency] === undefined ? cutOffAt("14:00", 1) : cutOffAt(cutOffs[currency]),
});

const systemsOfProducts: Readonly<Record<string, PaymentSystem>> = {
  "sepa-credit-transfers": { name: "SEPA", currency: "EUR", cutOff: cutOffAt("14:00") },
  "instant-sepa-credit-transfers": { currency: "EUR" },
  "target-2-payments": { name: "TARGET2", currency: "EUR", cutOff: cutOffAt("16:00") },
};

/** Returns the payment system of a payment product, or else of the currency. */
export const paymentSystemOf = (currency: string, product = ""): PaymentSystem =>
  systemsOfProducts[product.replace(/^pain\.001-/, "")] ?? systemOfCurrency(currency);

export const isSystemOpen = ({ currency, cutOff }: PaymentSystem, day: string): boolean =>
  cutOff === undefined || isBusinessDay(day, [currency]);

/** Returns the first day, on or after `day`, on which the system operates. */
export const nextOpenDay = (system: PaymentSystem, day: string): string =>
  isSystemOpen(system, day) ? day : nextOpenDay(system, addDays(day, 1));

/** True if an instruction given at `time` can be executed on `day`. */
function isBeforeCutOff({ currency, cutOff }: PaymentSystem, time: Date, day: string): boolean {
  if (cutOff === undefined) return day >= dayOf(time);
  const lastDay = businessDaysBefore(day, cutOff.businessDaysBefore, [currency]);
  return time.getTime() < instantOf(lastDay, cutOff.at, localTimeIn(cutOff.zone));
}

/**
 * Returns the day on which the system processes a payment sent at a time: the next day after its closing hour.
 */
export function settlementStartDay(system: PaymentSystem, time: Date): string {
  const day = dayOf(time);
  const closesOnDay = system.cutOff?.businessDaysBefore === 0;
  return closesOnDay && !isBeforeCutOff(system, time, day) ? addDays(day, 1) : day;
}

/** Returns the first day, on or after `day`, that can be instructed at `time`. */
export function firstInstructableDay(system: PaymentSystem, time: Date, day: string): string {
  const open = nextOpenDay(system, day);
  return isBeforeCutOff(system, time, open) ? open : firstInstructableDay(system, time, addDays(open, 1));
}
