/** Execution days of standing orders. */
import type { ExecutionRule } from "../common/enumerations";
import { addDays, dayOf, isSystemOpen, type PaymentSystem } from "@fxdesk/toolkit/calendars";

export interface StandingOrder {
  readonly startDate: string;
  readonly endDate?: string | undefined;
  readonly frequency: Frequency;
  readonly executionRule?: ExecutionRule | undefined;
  /** From 1 to 31; a shorter month uses its last day. */
  readonly dayOfExecution?: string | undefined;
  readonly monthsOfExecution?: readonly string[] | undefined;
}

type Frequency = keyof typeof steps;

/** Interval between execution days. */
const steps = {
  Daily: { days: 1 },
  Weekly: { days: 7 },
  EveryTwoWeeks: { days: 14 },
  Monthly: { months: 1 },
  EveryTwoMonths: { months: 2 },
  Quarterly: { months: 3 },
  SemiAnnual: { months: 6 },
  Annual: { months: 12 },
  MonthlyVariable: { months: 1 },
} as const satisfies Record<string, { readonly days: number } | { readonly months: number }>;

/** Returns a day of the month some months later, or the last day of that month. */
function dayInMonth(day: string, months: number, dayOfMonth: number): string {
  const [year, month] = day.split("-").map(Number) as [number, number];
  const lastDay = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dayOf(new Date(Date.UTC(year, month - 1 + months, Math.min(dayOfMonth, lastDay))));
}

function nominalDay(order: StandingOrder, n: number): string {
  const { startDate, dayOfExecution = startDate.slice(8) } = order;
  const step = steps[order.frequency];
  return "days" in step
    ? addDays(startDate, n * step.days)
    : dayInMonth(startDate, n * step.months, Number(dayOfExecution));
}

/**
 * Moves a day on which the system is closed to the next open day, or to the preceding one if the order requires it.
 */
const executionDay = (order: StandingOrder, day: string, system: PaymentSystem): string =>
  isSystemOpen(system, day)
    ? day
    : executionDay(order, addDays(day, order.executionRule === "preceding" ? -1 : 1), system);

/** An execution day and its number in the order's frequency, from 0. */
interface NumberedDay {
  readonly day: string;
  readonly number: number;
}

/**
 * Returns the first execution day with at least the number `first`, between the order's start and end; undefined if
 * there is none.
 */
export function nextExecutionDay(
  order: StandingOrder,
  system: PaymentSystem,
  first: number,
): NumberedDay | undefined {
  const { startDate, endDate = "9999-12-31", frequency, monthsOfExecution = [] } = order;
  const months = new Set(monthsOfExecution.map(Number));
  for (let number = first; ; number += 1) {
    const nominal = nominalDay(order, number);
    const day = executionDay(order, nominal, system);
    if (day > endDate) return undefined;
    const isAllowedMonth = frequency !== "MonthlyVariable" || months.has(Number(nominal.slice(5, 7)));
    if (day >= startDate && isAllowedMonth) return { day, number };
  }
}
