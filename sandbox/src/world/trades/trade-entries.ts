/** What the entries of a trade are booked to, and what they say. */
import { accountIn } from "../accounts/accounts";
import type { Account } from "../accounts/account";
import { hourOf } from "../calendar/days";
import { written } from "../money/currencies";
import type { Exchange, Movement } from "../ledger/ledger";
import type { Trade, TradeTerms } from "./trades";
import type { World } from "../world";

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

const exchangeOf = ({ tradeId, rate, orderDate, sell, buy }: Trade): Exchange => ({
  contract: tradeId,
  symbol: rate.symbol,
  rate: rate.rate.toFixed(),
  quotedOn: orderDate,
  sold: { currency: sell.currency, amount: written(sell.amount, sell.currency) },
  bought: { currency: buy.currency, amount: written(buy.amount, buy.currency) },
});

export const about = (trade: Trade, type: Movement["type"], information: string): Movement => ({
  type,
  reference: trade.tradeId,
  information: `${information} ${trade.tradeId}`,
  additionalInformation: `${trade.rate.symbol} ${trade.rate.rate.toFixed()}`,
});

/** What the entries of a trade's two sides say. */
export const exchanged = (trade: Trade, type: Movement["type"], information: string): Movement => ({
  ...about(trade, type, information),
  exchange: exchangeOf(trade),
});
