/** Trades from the booking to the end: what they promise, and what they move. */
import { Big } from "big.js";
import { findOrOpenAccount } from "../accounts/accounts";
import type { Account } from "../accounts/account";
import { reverseDifference, scheduleFixing, settleDifference } from "./cash-settlement";
import { larger } from "../money/currencies";
import { nextBusinessTime } from "../calendar/business-days";
import { addDays, dayOf } from "../calendar/days";
import { feeFor } from "../money/fx";
import { hasMargin, initialMargin, releaseMargin, returnMargin, checkMargin } from "./margin";
import { availableBalance, moveMoney, recordExpectation, expectationPostings } from "../ledger/movements";
import { closeWhenPaidOut, executeTradePayment, cancelTradePayment } from "./payments";
import {
  tradeMovement,
  buyAccount,
  exchangeMovement,
  expectationDetails,
  sellAccount,
  settlementOf,
} from "./trade-entries";
import {
  drawdownViolation,
  isFullyDrawn,
  openDrawdowns,
  outstandingFunds,
  remainingAmount,
  type Trade,
  type TradeTerms,
  toDrawdownError,
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
export function bookTrade(world: World, terms: TradeTerms): Trade {
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
  if (isDelivered(trade)) assertBookable(world, trade);
  if (terms.parent) drawFromForward(world, terms.parent, trade);
  recordTradeExpectation(world, trade, outstandingFunds(trade), trade.buy.amount);
  world.trades.set(trade.tradeId, trade);
  if (hasMargin(trade)) checkMargin(world, trade);
  if (!isDelivered(trade)) scheduleFixing(world, trade);
  world.agenda.schedule(settlementOf(trade), "trade-matures", trade);
  return trade;
}

/** What a drawdown takes is no longer expected from its forward; what was paid in for it goes with it. */
function drawFromForward(world: World, parent: Trade, drawdown: Trade): void {
  const violation = drawdownViolation(parent, drawdown.sell.amount, drawdown.buy.amount);
  if (violation) throw toDrawdownError(violation);
  const before = outstandingFunds(parent);
  parent.drawdowns.push(drawdown);
  drawdown.funded = larger(outstandingFunds(parent).neg(), zero);
  parent.funded = parent.funded.minus(drawdown.funded);
  recordTradeExpectation(world, parent, outstandingFunds(parent).minus(before), drawdown.buy.amount.neg());
}

/** Throws a RangeError when the books cannot hold what a trade promises. */
function assertBookable(world: World, trade: Trade): void {
  world.ledger.assertRepresentable([
    ...expectationPostings(sellAccount(world, trade), "RequiredFunds", trade.sell.amount),
    ...expectationPostings(buyAccount(world, trade), "Incoming", trade.buy.amount),
  ]);
}

/** Notes what the trade still requires and still brings; negative amounts take it back. */
function recordTradeExpectation(world: World, trade: Trade, sell: Big, buy: Big): void {
  if (!isDelivered(trade)) return;
  if (!sell.eq(0))
    recordExpectation(world, sellAccount(world, trade), "RequiredFunds", sell, expectationDetails(trade));
  if (!buy.eq(0))
    recordExpectation(world, buyAccount(world, trade), "Incoming", buy, expectationDetails(trade));
}

/** Pays for a trade, in part or in full, from what is available. */
export function fundTrade(world: World, trade: Trade, amount: Big): void {
  moveMoney(
    world,
    sellAccount(world, trade),
    amount.neg(),
    "exchange",
    exchangeMovement(trade, "debit", "Funds for trade"),
  );
  recordTradeExpectation(world, trade, amount.neg(), zero);
  trade.funded = trade.funded.plus(amount);
}

/** Those whose banks must be open for a trade to settle: every trade goes by USD. */
const settlingCurrencies = ({ buy, sell }: TradeTerms) => [buy.currency, sell.currency, "USD"];

/**
 * Settles a trade on its maturity date, or on the first business day after it on which its funds are there. What is to be delivered
 * and is not paid for in time is taken back; what drawdowns took settles with them.
 */
export function settleAtMaturity(world: World, trade: Trade): void {
  if (trade.ended || trade.settled || isFullyDrawn(trade)) return;
  const isSettled = isDelivered(trade) ? exchangeCurrencies(world, trade) : settleDifference(world, trade);
  if (isSettled) return completeSettlement(world, trade);
  if (isDelivered(trade) && dayOf(world.now) >= addDays(trade.maturityDate, graceDays))
    return cancelTrade(world, trade);
  world.agenda.schedule(nextBusinessTime(world.now, settlingCurrencies(trade)), "trade-matures", trade);
}

/** Gives what was bought for what was sold; returns whether the funds were there. */
function exchangeCurrencies(world: World, trade: Trade): boolean {
  const due = outstandingFunds(trade);
  if (due.gt(availableBalance(world, sellAccount(world, trade)))) return false;
  if (due.gt(0)) fundTrade(world, trade, due);
  const proceeds = remainingAmount(trade, "buy");
  moveMoney(
    world,
    buyAccount(world, trade),
    proceeds,
    "exchange",
    exchangeMovement(trade, "credit", "Proceeds of trade"),
  );
  recordTradeExpectation(world, trade, zero, proceeds.neg());
  return true;
}

function completeSettlement(world: World, trade: Trade): void {
  trade.settled = true;
  returnMargin(world, trade);
  chargeFee(world, trade, feeForRemaining(trade));
  if (trade.parent) applyDrawdownSettlement(world, trade.parent, trade);
  for (const payment of trade.payments) executeTradePayment(world, trade, payment);
  closeWhenPaidOut(trade);
}

/** The fee for what drawdowns have left of a trade: they have paid for themselves. */
function feeForRemaining(trade: Trade): Big {
  const { sell, fee } = trade;
  const amount = remainingAmount(trade, "sell");
  if (amount.eq(sell.amount)) return fee.amount;
  return amount.eq(0) ? zero : feeFor({ ...sell, amount }).amount;
}

/** A fee is required until it is there. */
function chargeFee(world: World, trade: Trade, fee: Big): void {
  if (fee.eq(0)) return;
  trade.owedFee = fee;
  recordExpectation(world, feeAccount(world, trade), "RequiredFunds", fee, expectationDetails(trade));
  collectFee(world, trade);
}

const feeAccount = (world: World, trade: Trade): Account =>
  findOrOpenAccount(world, trade, trade.fee.currency);

/** Takes the fee, or tries again every business day. */
export function collectFee(world: World, trade: Trade): void {
  const [account, fee] = [feeAccount(world, trade), trade.owedFee];
  if (availableBalance(world, account).lt(fee)) {
    const next = nextBusinessTime(world.now, [account.currency]);
    world.agenda.schedule(next, "fee-is-collected", trade);
    return;
  }
  moveMoney(world, account, fee.neg(), "fees", tradeMovement(trade, "debit", "Fee for trade"));
  recordExpectation(world, account, "RequiredFunds", fee.neg(), expectationDetails(trade));
  trade.owedFee = zero;
}

/** What a drawdown took has settled. */
function applyDrawdownSettlement(world: World, parent: Trade, { sell }: Trade): void {
  releaseMargin(world, parent, sell.amount);
  closeIfFullyDrawn(world, parent);
}

/** A forward ends with its last drawdown, when the rest of it is settled or they have left nothing. */
function closeIfFullyDrawn(world: World, parent: Trade): void {
  if (openDrawdowns(parent).length > 0) return;
  if (parent.settled || parent.ended) {
    returnMargin(world, parent);
    closeWhenPaidOut(parent);
  } else if (isFullyDrawn(parent)) completeSettlement(world, parent);
}

/** Takes a trade back that is not settled: nothing is expected of it any more, and what was paid in returns. */
export function cancelTrade(world: World, trade: Trade): void {
  recordTradeExpectation(world, trade, outstandingFunds(trade).neg(), remainingAmount(trade, "buy").neg());
  reverseDifference(world, trade);
  for (const payment of trade.payments) cancelTradePayment(world, trade, payment);
  if (trade.funded.gt(0)) {
    const information = exchangeMovement(trade, "credit", "Funds returned from cancelled trade");
    moveMoney(world, sellAccount(world, trade), trade.funded, "exchange", information);
  }
  trade.ended = "Cancelled";
  returnMargin(world, trade);
  if (trade.parent) returnToForward(world, trade.parent, trade);
}

/** What a cancelled drawdown had taken is a part of its forward again, if that still goes on. */
function returnToForward(world: World, parent: Trade, { sell, buy }: Trade): void {
  if (parent.settled || parent.ended) return closeIfFullyDrawn(world, parent);
  recordTradeExpectation(world, parent, sell.amount, buy.amount);
  const wasDrawnUp = remainingAmount(parent, "sell").eq(sell.amount);
  if (wasDrawnUp && settlementOf(parent) <= world.now) settleAtMaturity(world, parent);
}
