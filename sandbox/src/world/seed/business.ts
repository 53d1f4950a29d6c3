/** Daily business: payments of customers, suppliers, salaries and fees, driven by the clock. */
import { Big } from "big.js";
import type { Account } from "../model/account";
import {
  isBusinessDay,
  nextBusinessDay,
  addDays,
  timeAtHour,
  startOf,
  dayOf,
} from "@fxdesk/toolkit/calendars";
import { availableBalance, moveMoney } from "../accounts/accounts";
import { roundAmount } from "../money/currencies";
import type { Random } from "../common/random";
import type { Beneficiary } from "../model/trade";
import type {
  Interest,
  MonthlyPayment,
  Outgoing,
  Recurring,
  SupplierPayment,
  FrequentPayments,
} from "../model/scheduled-events";
import type { World } from "../model/world";

/** Maximum days of past business. */
export const maxDaysBehind = 365;

/** Sets a new world back by some days. Returns the first of them and today. Throws a RangeError. */
export function rewindWorld(
  world: World,
  daysBehind: number,
): { readonly start: string; readonly today: string } {
  if (!Number.isInteger(daysBehind) || daysBehind < 1 || daysBehind > maxDaysBehind)
    throw new RangeError(`daysBehind must be a whole number from 1 to ${maxDaysBehind}, not ${daysBehind}.`);
  const today = dayOf(world.clock.now());
  const start = addDays(today, -daysBehind);
  world.runEventsUntil(timeAtHour(start, 0));
  return { start, today };
}

/** Share of supplier payments that are returned. */
const returnShare = 0.03;
const interestDays = 30;

/**
 * Schedules business for the days up to today and, in a living world, for each day to come. The same seed gives the
 * same business however the clock is moved.
 */
export function scheduleBusiness(
  world: World,
  business: readonly Recurring[],
  start: string,
  today: string,
): void {
  const random = world.random.fork("business");
  for (let day = addDays(start, 1); day <= today; day = addDays(day, 1))
    for (const recurring of business) planDay(world, random, recurring, day);
  if (world.settings.living) scheduleNextDay(world, business, addDays(today, 1));
}

const scheduleNextDay = (world: World, business: readonly Recurring[], day: string): void =>
  world.scheduledEvents.schedule(startOf(day), "day-begins", business, day);

/** Plans the business of a new day and schedules the next day. */
export function beginDay(world: World, business: readonly Recurring[], day: string): void {
  const random = world.random.fork(`business of ${day}`);
  for (const recurring of business) planDay(world, random, recurring, day, pickAnomaly(random));
  scheduleNextDay(world, business, addDays(day, 1));
}

/** Deviation of a customer payment from its invoice. */
type PaymentAnomaly = "short" | "late" | "twice" | "without-reference" | undefined;

const anomalies: readonly PaymentAnomaly[] = ["short", "late", "twice", "without-reference"];
const anomalyShare = 0.12;

const pickAnomaly = (random: Random): PaymentAnomaly =>
  random.chance(anomalyShare) ? random.pick(anomalies) : undefined;

function planDay(
  world: World,
  random: Random,
  recurring: Recurring,
  day: string,
  anomaly?: PaymentAnomaly,
): void {
  const { account } = recurring;
  if (!isBusinessDay(day, [account.currency])) return;
  switch (recurring.kind) {
    case "receipts":
      if (random.chance(recurring.aDay)) scheduleReceipt(world, random, recurring, day, anomaly);
      return;
    case "payments":
      if (random.chance(recurring.aDay)) schedulePayment(world, random, recurring, day);
      return;
    case "monthly":
      if (isDue(account, day, recurring.day)) scheduleMonthly(world, recurring, day);
      return;
    case "interest":
      if (isDue(account, day, 1))
        world.scheduledEvents.schedule(timeAtHour(day, 5), "interest-is-paid", recurring, day);
  }
}

const randomAmount = (random: Random, { typical, account }: FrequentPayments): Big =>
  roundAmount(new Big((typical * (0.3 + 1.5 * random.next())).toFixed(6)), account.currency);

const randomMinute = (random: Random, day: string, hour: number) =>
  new Date(timeAtHour(day, hour).getTime() + random.integer(0, 119) * 60_000);

function randomPartner(world: World, random: Random, { clientId, currency }: Account): Beneficiary {
  return random.pick(
    world.beneficiaries.filter((partner) => partner.clientId === clientId && partner.currency === currency),
  );
}

const underpaidShare = 0.9;
const maxDaysLate = 21;

/** Returns the day of payment for an invoice due on `due`. */
function paymentDay(random: Random, { currency }: Account, due: string, anomaly: PaymentAnomaly): string {
  if (anomaly !== "late") return due;
  return nextBusinessDay(addDays(due, random.integer(3, maxDaysLate)), [currency]);
}

function scheduleReceipt(
  world: World,
  random: Random,
  pattern: FrequentPayments,
  day: string,
  anomaly: PaymentAnomaly,
): void {
  const { account } = pattern;
  const invoiced = randomAmount(random, pattern);
  const amount =
    anomaly === "short" ? roundAmount(invoiced.times(underpaidShare), account.currency) : invoiced;
  const invoice = `INV-${random.digits(5)}`;
  const counterparty = randomPartner(world, random, account);
  const reference = anomaly === "without-reference" ? "" : invoice;
  const due = anomaly === "late" ? `, due ${day}` : "";
  const information = reference ? `Payment of ${invoice}${due}` : `Payment from ${counterparty.name}`;
  const paidOn = paymentDay(random, account, day, anomaly);
  for (let times = anomaly === "twice" ? 2 : 1; times > 0; times -= 1)
    world.scheduledEvents.schedule(randomMinute(random, paidOn, 8), "money-comes-in", account, amount, {
      reference,
      information,
      counterparty,
    });
}

function schedulePayment(world: World, random: Random, pattern: FrequentPayments, day: string): void {
  const { account } = pattern;
  const amount = randomAmount(random, pattern);
  const reference = `PO-${random.digits(5)}`;
  const counterparty = randomPartner(world, random, account);
  const backAt = random.chance(returnShare)
    ? timeAtHour(nextBusinessDay(addDays(day, 1), [account.currency]), 9)
    : undefined;
  world.scheduledEvents.schedule(randomMinute(random, day, 12), "supplier-is-paid", {
    account,
    amount,
    house: "nostro",
    reference,
    endToEnd: true,
    information: `Payment to ${counterparty.name}`,
    counterparty,
    backAt,
  });
}

export function paySupplier(world: World, payment: SupplierPayment): void {
  if (payIfFunded(world, payment) && payment.backAt)
    world.scheduledEvents.schedule(payment.backAt, "money-comes-back", payment);
}

export function returnSupplierPayment(
  world: World,
  { account, amount, house, ...payment }: SupplierPayment,
): void {
  const information = `Returned payment to ${payment.counterparty.name}`;
  moveMoney(world, account, amount, house, { ...payment, type: "payment_returned", information });
}

/** True if `day` is that day of the month, or the next business day after it. */
const isDue = ({ currency }: Account, day: string, dayOfMonth: number): boolean =>
  nextBusinessDay(`${day.slice(0, 7)}-${String(dayOfMonth).padStart(2, "0")}`, [currency]) === day;

function scheduleMonthly(
  world: World,
  { account, amount, code, name, to, house }: MonthlyPayment,
  day: string,
): void {
  const hour = house === "fees" ? 6 : 7;
  world.scheduledEvents.schedule(timeAtHour(day, hour), "money-goes-out", {
    account,
    amount,
    house,
    reference: `${code}-${day.slice(0, 7)}`,
    information: name,
    ...(to && { counterparty: to }),
  });
}

export function payInterest(world: World, { account, rate }: Interest, day: string): void {
  const share = new Big(rate).times(interestDays).div(360);
  const amount = roundAmount(availableBalance(world, account).times(share), account.currency);
  const reference = `INT-${day.slice(0, 7)}`;
  if (amount.gt(0))
    moveMoney(world, account, amount, "interest", { type: "credit", reference, information: "Interest" });
}

/** Pays if the balance suffices. Returns true if paid. */
export function payIfFunded(world: World, { account, amount, house, ...payment }: Outgoing): boolean {
  if (availableBalance(world, account).lt(amount)) return false;
  moveMoney(world, account, amount.neg(), house, { type: "debit", ...payment });
  return true;
}

const accountFee = new Big(25);
/** Annual interest rate, as a fraction. */
const creditInterest: Readonly<Record<string, string>> = { EUR: "0.01", GBP: "0.02", USD: "0.02" };

/** Returns the bank's monthly fee and interest for an account. */
export function bankBusiness(account: Account): Recurring[] {
  const fee = { name: "Account fee", amount: accountFee, code: "FEE", to: undefined } as const;
  const rate = creditInterest[account.currency];
  return [
    { kind: "monthly", account, day: 1, house: "fees", ...fee },
    ...(rate === undefined ? [] : [{ kind: "interest", account, rate } as const]),
  ];
}
