/** The company's daily business: customers pay, suppliers and staff are paid. */
import { Big } from "big.js";
import { type Account, accountIn } from "../accounts";
import { isBusinessDay, nextBusinessDay } from "../calendar";
import { rounded } from "../currencies";
import { addDays, hourOf } from "../days";
import { receive } from "../incoming";
import type { House } from "../ledger";
import { available, move, type Movement } from "../movements";
import { demo } from "../parties";
import type { Random } from "../random";
import type { World } from "../world";

/** The size of an ordinary payment in each currency. */
const typical: Readonly<Record<string, number>> = { EUR: 4_000, GBP: 2_500, USD: 3_500, JPY: 450_000 };

const receiptsADay = 0.5;
const paymentsADay = 0.45;
/** How many of the payments come back. */
const returned = 0.03;
const salaries = new Big("18500");
const accountFee = new Big("25");

/** Puts a company's year on the agenda. */
export function scheduleBusiness(world: World, start: string, today: string): void {
  const random = world.random.fork("business");
  const accounts = Object.keys(typical).map((currency) => accountIn(world, demo, currency));
  for (let day = addDays(start, 1); day <= today; day = addDays(day, 1))
    for (const account of accounts)
      if (isBusinessDay(day, [account.currency])) {
        if (random.chance(receiptsADay)) scheduleReceipt(world, random, account, day);
        if (random.chance(paymentsADay)) schedulePayment(world, random, account, day);
        scheduleMonthly(world, account, day);
      }
}

const someAmount = (random: Random, currency: string): Big =>
  rounded(new Big(typical[currency]! * (0.3 + 1.5 * random.next())), currency);

const someMinute = (random: Random, day: string, hour: number) =>
  new Date(hourOf(day, hour).getTime() + random.integer(0, 119) * 60_000);

function somebody(world: World, random: Random, currency: string) {
  return random.pick(world.beneficiaries.filter((partner) => partner.currency === currency));
}

function scheduleReceipt(world: World, random: Random, account: Account, day: string): void {
  const amount = someAmount(random, account.currency);
  const reference = `INV-${random.digits(5)}`;
  const counterparty = somebody(world, random, account.currency);
  world.agenda.schedule(someMinute(random, day, 8), () => {
    const information = `Payment of ${reference}`;
    receive(world, account, amount, { reference, information, counterparty });
  });
}

function schedulePayment(world: World, random: Random, account: Account, day: string): void {
  const amount = someAmount(random, account.currency);
  const reference = `PO-${random.digits(5)}`;
  const counterparty = somebody(world, random, account.currency);
  const comesBack = random.chance(returned);
  world.agenda.schedule(someMinute(random, day, 12), () => {
    const information = `Payment to ${counterparty.name}`;
    const paid = pay(world, account, amount, "nostro", {
      type: "debit",
      reference,
      endToEnd: true,
      information,
      counterparty,
    });
    if (!paid || !comesBack) return;
    const back = hourOf(nextBusinessDay(addDays(day, 1), [account.currency]), 9);
    world.agenda.schedule(back, () => {
      const text = `Returned payment to ${counterparty.name}`;
      move(world, account, amount, "nostro", {
        type: "payment_returned",
        reference,
        endToEnd: true,
        information: text,
        counterparty,
      });
    });
  });
}

function scheduleMonthly(world: World, account: Account, day: string): void {
  const month = day.slice(0, 7);
  const { currency } = account;
  const isDue = (dayOfMonth: string) => nextBusinessDay(`${month}-${dayOfMonth}`, [currency]) === day;
  if (isDue("01")) {
    const fee: Movement = { type: "debit", reference: `FEE-${month}`, information: "Account fee" };
    world.agenda.schedule(hourOf(day, 6), () => void pay(world, account, accountFee, "fees", fee));
  }
  if (currency === "EUR" && isDue("25")) {
    const wages: Movement = { type: "debit", reference: `SAL-${month}`, information: "Salaries" };
    world.agenda.schedule(hourOf(day, 7), () => void pay(world, account, salaries, "nostro", wages));
  }
}

/** Pays when there is enough; returns whether there was. */
function pay(world: World, account: Account, amount: Big, house: House, movement: Movement): boolean {
  if (available(world, account).lt(amount)) return false;
  move(world, account, amount.neg(), house, movement);
  return true;
}
