/** Trades without delivery: only what they have gained or lost at the fixing is paid, in a currency that is delivered. */
import { accountIn } from "../accounts/accounts";
import { fixingDate } from "../calendar/business-days";
import { type Money, undelivered } from "../money/currencies";
import { dayOf, hourOf } from "../calendar/days";
import { converted, pairOf } from "../money/fx";
import { available, move, note } from "../ledger/movements";
import { about, expectation } from "./trade-entries";
import type { Trade } from "./trades";
import type { World } from "../world";

/** The hour (UTC) at which the market is read that decides. */
const fixingHour = 12;

type Sides = Pick<Trade, "buy" | "sell">;

/** The side in whose currency a trade without delivery settles: what is sold, unless only the other is delivered. */
export const settlementSide = ({ buy, sell }: Sides): Money =>
  undelivered.has(sell.currency) && !undelivered.has(buy.currency) ? buy : sell;

export function scheduleFixing(world: World, trade: Trade): void {
  const { orderDate, maturityDate, buy, sell } = trade;
  const day = fixingDate(orderDate, maturityDate, buy.currency, sell.currency);
  world.agenda.schedule(hourOf(day, fixingHour), "trade-is-fixed", trade);
}

/** From the fixing on, a gain is coming in, and a loss is required. */
export function fix(world: World, trade: Trade): void {
  if (trade.ended) return;
  trade.difference = differenceAtMarket(world, trade);
  noteDifference(world, trade, 1);
}

/** What a trade has gained at the market's rate, less than zero when it has lost. */
function differenceAtMarket({ rates, now }: World, trade: Trade): Money {
  const { buy, sell } = trade;
  const { base, quoted } = pairOf(buy.currency, sell.currency);
  const fixing = rates.mid(base, quoted, dayOf(now));
  const { currency } = settlementSide(trade);
  const [gets, gives] = [buy, sell].map((side) =>
    side.currency === currency ? side : converted(side, fixing),
  );
  return { amount: gets!.amount.minus(gives!.amount), currency };
}

/** Notes the difference, or with -1 takes that back. */
function noteDifference(world: World, trade: Trade, times: 1 | -1): void {
  const { currency, amount } = trade.difference!;
  if (amount.eq(0)) return;
  const bucket = amount.gt(0) ? "Incoming" : "RequiredFunds";
  note(world, accountIn(world, trade, currency), bucket, amount.abs().times(times), expectation(trade));
}

/** Takes back what is expected since the fixing. */
export function forgetDifference(world: World, trade: Trade): void {
  if (trade.difference) noteDifference(world, trade, -1);
}

/** Pays the difference; returns whether the funds were there. */
export function settleDifference(world: World, trade: Trade): boolean {
  const { amount, currency } = trade.difference!;
  const account = accountIn(world, trade, currency);
  if (available(world, account).plus(amount).lt(0)) return false;
  const information = about(trade, amount.gt(0) ? "credit" : "debit", "Cash settlement of trade");
  if (!amount.eq(0)) move(world, account, amount, "exchange", information);
  forgetDifference(world, trade);
  return true;
}
