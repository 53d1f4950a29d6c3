/** Estimates and quotes. */
import { Big } from "big.js";
import { settlementSide } from "./cash-settlement";
import { daysFromSpot, isMarketOpen } from "../money/market-days";
import type { Money } from "../money/currencies";
import { dayMs, dayOf } from "@fxdesk/toolkit/calendars";
import { convertAmount, feeFor } from "../money/fx";
import type { TradeType } from "../common/enumerations";
import {
  type Quote,
  drawdownViolation,
  remainingAmount,
  type Trade,
  type TradeTerms,
  windowOf,
} from "../model/trade";
import { drawdownDate, valueDateFor } from "./value-date";
import type { World } from "../model/world";

/** A requested amount; `fixed` is the side it refers to. */
interface RequestedAmount {
  readonly fixed: "buy" | "sell";
  readonly amount: Big;
  /** Requested value date. */
  readonly valueDate: string | undefined;
}

/** A price request. */
export interface PriceRequest extends RequestedAmount {
  readonly clientId: string;
  readonly type: Exclude<TradeType, "drawdown">;
  readonly buyCurrency: string;
  readonly sellCurrency: string;
  /** First day of the window; window forwards only. */
  readonly windowFrom?: string | undefined;
}

export interface Offer {
  readonly terms: Omit<TradeTerms, "reference">;
  /** Reason for a value date other than the requested one. */
  readonly warning: string | undefined;
}

/** Prices a request at today's rate for its value date. */
export function createOffer(world: World, request: PriceRequest): Offer {
  const { clientId, type, buyCurrency, sellCurrency, windowFrom, fixed, amount } = request;
  const { maturityDate, warning } = valueDateFor(world, request);
  const days = daysFromSpot(world.now, buyCurrency, sellCurrency, maturityDate);
  const rate = world.rates.customerRate(buyCurrency, sellCurrency, dayOf(world.now), days);
  const known: Money = { amount, currency: fixed === "buy" ? buyCurrency : sellCurrency };
  const other = convertAmount(known, rate);
  const [buy, sell] = fixed === "buy" ? [known, other] : [other, known];
  const fee = feeFor(type === "ndf" ? settlementSide({ buy, sell }) : sell);
  return { terms: { clientId, type, buy, sell, rate, fee, maturityDate, windowFrom }, warning };
}

/**
 * Prices a drawdown at the forward's rate, for a day in its window. Returns the reason if it is not possible.
 */
export function createDrawdownOffer(world: World, parent: Trade, requested: RequestedAmount): Offer | string {
  const { clientId, rate } = parent;
  const { buy, sell } = drawdownAmounts(parent, requested);
  const { maturityDate, warning } = drawdownDate(world, parent, requested.valueDate);
  const violation = drawdownViolation(parent, sell.amount, buy.amount);
  if (violation !== undefined) return violation;
  const { to } = windowOf(parent);
  if (maturityDate > to) return `The value date would be ${maturityDate}, but the window ends on ${to}.`;
  const fee = feeFor(sell);
  return { terms: { clientId, type: "drawdown", parent, buy, sell, rate, fee, maturityDate }, warning };
}

/** Drawing all that remains on one side draws all of the other, so that rounding leaves no residue. */
function drawdownAmounts(parent: Trade, { fixed, amount }: RequestedAmount): { buy: Money; sell: Money } {
  const { buy, sell } = parent;
  if (amount.eq(remainingAmount(parent, fixed)))
    return {
      buy: { amount: remainingAmount(parent, "buy"), currency: buy.currency },
      sell: { amount: remainingAmount(parent, "sell"), currency: sell.currency },
    };
  const known: Money = { amount, currency: parent[fixed].currency };
  const other = convertAmount(known, parent.rate);
  return fixed === "buy" ? { buy: known, sell: other } : { buy: other, sell: known };
}

/** True if quotes are available now. */
export const areQuotesAvailable = ({ settings, now }: World): boolean =>
  settings.marketHours === "always" || isMarketOpen(now);

/** Expired quotes are retained for a day, so that booking one reports that it has expired. */
const retentionMs = dayMs;

/** Creates a quote from an offer, valid for the configured time. */
export function holdQuote(world: World, { terms }: Offer): Quote {
  const quote: Quote = {
    quoteId: world.ids.hex(32),
    terms,
    expiresAt: world.timeAfter(world.settings.quoteSeconds * 1_000),
    used: false,
  };
  world.quotes.set(quote.quoteId, quote);
  const deleteAt = new Date(quote.expiresAt.getTime() + retentionMs);
  world.scheduledEvents.schedule(deleteAt, "quote-is-forgotten", quote.quoteId);
  return quote;
}
