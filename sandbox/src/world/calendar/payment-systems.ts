/** Payment systems: on which days they carry money, and until when they take instructions for a day. Demo data. */
import { businessDaysBefore, isBusinessDay } from "./business-days";
import { addDays, dayOf, timeAtHour } from "./days";

/** Until when an instruction for a day must be there: an hour (UTC) of that day, or of a business day before. */
type CutOff = readonly [businessDaysBefore: number, hour: number];

export interface PaymentSystem {
  /** Of the banks that must be open. */
  readonly currency: string;
  /** A system without one takes instructions, and carries money, at any time. */
  readonly cutOff?: CutOff;
}

/** Where it is late in the day already when banks open here, instructions are needed a day before. */
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

/** What carries a currency between banks. */
export const paymentSystemOf = (currency: string): PaymentSystem => ({
  currency,
  cutOff: cutOffs[currency] ?? previousDayCutOff,
});

export const sepa: PaymentSystem = { currency: "EUR", cutOff: [0, 14] };
export const instant: PaymentSystem = { currency: "EUR" };
export const target2: PaymentSystem = { currency: "EUR", cutOff: [0, 16] };

/** Whether a system carries money on a day. */
export const isSystemOpen = ({ currency, cutOff }: PaymentSystem, day: string): boolean =>
  cutOff === undefined || isBusinessDay(day, [currency]);

/** Whether an instruction that is given at a time can be carried out on a day. */
function isBeforeCutOff({ currency, cutOff }: PaymentSystem, time: Date, day: string): boolean {
  if (cutOff === undefined) return day >= dayOf(time);
  const [before, hour] = cutOff;
  return time < timeAtHour(businessDaysBefore(day, before, [currency]), hour);
}

/** The day on which a system carries on a payment that is to leave at a time: the next one after it has closed for a day. */
export function settlementStartDay({ cutOff }: PaymentSystem, time: Date): string {
  const day = dayOf(time);
  const [before, hour] = cutOff ?? [1, 0];
  return before === 0 && time >= timeAtHour(day, hour) ? addDays(day, 1) : day;
}

/** The first day on or after a day for which an instruction can be given at a time. */
export const firstInstructableDay = (system: PaymentSystem, time: Date, day: string): string =>
  isSystemOpen(system, day) && isBeforeCutOff(system, time, day)
    ? day
    : firstInstructableDay(system, time, addDays(day, 1));
