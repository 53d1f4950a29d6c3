/** What the entries of a trade are booked to, and what they say. */
import { type Account, accountIn } from "./accounts";
import { hourOf } from "./days";
import type { Movement } from "./movements";
import type { Trade, TradeTerms } from "./trades";
import type { World } from "./world";

/** The hour (UTC) at which a day's trades settle. */
export const settlementHour = 15;

export const settlementOf = ({ maturityDate }: Pick<TradeTerms, "maturityDate">): Date =>
  hourOf(maturityDate, settlementHour);

export const sellAccount = (world: World, trade: TradeTerms): Account =>
  accountIn(world, trade, trade.sell.currency);

export const buyAccount = (world: World, trade: TradeTerms): Account =>
  accountIn(world, trade, trade.buy.currency);

/** What is noted of a trade until it settles. */
export const expectation = (trade: Trade) => ({ reference: trade.tradeId, valueAt: settlementOf(trade) });

export const about = (trade: Trade, type: Movement["type"], information: string): Movement => ({
  type,
  reference: trade.tradeId,
  information: `${information} ${trade.tradeId}`,
  additionalInformation: `${trade.rate.symbol} ${trade.rate.rate.toFixed()}`,
});
