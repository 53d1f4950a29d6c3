/** Value dates of trades. */
import {
  nextBusinessDay,
  addDays,
  laterDay,
  firstInstructableDay,
  paymentSystemOf,
} from "@fxdesk/toolkit/calendars";
import { spotDateAt, tradingDay } from "../money/market-days";
import type { TradeType } from "../common/enumerations";
import type { World } from "../model/world";
import { type Trade, windowOf } from "../model/trade";

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
  const maturityDate = nextBusinessDay(valueDate, [buyCurrency, sellCurrency, "USD"]);
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
  const day = nextBusinessDay(inTime, [...pair, "USD"]);
  return day === from ? day : firstSettlementDay(time, day, pair);
}
