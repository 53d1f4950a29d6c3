/** What the bank offers: estimates and quotes. */
import { Big } from "big.js";
import { settlementSide } from "./cash-settlement";
import {
  daysFromSpot,
  isMarketOpen,
  nextBusinessDay,
  spotDateAt,
  tradingDay,
} from "../calendar/business-days";
import type { Money } from "../money/currencies";
import { addDays, dayMs, dayOf, laterDay } from "../calendar/days";
import { dayFor, systemOf } from "../calendar/systems";
import { converted, feeFor } from "../money/fx";
import type { TradeType } from "../enumerations";
import type { Quote } from "./quotes";
import { drawViolation, remaining, type Trade, type TradeTerms, windowOf } from "./trades";
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

/** The day asked for when it can be had, else the next that can. */
function valueDateFor(world: World, { type, buyCurrency, sellCurrency, valueDate }: Inquiry) {
  const spot = spotDateAt(world.now, buyCurrency, sellCurrency);
  if (type === "spot") {
    const isWanted = valueDate === undefined || valueDate === spot;
    return { maturityDate: spot, warning: isWanted ? undefined : settlesAtSpot(spot) };
  }
  if (valueDate === undefined || valueDate < spot) return { maturityDate: spot, warning: movedTo(spot) };
  const maturityDate = nextBusinessDay(valueDate, [buyCurrency, sellCurrency, "USD"]);
  return { maturityDate, warning: maturityDate === valueDate ? undefined : movedTo(maturityDate) };
}

const settlesAtSpot = (day: string) =>
  `The value date is ${day}, that of a spot trade; a later one is that of a forward.`;
const movedTo = (day: string) => `The value date is ${day}, the next that can be had.`;

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

/** From the day after the deal on, within the window. */
function drawdownDate(world: World, parent: Trade, asked: string | undefined) {
  const { buy, sell } = parent;
  const pair = [buy.currency, sell.currency];
  const dayAfter = addDays(tradingDay(world.now, pair), 1);
  const earliest = [dayAfter, windowOf(parent).from, asked ?? dayAfter].toSorted().at(-1)!;
  const maturityDate = instructionDay(world.now, earliest, pair);
  const isMoved = asked !== undefined && asked !== maturityDate;
  return { maturityDate, warning: isMoved ? movedTo(maturityDate) : undefined };
}

/** The next day on which a trade can settle whose settlement in both currencies is instructed at a time. */
function instructionDay(time: Date, from: string, pair: readonly string[]): string {
  const inTime = pair.map((currency) => dayFor(systemOf(currency), time, from)).reduce(laterDay);
  const day = nextBusinessDay(inTime, [...pair, "USD"]);
  return day === from ? day : instructionDay(time, day, pair);
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
