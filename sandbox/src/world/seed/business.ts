/** Daily business: customers pay, suppliers, staff and the bank are paid. It happens because the clock moves. */
import { Big } from "big.js";
import type { Account } from "../accounts/account";
import { isBusinessDay, nextBusinessDay } from "../calendar/business-days";
import { addDays, hourOf, startOf } from "../calendar/days";
import { available, move } from "../ledger/movements";
import { rounded } from "../money/currencies";
import type { Random } from "../random";
import type { Beneficiary } from "../trades/trades";
import type { World } from "../world";
import type { Interest, Monthly, Outgoing, Recurring, SupplierPayment, Trickle } from "./recurring";

/** How many of the payments come back. */
const returned = 0.03;
const daysOfInterest = 30;

/**
 * Puts business on the agenda: of the days behind, and, in a living world, of each day as it comes. The same seed gives the
 * same business, however the clock is moved.
 */
export function scheduleBusiness(
  world: World,
  business: readonly Recurring[],
  start: string,
  today: string,
): void {
  const random = world.random.fork("business");
  for (let day = addDays(start, 1); day <= today; day = addDays(day, 1))
    for (const recurring of business) planDay(world, random, recurring, day, noTwist);
  if (world.settings.living) scheduleDay(world, business, addDays(today, 1));
}

const scheduleDay = (world: World, business: readonly Recurring[], day: string): void =>
  world.agenda.schedule(startOf(day), "day-begins", business, day);

/** A day begins: what happens on it is planned, and the next one is to come. */
export function beginDay(world: World, business: readonly Recurring[], day: string): void {
  const random = world.random.fork(`business of ${day}`);
  for (const recurring of business) planDay(world, random, recurring, day, twistOf(random));
  scheduleDay(world, business, addDays(day, 1));
}

/** How customers pay who do not pay what they should. */
type Twist = "short" | "late" | "twice" | "without-reference" | undefined;

const noTwist: Twist = undefined;
const twists: readonly Twist[] = ["short", "late", "twice", "without-reference"];
const oddPayments = 0.12;

const twistOf = (random: Random): Twist => (random.chance(oddPayments) ? random.pick(twists) : noTwist);

function planDay(world: World, random: Random, recurring: Recurring, day: string, twist: Twist): void {
  const { account } = recurring;
  if (!isBusinessDay(day, [account.currency])) return;
  switch (recurring.kind) {
    case "receipts":
      if (random.chance(recurring.aDay)) scheduleReceipt(world, random, recurring, day, twist);
      return;
    case "payments":
      if (random.chance(recurring.aDay)) schedulePayment(world, random, recurring, day);
      return;
    case "monthly":
      if (isDue(account, day, recurring.day)) scheduleMonthly(world, recurring, day);
      return;
    case "interest":
      if (isDue(account, day, 1)) world.agenda.schedule(hourOf(day, 5), "interest-is-paid", recurring, day);
  }
}

const someAmount = (random: Random, { typical, account }: Trickle): Big =>
  rounded(new Big((typical * (0.3 + 1.5 * random.next())).toFixed(6)), account.currency);

const someMinute = (random: Random, day: string, hour: number) =>
  new Date(hourOf(day, hour).getTime() + random.integer(0, 119) * 60_000);

function somebody(world: World, random: Random, { clientId, currency }: Account): Beneficiary {
  return random.pick(
    world.beneficiaries.filter((partner) => partner.clientId === clientId && partner.currency === currency),
  );
}

const shortShare = 0.9;
/** By how many days somebody pays late, at most. */
const mostDaysLate = 21;

/** The day on which somebody pays who should on a day. */
function dayOfPayment(random: Random, { currency }: Account, due: string, twist: Twist): string {
  if (twist !== "late") return due;
  return nextBusinessDay(addDays(due, random.integer(3, mostDaysLate)), [currency]);
}

function scheduleReceipt(world: World, random: Random, trickle: Trickle, day: string, twist: Twist): void {
  const { account } = trickle;
  const invoiced = someAmount(random, trickle);
  const amount = twist === "short" ? rounded(invoiced.times(shortShare), account.currency) : invoiced;
  const invoice = `INV-${random.digits(5)}`;
  const counterparty = somebody(world, random, account);
  const reference = twist === "without-reference" ? "" : invoice;
  const due = twist === "late" ? `, due ${day}` : "";
  const information = reference ? `Payment of ${invoice}${due}` : `Payment from ${counterparty.name}`;
  const paidOn = dayOfPayment(random, account, day, twist);
  for (let times = twist === "twice" ? 2 : 1; times > 0; times -= 1)
    world.agenda.schedule(someMinute(random, paidOn, 8), "money-comes-in", account, amount, {
      reference,
      information,
      counterparty,
    });
}

function schedulePayment(world: World, random: Random, trickle: Trickle, day: string): void {
  const { account } = trickle;
  const amount = someAmount(random, trickle);
  const reference = `PO-${random.digits(5)}`;
  const counterparty = somebody(world, random, account);
  const backAt = random.chance(returned)
    ? hourOf(nextBusinessDay(addDays(day, 1), [account.currency]), 9)
    : undefined;
  world.agenda.schedule(someMinute(random, day, 12), "supplier-is-paid", {
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
  if (pay(world, payment) && payment.backAt)
    world.agenda.schedule(payment.backAt, "money-comes-back", payment);
}

export function giveBack(world: World, { account, amount, house, ...payment }: SupplierPayment): void {
  const { reference, endToEnd, counterparty } = payment;
  const information = `Returned payment to ${counterparty.name}`;
  move(world, account, amount, house, {
    type: "payment_returned",
    reference,
    endToEnd,
    counterparty,
    information,
  });
}

const twoDigits = (number: number) => String(number).padStart(2, "0");

/** Whether a day is that of its month, or the next business day after it. */
const isDue = ({ currency }: Account, day: string, dayOfMonth: number): boolean =>
  nextBusinessDay(`${day.slice(0, 7)}-${twoDigits(dayOfMonth)}`, [currency]) === day;

function scheduleMonthly(
  world: World,
  { account, amount, code, name, to, house }: Monthly,
  day: string,
): void {
  const hour = house === "fees" ? 6 : 7;
  world.agenda.schedule(hourOf(day, hour), "money-goes-out", {
    account,
    amount,
    house,
    reference: `${code}-${day.slice(0, 7)}`,
    information: name,
    ...(to && { counterparty: to }),
  });
}

export function payInterest(world: World, { account, rate }: Interest, day: string): void {
  const share = new Big(rate).times(daysOfInterest).div(360);
  const amount = rounded(available(world, account).times(share), account.currency);
  const reference = `INT-${day.slice(0, 7)}`;
  if (amount.gt(0))
    move(world, account, amount, "interest", { type: "credit", reference, information: "Interest" });
}

/** Pays when there is enough; returns whether there was. */
export function pay(world: World, { account, amount, house, ...payment }: Outgoing): boolean {
  const { reference, endToEnd, information, counterparty } = payment;
  if (available(world, account).lt(amount)) return false;
  move(world, account, amount.neg(), house, {
    type: "debit",
    reference,
    endToEnd,
    information,
    counterparty,
  });
  return true;
}

const accountFee = new Big(25);
/** A year's interest, as a share. */
const creditInterest: Readonly<Record<string, string>> = { EUR: "0.01", GBP: "0.02", USD: "0.02" };

/** What the bank takes and gives every month. */
export const bankBusiness = (account: Account): Recurring[] => [
  {
    kind: "monthly",
    account,
    day: 1,
    name: "Account fee",
    amount: accountFee,
    code: "FEE",
    to: undefined,
    house: "fees",
  },
  ...(account.currency in creditInterest
    ? [{ kind: "interest", account, rate: creditInterest[account.currency]! } as const]
    : []),
];

/** The size of an ordinary payment of the demo company in each currency. */
const typical: Readonly<Record<string, number>> = { EUR: 4_000, GBP: 2_500, USD: 3_500, JPY: 450_000 };

/** What the demo company does. */
export const demoBusiness = (accountIn: (currency: string) => Account): Recurring[] =>
  Object.entries(typical).flatMap(([currency, size]): Recurring[] => {
    const account = accountIn(currency);
    const salaries: Recurring = {
      kind: "monthly",
      account,
      day: 25,
      name: "Salaries",
      amount: new Big(18_500),
      code: "SAL",
      to: undefined,
      house: "nostro",
    };
    return [
      { kind: "receipts", account, aDay: 0.5, typical: size },
      { kind: "payments", account, aDay: 0.45, typical: size },
      ...bankBusiness(account),
      ...(currency === "EUR" ? [salaries] : []),
    ];
  });
