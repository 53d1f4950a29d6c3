/** Trades from the booking to the end: what they promise, and what they move. */
import { Big } from "big.js";
import { accountIn } from "../accounts/accounts";
import type { Account } from "../accounts/account";
import { forgetDifference, scheduleFixing, settleDifference } from "./cash-settlement";
import { larger } from "../money/currencies";
import { nextBusinessTime } from "../calendar/business-days";
import { addDays, dayOf } from "../calendar/days";
import { feeFor } from "../money/fx";
import { hasMargin, initialMargin, releaseMargin, returnMargin, watchMargin } from "./margin";
import { available, move, note, noteLines } from "../ledger/movements";
import { closeWhenPaidOut, execute, withdraw } from "./payments";
import { about, buyAccount, exchanged, expectation, sellAccount, settlementOf } from "./trade-entries";
import {
  drawViolation,
  isDrawnUp,
  openDraws,
  outstanding,
  remaining,
  type Trade,
  type TradeTerms,
  undrawable,
} from "./trades";
import type { World } from "../world";

/** A trade that is not paid for within so many days of its maturity is cancelled. */
const graceDays = 10;

const zero = new Big(0);

/** What is settled in cash exchanges nothing: only the difference is paid. */
const isDelivered = ({ type }: TradeTerms) => type !== "ndf";

/**
 * Books a trade: from now on its funds are required and its proceeds are coming in. Throws a RangeError when the
 * books cannot hold them, a DomainError when the forward has not enough left; then nothing is changed.
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
    owedFee: zero,
    settled: false,
  };
  if (isDelivered(trade)) assertPromised(world, trade);
  if (terms.parent) drawFrom(world, terms.parent, trade);
  promise(world, trade, outstanding(trade), trade.buy.amount);
  world.trades.set(trade.tradeId, trade);
  if (hasMargin(trade)) watchMargin(world, trade);
  if (!isDelivered(trade)) scheduleFixing(world, trade);
  world.agenda.schedule(settlementOf(trade), "trade-matures", trade);
  return trade;
}

/** What a drawdown takes is no longer expected from its forward; what was paid in for it goes with it. */
function drawFrom(world: World, parent: Trade, drawdown: Trade): void {
  const violation = drawViolation(parent, drawdown.sell.amount, drawdown.buy.amount);
  if (violation) throw undrawable(violation);
  const before = outstanding(parent);
  parent.drawdowns.push(drawdown);
  drawdown.funded = larger(outstanding(parent).neg(), zero);
  parent.funded = parent.funded.minus(drawdown.funded);
  promise(world, parent, outstanding(parent).minus(before), drawdown.buy.amount.neg());
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
  if (!sell.eq(0)) note(world, sellAccount(world, trade), "RequiredFunds", sell, expectation(trade));
  if (!buy.eq(0)) note(world, buyAccount(world, trade), "Incoming", buy, expectation(trade));
}

/** Pays for a trade, in part or in full, from what is available. */
export function fund(world: World, trade: Trade, amount: Big): void {
  move(
    world,
    sellAccount(world, trade),
    amount.neg(),
    "exchange",
    exchanged(trade, "debit", "Funds for trade"),
  );
  promise(world, trade, amount.neg(), zero);
  trade.funded = trade.funded.plus(amount);
}

/** Those whose banks must be open for a trade to settle: every trade goes by USD. */
const settlingCurrencies = ({ buy, sell }: TradeTerms) => [buy.currency, sell.currency, "USD"];

/**
 * Settles a trade on its maturity date, or on the first business day after it on which its funds are there. What is to be delivered
 * and is not paid for in time is taken back; what drawdowns took settles with them.
 */
export function mature(world: World, trade: Trade): void {
  if (trade.ended || trade.settled || isDrawnUp(trade)) return;
  const isSettled = isDelivered(trade) ? exchange(world, trade) : settleDifference(world, trade);
  if (isSettled) return finish(world, trade);
  if (isDelivered(trade) && dayOf(world.now) >= addDays(trade.maturityDate, graceDays))
    return cancel(world, trade);
  world.agenda.schedule(nextBusinessTime(world.now, settlingCurrencies(trade)), "trade-matures", trade);
}

/** Gives what was bought for what was sold; returns whether the funds were there. */
function exchange(world: World, trade: Trade): boolean {
  const due = outstanding(trade);
  if (due.gt(available(world, sellAccount(world, trade)))) return false;
  if (due.gt(0)) fund(world, trade, due);
  const proceeds = remaining(trade, "buy");
  move(
    world,
    buyAccount(world, trade),
    proceeds,
    "exchange",
    exchanged(trade, "credit", "Proceeds of trade"),
  );
  promise(world, trade, zero, proceeds.neg());
  return true;
}

function finish(world: World, trade: Trade): void {
  trade.settled = true;
  returnMargin(world, trade);
  owe(world, trade, feeOf(trade));
  if (trade.parent) drawnAndSettled(world, trade.parent, trade);
  for (const payment of trade.payments) execute(world, trade, payment);
  closeWhenPaidOut(trade);
}

/** The fee for what drawdowns have left of a trade: they have paid for themselves. */
function feeOf(trade: Trade): Big {
  const { sell, fee } = trade;
  const amount = remaining(trade, "sell");
  if (amount.eq(sell.amount)) return fee.amount;
  return amount.eq(0) ? zero : feeFor({ ...sell, amount }).amount;
}

/** A fee is required until it is there. */
function owe(world: World, trade: Trade, fee: Big): void {
  if (fee.eq(0)) return;
  trade.owedFee = fee;
  note(world, feeAccount(world, trade), "RequiredFunds", fee, expectation(trade));
  collectFee(world, trade);
}

const feeAccount = (world: World, trade: Trade): Account => accountIn(world, trade, trade.fee.currency);

/** Takes the fee, or tries again every business day. */
export function collectFee(world: World, trade: Trade): void {
  const [account, fee] = [feeAccount(world, trade), trade.owedFee];
  if (available(world, account).lt(fee)) {
    const next = nextBusinessTime(world.now, [account.currency]);
    world.agenda.schedule(next, "fee-is-collected", trade);
    return;
  }
  move(world, account, fee.neg(), "fees", about(trade, "debit", "Fee for trade"));
  note(world, account, "RequiredFunds", fee.neg(), expectation(trade));
  trade.owedFee = zero;
}

/** What a drawdown took has settled. */
function drawnAndSettled(world: World, parent: Trade, { sell }: Trade): void {
  releaseMargin(world, parent, sell.amount);
  endWithDraws(world, parent);
}

/** A forward ends with its last drawdown, when the rest of it is settled or they have left nothing. */
function endWithDraws(world: World, parent: Trade): void {
  if (openDraws(parent).length > 0) return;
  if (parent.settled || parent.ended) {
    returnMargin(world, parent);
    closeWhenPaidOut(parent);
  } else if (isDrawnUp(parent)) finish(world, parent);
}

/** Takes a trade back that is not settled: nothing is expected of it any more, and what was paid in returns. */
export function cancel(world: World, trade: Trade): void {
  promise(world, trade, outstanding(trade).neg(), remaining(trade, "buy").neg());
  forgetDifference(world, trade);
  for (const payment of trade.payments) withdraw(world, trade, payment);
  if (trade.funded.gt(0)) {
    const information = exchanged(trade, "credit", "Funds returned from cancelled trade");
    move(world, sellAccount(world, trade), trade.funded, "exchange", information);
  }
  trade.ended = "Cancelled";
  returnMargin(world, trade);
  if (trade.parent) giveBack(world, trade.parent, trade);
}

/** What a cancelled drawdown had taken is a part of its forward again, if that still goes on. */
function giveBack(world: World, parent: Trade, { sell, buy }: Trade): void {
  if (parent.settled || parent.ended) return endWithDraws(world, parent);
  promise(world, parent, sell.amount, buy.amount);
  const wasDrawnUp = remaining(parent, "sell").eq(sell.amount);
  if (wasDrawnUp && settlementOf(parent) <= world.now) mature(world, parent);
}
