/** Open-banking payments and standing orders. */
import { Big } from "big.js";
import type { Account, AccountReference } from "./account";
import type { Subset, TransactionStatus, ExecutionRule } from "../common/enumerations";
import type { Money } from "../money/currencies";
import type { Client } from "../parties/parties";
import type { Decision } from "./decision";
import type { Pain001 } from "./pain001";
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

/** Statuses that the sandbox uses. */
export type PaymentStatus = Subset<
  TransactionStatus,
  "RCVD" | "PATC" | "ACTC" | "ACSP" | "ACSC" | "PART" | "RJCT" | "CANC"
>;

/** Rejection reason: ISO 20022 code (ExternalStatusReason1Code) and text. */
export interface StatusReason {
  readonly code: "AC01" | "AM04" | "BE04" | "DS02";
  readonly text: string;
}

/** One credit of a payment. */
export interface Transfer {
  readonly amount: Money;
  readonly creditorName: string;
  readonly creditorAccount: AccountReference;
  readonly creditorAgent: string | undefined;
  /** True if an address is given without town or country. */
  readonly hasIncompleteAddress: boolean;
  readonly endToEndIdentification: string | undefined;
  readonly remittanceInformationUnstructured: string | undefined;
}

export interface PaymentTerms {
  readonly client: Client;
  readonly service: string;
  readonly product: string;
  readonly account: Account;
  readonly transfers: readonly Transfer[];
  /** Schedule of a standing order. */
  readonly order: StandingOrder | undefined;
  /** Earliest execution time. */
  readonly requestedAt: Date | undefined;
  /** True to book all transfers as one entry. */
  readonly asBatch: boolean;
  readonly rejectWithoutFunds: boolean;
  /** Document that initiated the payment. */
  readonly document: Pain001 | undefined;
  /** Request body as received, or the JSON part of a multipart request. */
  readonly content: Readonly<Record<string, unknown>>;
}

export interface Payment extends PaymentTerms {
  readonly paymentId: string;
  readonly initiation: Decision;
  readonly cancellation: Decision;
  status: PaymentStatus;
  /** Time from which the debit is expected. */
  authorisedAt: Date | undefined;
  /** Number of missing authorisations. */
  unsigned: number;
  /** Transfers that could not be paid, with reasons. */
  unpaid: ReadonlyMap<Transfer, StatusReason>;
  /** Reason for rejecting the whole payment. */
  rejection: StatusReason | undefined;
  /** True while a requested cancellation waits for authorisation. */
  cancelling: boolean;
}

export const totalOf = ({ transfers }: Pick<Payment, "transfers">): Big =>
  transfers.reduce((sum, { amount }) => sum.plus(amount.amount), new Big(0));

/** True if not all required people have authorised it. */
export const isUnauthorised = ({ status }: Payment): boolean => status === "RCVD" || status === "PATC";
