/**
 * Margin on forwards: a deposit when they are booked, and calls for more when the market moves against the client.
 *
 * What is held stands in the balance InitialMargin, what was called and not paid yet in MarginCall. Both in the currency
 * sold.
 */
import { Big } from "big.js";
import {
  businessDaysAfter,
  daysFromSpot,
  isBusinessDay,
  previousBusinessDay,
} from "../calendar/business-days";
import { larger, roundAmount, smaller } from "../money/currencies";
import { addDays, dayOf, timeAtHour } from "../calendar/days";
import { pairOf, type Rate } from "../money/fx";
import { availableBalance, recordExpectation, moveToBalance } from "../ledger/movements";
import { tradeMovement, sellAccount, settlementHour } from "./trade-entries";
import {
  type MarginCall,
  openDrawdowns,
  unpaidCallsTotal,
  settledDrawdownAmounts,
  type Trade,
  type TradeTerms,
  unsettledAmount,
} from "./trades";
import type { World } from "../world";

/** Of the amount sold. */
const depositShare = new Big("0.05");
/** Each time the market has moved so far against the client, a share of what is not settled is called. */
const threshold = new Big("0.025");
const callShare = new Big("0.025");
const businessDaysToPay = 2;

const zero = new Big(0);

export const hasMargin = ({ type }: TradeTerms): boolean => type === "forward" || type === "window_forward";

const marginDueDate = (day: string, currency: string) =>
  businessDaysAfter(day, businessDaysToPay, [currency]);

/** The deposit a trade asks for when it is booked; it is due before the trade matures. */
export function initialMargin(terms: TradeTerms, orderDate: string): MarginCall | undefined {
  if (!hasMargin(terms)) return undefined;
  const { amount, currency } = terms.sell;
  const latest = previousBusinessDay(terms.maturityDate, [currency]);
  const [dueDate] = [marginDueDate(orderDate, currency), latest].toSorted() as [string, string];
  return { amount: roundAmount(amount.times(depositShare), currency), dueDate };
}

/**
 * How many whole times a sale at the booked rate has lost the threshold at the market's rate; less than zero when nothing
 * is lost. Compared before it is divided, so that a loss of exactly the threshold is one, and few are divided at all.
 */
export function lossLevels(sellCurrency: string, booked: Rate, market: Big): number {
  const sellsBase = booked.symbol.startsWith(sellCurrency);
  const [now, reference] = sellsBase ? [market, booked.rate] : [booked.rate, market];
  const [lost, step] = [now.minus(reference), reference.times(threshold)];
  if (lost.lte(0)) return -1;
  return lost.lt(step) ? 0 : Math.floor(lost.div(step).toNumber());
}

/** Against the rate at which a trade with the same maturity would be made now. */
function lossLevelsOf({ rates, now }: World, { buy, sell, rate, maturityDate }: Trade): number {
  const { base, quoted } = pairOf(buy.currency, sell.currency);
  const days = daysFromSpot(now, buy.currency, sell.currency, maturityDate);
  return lossLevels(sell.currency, rate, rates.midRate(base, quoted, dayOf(now), days).rate);
}

const isFinished = ({ ended, settled }: Trade) => ended !== undefined || settled;

/** Looks after a trade's margin on each day of its life; money moves on business days. */
export function checkMargin(world: World, trade: Trade): void {
  if (isFinished(trade)) return;
  const isOpen = isBusinessDay(dayOf(world.now), [trade.sell.currency]);
  if (isOpen) revalueMargin(world, trade);
  if (isOpen) collectMargin(world, trade);
  const today = timeAtHour(dayOf(world.now), settlementHour);
  const next = world.now < today ? today : timeAtHour(addDays(dayOf(world.now), 1), settlementHour);
  world.agenda.schedule(next, "margin-is-watched", trade);
}

/**
 * Calls for more when the market has moved against the client; gives all of it back when nothing is lost any more, or
 * nothing is left to lose on.
 */
export function revalueMargin(world: World, trade: Trade): void {
  if (isFinished(trade) || !hasMargin(trade)) return;
  const amount = unsettledAmount(trade, "sell");
  const levels = lossLevelsOf(world, trade);
  if (levels < 0 || amount.eq(0)) return returnCalls(world, trade);
  const { currency } = trade.sell;
  const requiredMargin = roundAmount(amount.times(callShare).times(levels), currency);
  const called = trade.paidCalls.plus(unpaidCallsTotal(trade));
  if (requiredMargin.lte(called)) return;
  const call = { amount: requiredMargin.minus(called), dueDate: marginDueDate(dayOf(world.now), currency) };
  recordMarginCall(world, trade, call.amount);
  trade.calls.push(call);
}

/** Revalues every forward: after the market was moved. */
export function revalueAllMargins(world: World): void {
  for (const trade of world.trades.values()) revalueMargin(world, trade);
}

function recordMarginCall(world: World, trade: Trade, amount: Big): void {
  if (amount.eq(0)) return;
  const { tradeId: reference } = trade;
  recordExpectation(world, sellAccount(world, trade), "MarginCall", amount, {
    reference,
    valueAt: world.now,
  });
}

/** Takes what is due from what is available, when there is enough. */
function collectMargin(world: World, trade: Trade): void {
  const today = dayOf(world.now);
  if (trade.initialMargin && trade.initialMargin.dueDate <= today) payDeposit(world, trade);
  payCalls(world, trade, today);
}

/** The part of the deposit that stands for an amount drawn from the trade. */
const depositFor = (drawn: Big, { sell }: Trade) => roundAmount(drawn.times(depositShare), sell.currency);

/** The deposit but for what was drawn and settled before it was paid. */
function outstandingDeposit(trade: Trade): Big {
  const returned = settledDrawdownAmounts(trade, "sell").map((drawn) => depositFor(drawn, trade));
  return returned.reduce((due, part) => due.minus(part), trade.initialMargin!.amount);
}

function payDeposit(world: World, trade: Trade): void {
  const account = sellAccount(world, trade);
  const amount = outstandingDeposit(trade);
  if (trade.deposited || amount.lte(0) || availableBalance(world, account).lt(amount)) return;
  moveToBalance(
    world,
    account,
    amount.neg(),
    "InitialMargin",
    tradeMovement(trade, "margin", "Initial margin for trade"),
  );
  trade.heldDeposit = amount;
  trade.deposited = true;
}

/** Pays what was called, the oldest first: what is due on or before a day, or all of it. */
export function payCalls(world: World, trade: Trade, until?: string): void {
  const { calls } = trade;
  const isDue = ({ dueDate }: MarginCall) => until === undefined || dueDate <= until;
  while (
    calls[0] &&
    isDue(calls[0]) &&
    availableBalance(world, sellAccount(world, trade)).gte(calls[0].amount)
  )
    payCall(world, trade, calls.shift()!);
}

function payCall(world: World, trade: Trade, { amount }: MarginCall): void {
  const information = tradeMovement(trade, "margin", "Margin call for trade");
  moveToBalance(world, sellAccount(world, trade), amount.neg(), "InitialMargin", information);
  recordMarginCall(world, trade, amount.neg());
  trade.paidCalls = trade.paidCalls.plus(amount);
}

function returnCalls(world: World, trade: Trade): void {
  recordMarginCall(world, trade, unpaidCallsTotal(trade).neg());
  const information = tradeMovement(trade, "margin", "Margin call returned for trade");
  if (trade.paidCalls.gt(0))
    moveToBalance(world, sellAccount(world, trade), trade.paidCalls, "InitialMargin", information);
  trade.calls.length = 0;
  trade.paidCalls = zero;
}

function returnDeposit(world: World, trade: Trade, amount: Big): void {
  if (amount.eq(0)) return;
  const information = tradeMovement(trade, "margin", "Initial margin returned for trade");
  moveToBalance(world, sellAccount(world, trade), amount, "InitialMargin", information);
  trade.heldDeposit = trade.heldDeposit.minus(amount);
}

/** Gives everything back but what stands for drawdowns that are to be settled: the trade itself is settled or cancelled. */
export function returnMargin(world: World, trade: Trade): void {
  returnCalls(world, trade);
  const drawdownDeposits = openDrawdowns(trade).reduce(
    (sum, { sell }) => sum.plus(depositFor(sell.amount, trade)),
    zero,
  );
  returnDeposit(world, trade, larger(trade.heldDeposit.minus(drawdownDeposits), zero));
}

/** Gives back the part of the deposit that stood for an amount drawn from the trade. */
export function releaseMargin(world: World, trade: Trade, drawn: Big): void {
  returnDeposit(world, trade, smaller(depositFor(drawn, trade), trade.heldDeposit));
}
