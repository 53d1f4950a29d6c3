/** Trades from the booking to the end: what they promise, and what they move. */
import { Big } from "big.js";
import type { Account } from "./accounts";
import { fixingDate } from "./calendar";
import { smaller } from "./currencies";
import { addDays, dayMs, dayOf, hourOf } from "./days";
import { converted, pairOf } from "./fx";
import { hasMargin, initialMargin, releaseMargin, returnMargin, watchMargin } from "./margin";
import { available, move, note, noteLines } from "./movements";
import { closeWhenPaidOut, execute, later, withdraw } from "./payments";
import { about, buyAccount, sellAccount, settlementOf } from "./trade-entries";
import { drawProblem, outstanding, remaining, type Trade, type TradeTerms, unsettled } from "./trades";
import type { World } from "./world";

/** A trade that is not paid for within so many days of its maturity is cancelled. */
const graceDays = 10;

const zero = new Big(0);

/** The hour (UTC) at which the market is read that decides about trades without delivery. */
const fixingHour = 12;

/** What is settled in cash exchanges nothing: only the difference is paid. */
const isDelivered = ({ type }: TradeTerms) => type !== "ndf";

/**
 * Books a trade: from now on its funds are required and its proceeds are coming in. Throws a RangeError, and nothing is
 * changed, when the books cannot hold them or the forward has not enough left.
 */
export function book(world: World, terms: TradeTerms): Trade {
  const orderDate = dayOf(world.now);
  const trade: Trade = {
    synthetic: false,
    ...terms,
    tradeId: `TR${world.ids.digits(10)}`,
    orderDate,
    initialMargin: initialMargin(terms, orderDate),
    drawdowns: [],
    payments: [],
    funded: zero,
    deposited: false,
    heldDeposit: zero,
    calls: [],
    paidCalls: zero,
    settled: false,
  };
  if (isDelivered(trade)) assertPromised(world, trade);
  if (terms.parent) drawFrom(world, terms.parent, trade);
  promise(world, trade, trade.sell.amount, trade.buy.amount);
  world.trades.set(trade.tradeId, trade);
  if (hasMargin(trade)) watchMargin(world, trade);
  if (!isDelivered(trade)) scheduleFixing(world, trade);
  world.agenda.schedule(settlementOf(trade), () => mature(world, trade));
  return trade;
}

/** What a drawdown takes is no longer expected from its forward. */
function drawFrom(world: World, parent: Trade, drawdown: Trade): void {
  const problem = drawProblem(parent, drawdown.sell.amount, drawdown.buy.amount);
  if (problem) throw new RangeError(problem);
  parent.drawdowns.push(drawdown);
  promise(world, parent, drawdown.sell.amount.neg(), drawdown.buy.amount.neg());
}

/** Throws a RangeError when the books cannot hold what a trade promises. */
function assertPromised(world: World, trade: Trade): void {
  world.ledger.assertHeld([
    ...noteLines(sellAccount(world, trade), "RequiredFunds", trade.sell.amount),
    ...noteLines(buyAccount(world, trade), "Incoming", trade.buy.amount),
  ]);
}

/** Notes what the trade still requires and still brings; negative amounts take it back. */
function promise(world: World, trade: Trade, sell: Big, buy: Big): void {
  if (!isDelivered(trade)) return;
  const promised = { reference: trade.tradeId, valueAt: settlementOf(trade) };
  if (!sell.eq(0)) note(world, sellAccount(world, trade), "RequiredFunds", sell, promised);
  if (!buy.eq(0)) note(world, buyAccount(world, trade), "Incoming", buy, promised);
}

/** Pays for a trade, in part or in full, from what is available. */
export function fund(world: World, trade: Trade, amount: Big): void {
  move(world, sellAccount(world, trade), amount.neg(), "exchange", about(trade, "debit", "Funds for trade"));
  promise(world, trade, amount.neg(), zero);
  trade.funded = trade.funded.plus(amount);
}

/**
 * Settles a trade on its maturity date, or on the first day after it on which its funds are there; takes it back when
 * they have not come in time.
 */
function mature(world: World, trade: Trade): void {
  if (trade.ended || trade.settled) return;
  const isSettled = isDelivered(trade) ? exchange(world, trade) : settleDifference(world, trade);
  if (isSettled) return settled(world, trade);
  if (isDelivered(trade) && dayOf(world.now) >= addDays(trade.maturityDate, graceDays))
    return cancel(world, trade);
  world.agenda.schedule(later(world, dayMs), () => mature(world, trade));
}

function settled(world: World, trade: Trade): void {
  trade.settled = true;
  returnMargin(world, trade);
  if (trade.parent) drawnAndSettled(world, trade.parent, trade);
  for (const payment of trade.payments) execute(world, trade, payment);
  closeWhenPaidOut(trade);
}

/** A forward ends with its last drawdown, when they have left nothing of it. */
function drawnAndSettled(world: World, parent: Trade, { sell }: Trade): void {
  releaseMargin(world, parent, sell.amount);
  const isUsedUp = unsettled(parent, "sell").eq(0) && unsettled(parent, "buy").eq(0);
  if (isUsedUp && !parent.settled && !parent.ended) settled(world, parent);
}

/** Gives what was bought for what was sold; answers whether the funds were there. */
function exchange(world: World, trade: Trade): boolean {
  const account = sellAccount(world, trade);
  const due = outstanding(trade);
  if (due.gt(available(world, account))) return false;
  if (due.gt(0)) fund(world, trade, due);
  const proceeds = remaining(trade, "buy");
  if (proceeds.eq(0)) return true;
  move(world, buyAccount(world, trade), proceeds, "exchange", about(trade, "credit", "Proceeds of trade"));
  promise(world, trade, zero, proceeds.neg());
  charge(world, account, trade);
  return true;
}

function charge(world: World, account: Account, trade: Trade): void {
  const fee = smaller(trade.fee.amount, available(world, account));
  if (fee.gt(0)) move(world, account, fee.neg(), "fees", about(trade, "debit", "Fee for trade"));
}

function scheduleFixing(world: World, trade: Trade): void {
  const { orderDate, maturityDate, buy, sell } = trade;
  const day = fixingDate(orderDate, maturityDate, buy.currency, sell.currency);
  world.agenda.schedule(hourOf(day, fixingHour), () => (trade.difference = differenceAtMarket(world, trade)));
}

/**
 * A non-delivered trade pays what its amount was worth more or less at the fixing, in the currency sold; answers whether
 * the funds were there.
 */
function settleDifference(world: World, trade: Trade): boolean {
  const difference = trade.difference!;
  const account = sellAccount(world, trade);
  if (available(world, account).plus(difference).lt(0)) return false;
  const says = about(trade, difference.gt(0) ? "credit" : "debit", "Cash settlement of trade");
  if (!difference.eq(0)) move(world, account, difference, "exchange", says);
  return true;
}

function differenceAtMarket({ rates, now }: World, { buy, sell }: Trade): Big {
  const { base, quoted } = pairOf(buy.currency, sell.currency);
  const fixing = rates.mid(base, quoted, dayOf(now));
  return converted(buy, fixing).amount.minus(sell.amount);
}

/** Takes a trade back that is not settled: nothing is expected of it any more, and what was paid in returns. */
export function cancel(world: World, trade: Trade): void {
  promise(world, trade, outstanding(trade).neg(), remaining(trade, "buy").neg());
  for (const payment of trade.payments) withdraw(world, trade, payment);
  if (trade.funded.gt(0)) {
    const says = about(trade, "credit", "Funds returned from cancelled trade");
    move(world, sellAccount(world, trade), trade.funded, "exchange", says);
  }
  returnMargin(world, trade);
  trade.ended = "Cancelled";
  if (trade.parent) giveBack(world, trade.parent, trade);
}

/** What a cancelled drawdown had taken is expected from its forward again, if that still goes on. */
function giveBack(world: World, parent: Trade, { sell, buy }: Trade): void {
  if (!parent.ended && !parent.settled) promise(world, parent, sell.amount, buy.amount);
}
