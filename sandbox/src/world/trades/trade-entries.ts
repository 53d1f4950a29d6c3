/** Accounts and texts of the ledger entries of trades. */
import { findOrOpenAccount } from "../accounts/accounts";
import type { Account } from "../model/account";
import { timeAtHour } from "@fxdesk/toolkit/calendars";
import { formatDecimalAmount } from "../money/currencies";
import type { Exchange, Movement } from "../ledger/ledger";
import type { Trade, TradeTerms } from "../model/trade";
import type { World } from "../model/world";

/** Settlement hour (UTC). */
export const settlementHour = 15;

export const settlementOf = ({ maturityDate }: Pick<TradeTerms, "maturityDate">): Date =>
  timeAtHour(maturityDate, settlementHour);

export const sellAccount = (world: World, trade: TradeTerms): Account =>
  findOrOpenAccount(world, trade, trade.sell.currency);

export const buyAccount = (world: World, trade: TradeTerms): Account =>
  findOrOpenAccount(world, trade, trade.buy.currency);

/** Reference and value time of expectations recorded until settlement. */
export const expectationDetails = (trade: Trade) => ({
  reference: trade.tradeId,
  valueAt: settlementOf(trade),
});

const toExchange = ({ tradeId, rate, orderDate, sell, buy }: Trade): Exchange => ({
  contract: tradeId,
  symbol: rate.symbol,
  rate: rate.rate.toFixed(),
  quotedOn: orderDate,
  sold: { currency: sell.currency, amount: formatDecimalAmount(sell.amount, sell.currency) },
  bought: { currency: buy.currency, amount: formatDecimalAmount(buy.amount, buy.currency) },
});

export const tradeMovement = (trade: Trade, type: Movement["type"], information: string): Movement => ({
  type,
  reference: trade.tradeId,
  information: `${information} ${trade.tradeId}`,
  additionalInformation: `${trade.rate.symbol} ${trade.rate.rate.toFixed()}`,
});

/** Returns the entry details of an exchange of currencies. */
export const exchangeMovement = (trade: Trade, type: Movement["type"], information: string): Movement => ({
  ...tradeMovement(trade, type, information),
  exchange: toExchange(trade),
});
