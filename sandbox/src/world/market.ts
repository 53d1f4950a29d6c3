/** What the bank offers: estimates and quotes. */
import { Big } from "big.js";
import { nextBusinessDay, spotDate } from "./calendar";
import type { Money } from "./currencies";
import { dayOf } from "./days";
import { converted, feeFor } from "./fx";
import { quoteLifeMs, type Quote } from "./quotes";
import type { TradeTerms } from "./trades";
import type { World } from "./world";

/** What a company asks a price for; `fixed` is the side whose amount it knows. */
export interface Inquiry {
  readonly clientId: string;
  readonly type: "spot" | "forward";
  readonly buyCurrency: string;
  readonly sellCurrency: string;
  readonly fixed: "buy" | "sell";
  readonly amount: Big;
  /** The day asked for. */
  readonly valueDate: string | undefined;
}

export interface Offer {
  readonly terms: Omit<TradeTerms, "reference">;
  /** Why the value date is another than the one asked for. */
  readonly warning: string | undefined;
}

/** The day asked for when it can be had, else the next that can. */
function valueDateFor(world: World, { type, buyCurrency, sellCurrency, valueDate }: Inquiry) {
  const spot = spotDate(dayOf(world.now), buyCurrency, sellCurrency);
  if (type === "spot" || valueDate === undefined || valueDate < spot)
    return {
      maturityDate: spot,
      warning: valueDate === undefined || valueDate === spot ? undefined : movedTo(spot),
    };
  const maturityDate = nextBusinessDay(valueDate, [buyCurrency, sellCurrency, "USD"]);
  return { maturityDate, warning: maturityDate === valueDate ? undefined : movedTo(maturityDate) };
}

const movedTo = (day: string) => `The value date is ${day}, the next that can be had.`;

/** Prices an inquiry at the rate of the day. */
export function offer(world: World, inquiry: Inquiry): Offer {
  const { clientId, type, buyCurrency, sellCurrency, fixed, amount } = inquiry;
  const rate = world.rates.customer(buyCurrency, sellCurrency, dayOf(world.now));
  const known: Money = { amount, currency: fixed === "buy" ? buyCurrency : sellCurrency };
  const other = converted(known, rate);
  const { maturityDate, warning } = valueDateFor(world, inquiry);
  const [buy, sell] = fixed === "buy" ? [known, other] : [other, known];
  return { terms: { clientId, type, buy, sell, rate, fee: feeFor(sell), maturityDate }, warning };
}

/** Holds an offer for as long as quotes live. */
export function hold(world: World, { terms }: Offer): Quote {
  const quote: Quote = {
    quoteId: world.ids.hex(32),
    terms,
    expiresAt: new Date(world.now.getTime() + quoteLifeMs),
    used: false,
  };
  world.quotes.set(quote.quoteId, quote);
  return quote;
}
