/** What the bank offers: estimates and quotes. */
import { Big } from "big.js";
import { settlementSide } from "./cash-settlement";
import { daysFromSpot, isMarketOpen } from "../calendar/business-days";
import type { Money } from "../money/currencies";
import { dayMs, dayOf } from "../calendar/days";
import { converted, feeFor } from "../money/fx";
import type { TradeType } from "../enumerations";
import type { Quote } from "./quotes";
import { drawViolation, remaining, type Trade, type TradeTerms, windowOf } from "./trades";
import { drawdownDate, valueDateFor } from "./value-date";
import type { World } from "../world";

/** How much, and which side of the trade that is. */
interface Wanted {
  readonly fixed: "buy" | "sell";
  readonly amount: Big;
  /** The day asked for. */
  readonly valueDate: string | undefined;
}

/** What a company asks a price for; `fixed` is the side whose amount it knows. */
export interface Inquiry extends Wanted {
  readonly clientId: string;
  readonly type: Exclude<TradeType, "drawdown">;
  readonly buyCurrency: string;
  readonly sellCurrency: string;
  /** Window forwards only: the first day of the window. */
  readonly windowFrom?: string | undefined;
}

export interface Offer {
  readonly terms: Omit<TradeTerms, "reference">;
  /** Why the value date is another than the one asked for. */
  readonly warning: string | undefined;
}

/** Prices an inquiry at the rate of the day for its value date. */
export function offer(world: World, inquiry: Inquiry): Offer {
  const { clientId, type, buyCurrency, sellCurrency, windowFrom, fixed, amount } = inquiry;
  const { maturityDate, warning } = valueDateFor(world, inquiry);
  const days = daysFromSpot(world.now, buyCurrency, sellCurrency, maturityDate);
  const rate = world.rates.customer(buyCurrency, sellCurrency, dayOf(world.now), days);
  const known: Money = { amount, currency: fixed === "buy" ? buyCurrency : sellCurrency };
  const other = converted(known, rate);
  const [buy, sell] = fixed === "buy" ? [known, other] : [other, known];
  const fee = feeFor(type === "ndf" ? settlementSide({ buy, sell }) : sell);
  return { terms: { clientId, type, buy, sell, rate, fee, maturityDate, windowFrom }, warning };
}

/** Prices a part of a forward at the forward's rate, for a day within its window; or says why that cannot be. */
export function offerDrawdown(world: World, parent: Trade, wanted: Wanted): Offer | string {
  const { clientId, rate } = parent;
  const { buy, sell } = drawnFrom(parent, wanted);
  const { maturityDate, warning } = drawdownDate(world, parent, wanted.valueDate);
  const violation = drawViolation(parent, sell.amount, buy.amount);
  if (violation !== undefined) return violation;
  const { to } = windowOf(parent);
  if (maturityDate > to) return `The value date would be ${maturityDate}, and the window ends on ${to}.`;
  const fee = feeFor(sell);
  return { terms: { clientId, type: "drawdown", parent, buy, sell, rate, fee, maturityDate }, warning };
}

/** Who takes all that is left on one side takes it on the other, whatever rounding has left there. */
function drawnFrom(parent: Trade, { fixed, amount }: Wanted): { buy: Money; sell: Money } {
  const { buy, sell } = parent;
  if (amount.eq(remaining(parent, fixed)))
    return {
      buy: { amount: remaining(parent, "buy"), currency: buy.currency },
      sell: { amount: remaining(parent, "sell"), currency: sell.currency },
    };
  const known: Money = { amount, currency: parent[fixed].currency };
  const other = converted(known, parent.rate);
  return fixed === "buy" ? { buy: known, sell: other } : { buy: other, sell: known };
}

/** Whether quotes are to be had. */
export const isAvailable = ({ settings, now }: World): boolean =>
  settings.marketHours === "always" || isMarketOpen(now);

/** For a day after it has expired a quote is remembered, to say so. */
const rememberedMs = dayMs;

/** Holds an offer for as long as quotes live. */
export function hold(world: World, { terms }: Offer): Quote {
  const quote: Quote = {
    quoteId: world.ids.hex(32),
    terms,
    expiresAt: world.after(world.settings.quoteSeconds * 1_000),
    used: false,
  };
  world.quotes.set(quote.quoteId, quote);
  const forgotten = new Date(quote.expiresAt.getTime() + rememberedMs);
  world.agenda.schedule(forgotten, "quote-is-forgotten", quote.quoteId);
  return quote;
}
