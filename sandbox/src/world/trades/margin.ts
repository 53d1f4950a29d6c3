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
import { larger, rounded, smaller } from "../money/currencies";
import { addDays, dayOf, hourOf } from "../calendar/days";
import { pairOf, type Rate } from "../money/fx";
import { available, note, shift } from "../ledger/movements";
import { about, sellAccount, settlementHour } from "./trade-entries";
import {
  type MarginCall,
  openDraws,
  owedCalls,
  settledDraws,
  type Trade,
  type TradeTerms,
  unsettled,
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

const dueFrom = (day: string, currency: string) => businessDaysAfter(day, businessDaysToPay, [currency]);

/** The deposit a trade asks for when it is booked; it is due before the trade matures. */
export function initialMargin(terms: TradeTerms, orderDate: string): MarginCall | undefined {
  if (!hasMargin(terms)) return undefined;
  const { amount, currency } = terms.sell;
  const latest = previousBusinessDay(terms.maturityDate, [currency]);
  const [dueDate] = [dueFrom(orderDate, currency), latest].toSorted() as [string, string];
  return { amount: rounded(amount.times(depositShare), currency), dueDate };
}

/**
 * How many whole times a sale at the booked rate has lost the threshold at the market's rate; less than zero when nothing
 * is lost. Compared before it is divided, so that a loss of exactly the threshold is one, and few are divided at all.
 */
export function lossLevels(sellCurrency: string, booked: Rate, market: Big): number {
  const sellsBase = booked.symbol.startsWith(sellCurrency);
  const [now, then] = sellsBase ? [market, booked.rate] : [booked.rate, market];
  const [lost, step] = [now.minus(then), then.times(threshold)];
  if (lost.lte(0)) return -1;
  return lost.lt(step) ? 0 : Math.floor(lost.div(step).toNumber());
}

/** Against the rate at which a trade with the same maturity would be made now. */
function levelsOf({ rates, now }: World, { buy, sell, rate, maturityDate }: Trade): number {
  const { base, quoted } = pairOf(buy.currency, sell.currency);
  const days = daysFromSpot(now, buy.currency, sell.currency, maturityDate);
  return lossLevels(sell.currency, rate, rates.mid(base, quoted, dayOf(now), days).rate);
}

const isOver = ({ ended, settled }: Trade) => ended !== undefined || settled;

/** Looks after a trade's margin on each day of its life; money moves on business days. */
export function watchMargin(world: World, trade: Trade): void {
  if (isOver(trade)) return;
  const isOpen = isBusinessDay(dayOf(world.now), [trade.sell.currency]);
  if (isOpen) revalue(world, trade);
  if (isOpen) collectMargin(world, trade);
  const today = hourOf(dayOf(world.now), settlementHour);
  const next = world.now < today ? today : hourOf(addDays(dayOf(world.now), 1), settlementHour);
  world.agenda.schedule(next, "margin-is-watched", trade);
}

/**
 * Calls for more when the market has moved against the client; gives all of it back when nothing is lost any more, or
 * nothing is left to lose on.
 */
export function revalue(world: World, trade: Trade): void {
  if (isOver(trade) || !hasMargin(trade)) return;
  const amount = unsettled(trade, "sell");
  const levels = levelsOf(world, trade);
  if (levels < 0 || amount.eq(0)) return returnCalls(world, trade);
  const { currency } = trade.sell;
  const wanted = rounded(amount.times(callShare).times(levels), currency);
  const called = trade.paidCalls.plus(owedCalls(trade));
  if (wanted.lte(called)) return;
  const call = { amount: wanted.minus(called), dueDate: dueFrom(dayOf(world.now), currency) };
  noteCall(world, trade, call.amount);
  trade.calls.push(call);
}

/** Revalues every forward: after the market was moved. */
export function revalueAll(world: World): void {
  for (const trade of world.trades.values()) revalue(world, trade);
}

function noteCall(world: World, trade: Trade, amount: Big): void {
  if (amount.eq(0)) return;
  const { tradeId: reference } = trade;
  note(world, sellAccount(world, trade), "MarginCall", amount, { reference, valueAt: world.now });
}

/** Takes what is due from what is available, when there is enough. */
function collectMargin(world: World, trade: Trade): void {
  const today = dayOf(world.now);
  if (trade.initialMargin && trade.initialMargin.dueDate <= today) payDeposit(world, trade);
  payCalls(world, trade, today);
}

/** The part of the deposit that stands for an amount drawn from the trade. */
const depositFor = (drawn: Big, { sell }: Trade) => rounded(drawn.times(depositShare), sell.currency);

/** The deposit but for what was drawn and settled before it was paid. */
function depositDue(trade: Trade): Big {
  const returned = settledDraws(trade, "sell").map((drawn) => depositFor(drawn, trade));
  return returned.reduce((due, part) => due.minus(part), trade.initialMargin!.amount);
}

function payDeposit(world: World, trade: Trade): void {
  const account = sellAccount(world, trade);
  const amount = depositDue(trade);
  if (trade.deposited || amount.lte(0) || available(world, account).lt(amount)) return;
  shift(world, account, amount.neg(), "InitialMargin", about(trade, "margin", "Initial margin for trade"));
  trade.heldDeposit = amount;
  trade.deposited = true;
}

/** Pays what was called, the oldest first: what is due on or before a day, or all of it. */
export function payCalls(world: World, trade: Trade, until?: string): void {
  const { calls } = trade;
  const isDue = ({ dueDate }: MarginCall) => until === undefined || dueDate <= until;
  while (calls[0] && isDue(calls[0]) && available(world, sellAccount(world, trade)).gte(calls[0].amount))
    payCall(world, trade, calls.shift()!);
}

function payCall(world: World, trade: Trade, { amount }: MarginCall): void {
  const information = about(trade, "margin", "Margin call for trade");
  shift(world, sellAccount(world, trade), amount.neg(), "InitialMargin", information);
  noteCall(world, trade, amount.neg());
  trade.paidCalls = trade.paidCalls.plus(amount);
}

function returnCalls(world: World, trade: Trade): void {
  noteCall(world, trade, owedCalls(trade).neg());
  const information = about(trade, "margin", "Margin call returned for trade");
  if (trade.paidCalls.gt(0))
    shift(world, sellAccount(world, trade), trade.paidCalls, "InitialMargin", information);
  trade.calls.length = 0;
  trade.paidCalls = zero;
}

function returnDeposit(world: World, trade: Trade, amount: Big): void {
  if (amount.eq(0)) return;
  const information = about(trade, "margin", "Initial margin returned for trade");
  shift(world, sellAccount(world, trade), amount, "InitialMargin", information);
  trade.heldDeposit = trade.heldDeposit.minus(amount);
}

/** Gives everything back but what stands for drawdowns that are to be settled: the trade itself is settled or cancelled. */
export function returnMargin(world: World, trade: Trade): void {
  returnCalls(world, trade);
  const kept = openDraws(trade).reduce((sum, { sell }) => sum.plus(depositFor(sell.amount, trade)), zero);
  returnDeposit(world, trade, larger(trade.heldDeposit.minus(kept), zero));
}

/** Gives back the part of the deposit that stood for an amount drawn from the trade. */
export function releaseMargin(world: World, trade: Trade, drawn: Big): void {
  returnDeposit(world, trade, smaller(depositFor(drawn, trade), trade.heldDeposit));
}
