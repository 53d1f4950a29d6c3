/**
 * Settlement of non-delivered trades: only the gain or loss at the fixing is paid, in a deliverable currency.
 */
import { findOrOpenAccount, availableBalance, moveMoney, recordExpectation } from "../accounts/accounts";
import { fixingDate } from "../money/market-days";
import { type Money, nonDeliverableCurrencies } from "../money/currencies";
import { dayOf, timeAtHour } from "@fxdesk/toolkit/calendars";
import { convertAmount, pairOf } from "../money/fx";
import { tradeMovement, expectationDetails } from "./trade-entries";
import type { Trade } from "../model/trade";
import type { World } from "../model/world";

/** Hour of the fixing (UTC). */
const fixingHour = 12;

type TradeSides = Pick<Trade, "buy" | "sell">;

/**
 * Returns the side whose currency a non-delivered trade settles in: the one sold, unless only the other is deliverable.
 */
export const settlementSide = ({ buy, sell }: TradeSides): Money =>
  nonDeliverableCurrencies.has(sell.currency) && !nonDeliverableCurrencies.has(buy.currency) ? buy : sell;

export function scheduleFixing(world: World, trade: Trade): void {
  const { orderDate, maturityDate, buy, sell } = trade;
  const day = fixingDate(orderDate, maturityDate, buy.currency, sell.currency);
  world.scheduledEvents.schedule(timeAtHour(day, fixingHour), "trade-is-fixed", trade);
}

/** Fixes the difference and records it: a gain as incoming, a loss as required. */
export function fixDifference(world: World, trade: Trade): void {
  if (trade.ended) return;
  trade.difference = differenceAtMarket(world, trade);
  recordDifference(world, trade, 1);
}

/** Returns the gain of a trade at the market rate; negative for a loss. */
function differenceAtMarket({ rates, now }: World, trade: Trade): Money {
  const { buy, sell } = trade;
  const { base, quoted } = pairOf(buy.currency, sell.currency);
  const fixing = rates.midRate(base, quoted, dayOf(now));
  const { currency } = settlementSide(trade);
  const [received, paid] = [buy, sell].map((side) =>
    side.currency === currency ? side : convertAmount(side, fixing),
  );
  return { amount: received!.amount.minus(paid!.amount), currency };
}

/** Records the expected difference; -1 reverses the record. */
function recordDifference(world: World, trade: Trade, sign: 1 | -1): void {
  const { currency, amount } = trade.difference!;
  if (amount.eq(0)) return;
  const bucket = amount.gt(0) ? "Incoming" : "RequiredFunds";
  recordExpectation(
    world,
    findOrOpenAccount(world, trade, currency),
    bucket,
    amount.abs().times(sign),
    expectationDetails(trade),
  );
}

/** Reverses the expectation recorded at the fixing. */
export function reverseDifference(world: World, trade: Trade): void {
  if (trade.difference) recordDifference(world, trade, -1);
}

/** Pays the difference. Returns false if the balance does not suffice. */
export function settleDifference(world: World, trade: Trade): boolean {
  const { amount, currency } = trade.difference!;
  const account = findOrOpenAccount(world, trade, currency);
  if (availableBalance(world, account).plus(amount).lt(0)) return false;
  const information = tradeMovement(trade, amount.gt(0) ? "credit" : "debit", "Cash settlement of trade");
  if (!amount.eq(0)) moveMoney(world, account, amount, "exchange", information);
  reverseDifference(world, trade);
  return true;
}
