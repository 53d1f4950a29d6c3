/** Life cycle of trades: booking, funding, settlement and cancellation. */
import { Big } from "big.js";
import { findOrOpenAccount, availableBalance, moveMoney, recordExpectation } from "../accounts/accounts";
import type { Account } from "../model/account";
import { reverseDifference, scheduleFixing, settleDifference } from "./cash-settlement";
import { larger } from "../money/currencies";
import { nextBusinessTime, addDays, dayOf } from "@fxdesk/toolkit/calendars";
import { feeFor } from "../money/fx";
import { hasMargin, initialMargin, releaseMargin, returnMargin, checkMargin } from "./margin";
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
} from "../model/trade";
import type { World } from "../model/world";

/** A trade not funded this many days after maturity is cancelled. */
const graceDays = 10;

const zero = new Big(0);

/** False for non-delivered trades, which only pay the difference. */
const isDelivered = ({ type }: TradeTerms) => type !== "ndf";

/**
 * Books a trade and records its required funds and expected proceeds. Throws a DomainError if a forward does not have
 * enough left; nothing is changed then.
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
  if (terms.parent) drawFromForward(world, terms.parent, trade);
  recordTradeExpectation(world, trade, outstandingFunds(trade), trade.buy.amount);
  world.trades.set(trade.tradeId, trade);
  if (hasMargin(trade)) checkMargin(world, trade);
  if (!isDelivered(trade)) scheduleFixing(world, trade);
  world.scheduledEvents.schedule(settlementOf(trade), "trade-matures", trade);
  return trade;
}

/** Moves the drawn amounts, and funds already paid for them, from the forward to the drawdown. */
function drawFromForward(world: World, parent: Trade, drawdown: Trade): void {
  const violation = drawdownViolation(parent, drawdown.sell.amount, drawdown.buy.amount);
  if (violation) throw toDrawdownError(violation);
  const before = outstandingFunds(parent);
  parent.drawdowns.push(drawdown);
  drawdown.funded = larger(outstandingFunds(parent).neg(), zero);
  parent.funded = parent.funded.minus(drawdown.funded);
  recordTradeExpectation(world, parent, outstandingFunds(parent).minus(before), drawdown.buy.amount.neg());
}

/** Records outstanding funds and expected proceeds; negative amounts reverse them. */
function recordTradeExpectation(world: World, trade: Trade, sell: Big, buy: Big): void {
  if (!isDelivered(trade)) return;
  if (!sell.eq(0))
    recordExpectation(world, sellAccount(world, trade), "RequiredFunds", sell, expectationDetails(trade));
  if (!buy.eq(0))
    recordExpectation(world, buyAccount(world, trade), "Incoming", buy, expectationDetails(trade));
}

/** Funds a trade, in part or in full, from the available balance. */
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

/** Currencies whose banks must be open: every trade settles through USD. */
const settlingCurrencies = ({ buy, sell }: TradeTerms) => [buy.currency, sell.currency, "USD"];

/**
 * Settles a trade at maturity, or on the first later business day on which its funds suffice. A delivered trade that
 * stays unfunded is cancelled after `graceDays`. Amounts drawn settle with their drawdowns.
 */
export function settleAtMaturity(world: World, trade: Trade): void {
  if (trade.ended || trade.settled || isFullyDrawn(trade)) return;
  const isSettled = isDelivered(trade) ? exchangeCurrencies(world, trade) : settleDifference(world, trade);
  if (isSettled) return completeSettlement(world, trade);
  if (isDelivered(trade) && dayOf(world.now) >= addDays(trade.maturityDate, graceDays))
    return cancelTrade(world, trade);
  world.scheduledEvents.schedule(
    nextBusinessTime(world.now, settlingCurrencies(trade)),
    "trade-matures",
    trade,
  );
}

/** Exchanges the currencies. Returns false if the funds do not suffice. */
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
  if (trade.parent) {
    releaseMargin(world, trade.parent, trade.sell.amount);
    closeIfFullyDrawn(world, trade.parent);
  }
  for (const payment of trade.payments) executeTradePayment(world, trade, payment);
  closeWhenPaidOut(trade);
}

/** Returns the fee for the undrawn part of a trade, because drawdowns pay their own. */
function feeForRemaining(trade: Trade): Big {
  const { sell, fee } = trade;
  const amount = remainingAmount(trade, "sell");
  if (amount.eq(sell.amount)) return fee.amount;
  return amount.eq(0) ? zero : feeFor({ ...sell, amount }).amount;
}

/** Records a fee as required and collects it if possible. */
function chargeFee(world: World, trade: Trade, fee: Big): void {
  if (fee.eq(0)) return;
  trade.owedFee = fee;
  recordExpectation(world, feeAccount(world, trade), "RequiredFunds", fee, expectationDetails(trade));
  collectFee(world, trade);
}

const feeAccount = (world: World, trade: Trade): Account =>
  findOrOpenAccount(world, trade, trade.fee.currency);

/** Collects the fee, or retries on the next business day. */
export function collectFee(world: World, trade: Trade): void {
  const [account, fee] = [feeAccount(world, trade), trade.owedFee];
  if (availableBalance(world, account).lt(fee)) {
    const next = nextBusinessTime(world.now, [account.currency]);
    world.scheduledEvents.schedule(next, "fee-is-collected", trade);
    return;
  }
  moveMoney(world, account, fee.neg(), "fees", tradeMovement(trade, "debit", "Fee for trade"));
  recordExpectation(world, account, "RequiredFunds", fee.neg(), expectationDetails(trade));
  trade.owedFee = zero;
}

/** Ends a forward with its last drawdown, if the rest is settled or nothing is left. */
function closeIfFullyDrawn(world: World, parent: Trade): void {
  if (openDrawdowns(parent).length > 0) return;
  if (parent.settled || parent.ended) {
    returnMargin(world, parent);
    closeWhenPaidOut(parent);
  } else if (isFullyDrawn(parent)) completeSettlement(world, parent);
}

/** Cancels an unsettled trade: reverses its expectations and returns its funds. */
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

/** Returns the amounts of a cancelled drawdown to its forward if that is still open. */
function returnToForward(world: World, parent: Trade, { sell, buy }: Trade): void {
  if (parent.settled || parent.ended) return closeIfFullyDrawn(world, parent);
  recordTradeExpectation(world, parent, sell.amount, buy.amount);
  const wasDrawnUp = remainingAmount(parent, "sell").eq(sell.amount);
  if (wasDrawnUp && settlementOf(parent) <= world.now) settleAtMaturity(world, parent);
}
