/** Value dates, estimates and quotes. */
import { Big } from "big.js";
import { settlementSide } from "./cash-settlement";
import { daysFromSpot, isMarketOpen, spotDateAt, tradingDay } from "../money/market-days";
import type { Money } from "../money/currencies";
import {
  dayMs,
  dayOf,
  nextSettlementDay,
  addDays,
  laterDay,
  firstInstructableDay,
  paymentSystemOf,
} from "@fxdesk/toolkit/calendars";
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
import type { World } from "../model/world";

interface ValueDate {
  readonly maturityDate: string;
  /** Reason for a day other than the requested one. */
  readonly warning: string | undefined;
}

interface ValueDateRequest {
  readonly type: TradeType;
  readonly buyCurrency: string;
  readonly sellCurrency: string;
  readonly valueDate: string | undefined;
}

/** Returns the requested day if possible, else the next possible one. */
export function valueDateFor(
  { now }: Pick<World, "now">,
  { type, buyCurrency, sellCurrency, valueDate }: ValueDateRequest,
): ValueDate {
  const spot = spotDateAt(now, buyCurrency, sellCurrency);
  if (type === "spot") {
    const isRequestedDay = valueDate === undefined || valueDate === spot;
    return { maturityDate: spot, warning: isRequestedDay ? undefined : spotWarning(spot) };
  }
  if (valueDate === undefined || valueDate < spot) return { maturityDate: spot, warning: movedWarning(spot) };
  const maturityDate = nextSettlementDay(valueDate, [buyCurrency, sellCurrency]);
  return { maturityDate, warning: maturityDate === valueDate ? undefined : movedWarning(maturityDate) };
}

const spotWarning = (day: string) =>
  `The value date is ${day}, the spot date. Use a forward for a later date.`;
const movedWarning = (day: string) => `The value date is ${day}, the next possible one.`;

/** Returns the value date of a drawdown: after the deal date and within the window. */
export function drawdownDate(
  { now }: Pick<World, "now">,
  parent: Trade,
  requestedDate: string | undefined,
): ValueDate {
  const { buy, sell } = parent;
  const pair = [buy.currency, sell.currency];
  const dayAfter = addDays(tradingDay(now, pair), 1);
  const earliest = [dayAfter, windowOf(parent).from, requestedDate ?? dayAfter].toSorted().at(-1)!;
  const maturityDate = firstSettlementDay(now, earliest, pair);
  const isMoved = requestedDate !== undefined && requestedDate !== maturityDate;
  return { maturityDate, warning: isMoved ? movedWarning(maturityDate) : undefined };
}

/** Returns the first day from `from` on which both currencies can settle if instructed at `time`. */
function firstSettlementDay(time: Date, from: string, pair: readonly string[]): string {
  const inTime = pair
    .map((currency) => firstInstructableDay(paymentSystemOf(currency), time, from))
    .reduce(laterDay);
  const day = nextSettlementDay(inTime, pair);
  return day === from ? day : firstSettlementDay(time, day, pair);
}

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
