/**
 * Margin on forwards: a deposit at booking, and margin calls when the market moves against the client.
 *
 * The InitialMargin balance holds paid margin, MarginCall the unpaid calls, both in the currency sold.
 */
import { Big } from "big.js";
import {
  businessDaysAfter,
  isBusinessDay,
  previousBusinessDay,
  addDays,
  dayOf,
  timeAtHour,
} from "@fxdesk/toolkit/calendars";
import { daysFromSpot } from "../money/market-days";
import { larger, roundAmount, smaller } from "../money/currencies";
import { pairOf, type Rate } from "../money/fx";
import { availableBalance, recordExpectation, moveToBalance } from "../accounts/accounts";
import { tradeMovement, sellAccount, settlementHour } from "./trade-entries";
import {
  type MarginCall,
  openDrawdowns,
  unpaidCallsTotal,
  settledDrawdownAmounts,
  type Trade,
  type TradeTerms,
  unsettledAmount,
} from "../model/trade";
import type { World } from "../model/world";

/** Share of the amount sold. */
const depositShare = new Big("0.05");
/** Each further loss of `threshold` calls `callShare` of the unsettled amount. */
const threshold = new Big("0.025");
const callShare = new Big("0.025");
const businessDaysToPay = 2;

const zero = new Big(0);

export const hasMargin = ({ type }: TradeTerms): boolean => type === "forward" || type === "window_forward";

const marginDueDate = (day: string, currency: string) =>
  businessDaysAfter(day, businessDaysToPay, [currency]);

/** Returns the deposit due for a trade, payable before maturity. */
export function initialMargin(terms: TradeTerms, orderDate: string): MarginCall | undefined {
  if (!hasMargin(terms)) return undefined;
  const { amount, currency } = terms.sell;
  const latest = previousBusinessDay(terms.maturityDate, [currency]);
  const [dueDate] = [marginDueDate(orderDate, currency), latest].toSorted() as [string, string];
  return { amount: roundAmount(amount.times(depositShare), currency), dueDate };
}

/**
 * Returns how many whole times the sale has lost `threshold` at the market rate; negative if there is no loss.
 * Comparing before dividing keeps a loss of exactly the threshold exact, and avoids most divisions.
 */
export function lossLevels(sellCurrency: string, booked: Rate, market: Big): number {
  const sellsBase = booked.symbol.startsWith(sellCurrency);
  const [now, reference] = sellsBase ? [market, booked.rate] : [booked.rate, market];
  const [lost, step] = [now.minus(reference), reference.times(threshold)];
  if (lost.lte(0)) return -1;
  return lost.lt(step) ? 0 : Math.floor(lost.div(step).toNumber());
}

/** Compares with the current rate for the same maturity. */
function lossLevelsOf({ rates, now }: World, { buy, sell, rate, maturityDate }: Trade): number {
  const { base, quoted } = pairOf(buy.currency, sell.currency);
  const days = daysFromSpot(now, buy.currency, sell.currency, maturityDate);
  return lossLevels(sell.currency, rate, rates.midRate(base, quoted, dayOf(now), days).rate);
}

const isFinished = ({ ended, settled }: Trade) => ended !== undefined || settled;

/** Checks the margin of a trade daily; money moves on business days only. */
export function checkMargin(world: World, trade: Trade): void {
  if (isFinished(trade)) return;
  const today = dayOf(world.now);
  if (isBusinessDay(today, [trade.sell.currency])) {
    revalueMargin(world, trade);
    collectMargin(world, trade, today);
  }
  const settlement = timeAtHour(today, settlementHour);
  const next = world.now < settlement ? settlement : timeAtHour(addDays(today, 1), settlementHour);
  world.scheduledEvents.schedule(next, "margin-is-watched", trade);
}

/**
 * Calls more margin if the market has moved against the client. Returns all of it if there is no loss or nothing left
 * unsettled.
 */
function revalueMargin(world: World, trade: Trade): void {
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

/** Revalues all forwards after a market move. */
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

/** Collects margin that is due, as far as the balance suffices. */
function collectMargin(world: World, trade: Trade, today: string): void {
  if (trade.initialMargin && trade.initialMargin.dueDate <= today) payDeposit(world, trade);
  payCalls(world, trade, today);
}

/** Returns the part of the deposit that covers a drawn amount. */
const depositFor = (drawn: Big, { sell }: Trade) => roundAmount(drawn.times(depositShare), sell.currency);

/** Returns the deposit less the parts for drawdowns settled before it was paid. */
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

/** Pays open calls, oldest first, up to a due date if given. */
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

/** Returns all margin of a settled or cancelled trade, except the deposit for open drawdowns. */
export function returnMargin(world: World, trade: Trade): void {
  returnCalls(world, trade);
  const drawdownDeposits = openDrawdowns(trade).reduce(
    (sum, { sell }) => sum.plus(depositFor(sell.amount, trade)),
    zero,
  );
  returnDeposit(world, trade, larger(trade.heldDeposit.minus(drawdownDeposits), zero));
}

/** Returns the part of the deposit that covers a settled drawdown. */
export function releaseMargin(world: World, trade: Trade, drawn: Big): void {
  returnDeposit(world, trade, smaller(depositFor(drawn, trade), trade.heldDeposit));
}
