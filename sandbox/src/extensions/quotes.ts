/** Prices, an extension: the contract books trades from quotes and shows no way to get one. */
import { Big } from "big.js";
import type { ValuesOf } from "@fxdesk/toolkit/operations";
import type { Behaviour } from "../behaviour";
import { DomainError, unfit } from "../world/domain-error";
import { fits, largest, mostOf, undelivered } from "../world/money/currencies";
import { opensAgain } from "../world/calendar/business-days";
import { addDays, dayOf } from "../world/calendar/days";
import { inverse, tradedCurrencies } from "../world/money/fx";
import { hold, isAvailable, offer, offerDrawdown, type Offer } from "../world/trades/pricing";
import { undrawable } from "../world/trades/trades";
import type { Client } from "../world/parties/parties";
import type { World } from "../world/world";
import type { createQuote } from "./declared";

const priced = ({ terms: { rate, maturityDate }, warning }: Offer) => {
  const turned = inverse(rate);
  return {
    inverse_rate: turned.rate.toNumber(),
    inverse_rate_symbol: turned.symbol,
    value_date: maturityDate,
    warning,
  };
};

type Asked = ValuesOf<typeof createQuote>;

/** The amount asked about, when it can be traded between the currencies. */
function amountOf({ buy_currency, sell_currency, operation: fixed, amount: asked }: Asked): Big {
  for (const [field, currency] of Object.entries({ buy_currency, sell_currency }))
    if (!tradedCurrencies.includes(currency)) throw unfit(`${field} ${currency} is not traded`);
  if (buy_currency === sell_currency) throw unfit("buy_currency and sell_currency are the same");
  const fixedCurrency = fixed === "buy" ? buy_currency : sell_currency;
  const amount = new Big(asked);
  if (amount.lte(0)) throw unfit("amount must be more than zero");
  if (!fits(amount, fixedCurrency)) throw unfit(`amount has too many decimals for ${fixedCurrency}`);
  if (amount.gt(largest(fixedCurrency))) throw unfit(`amount must be at most ${mostOf(fixedCurrency)}`);
  return amount;
}

/** What is not delivered is traded without delivery, and settles in the other currency. */
function assertDelivered({ trade_type: type, buy_currency, sell_currency }: Asked): void {
  const kept = [buy_currency, sell_currency].filter((currency) => undelivered.has(currency));
  if (kept.length > 0 && type !== "ndf") throw unfit(`trade_type must be ndf: ${kept[0]} is not delivered`);
  if (kept.length > 1) throw unfit(`buy_currency or sell_currency must be one that is delivered`);
}

/** Nothing or too much is exchanged for some amounts, though they can be asked about. */
function assertExchanged({ buy, sell }: Offer["terms"]): void {
  for (const [side, { amount, currency }] of Object.entries({ buy, sell })) {
    if (amount.eq(0)) throw unfit("amount is too small to be exchanged");
    if (amount.gt(largest(currency))) throw unfit(`amount would ${side} more than ${mostOf(currency)}`);
  }
}

/** A window that opens after its last day leaves no day to draw for. */
function assertOpens({ windowFrom, maturityDate }: Offer["terms"]): void {
  if (windowFrom !== undefined && windowFrom > maturityDate)
    throw unfit(`window_start_date ${windowFrom} is after the value_date, ${maturityDate}`);
}

/** Ten years: so far ahead trades are made, at most. */
const furthestDays = 10 * 366;

function assertNear({ value_date: valueDate }: Asked, { now }: World): void {
  const furthest = addDays(dayOf(now), furthestDays);
  if (valueDate !== undefined && valueDate > furthest) throw unfit(`value_date must be at most ${furthest}`);
}

/** The forward a drawdown is to be drawn from, in the same currencies. */
function parentOf(
  { parent_trade_id: parentId = "", buy_currency, sell_currency }: Asked,
  client: Client,
  world: World,
) {
  const parent = world.trades.get(parentId);
  if (parent?.clientId !== client.clientId)
    throw new DomainError("trade-not-found", "There is no such trade.", parentId);
  if (parent.buy.currency !== buy_currency || parent.sell.currency !== sell_currency)
    throw unfit(`trade ${parentId} sells ${parent.sell.currency} for ${parent.buy.currency}`);
  return parent;
}

function offered(values: Asked, client: Client, world: World): Offer {
  const { trade_type: type, value_date: valueDate, operation: fixed } = values;
  assertNear(values, world);
  assertDelivered(values);
  const wanted = { fixed, amount: amountOf(values), valueDate };
  if (type === "drawdown") {
    const drawdown = offerDrawdown(world, parentOf(values, client, world), wanted);
    if (typeof drawdown === "string") throw undrawable(drawdown);
    return drawdown;
  }
  const given = offer(world, {
    ...wanted,
    type,
    clientId: client.clientId,
    buyCurrency: values.buy_currency,
    sellCurrency: values.sell_currency,
    windowFrom: type === "window_forward" ? values.window_start_date : undefined,
  });
  assertOpens(given.terms);
  return given;
}

const estimateOf = (given: Offer) => ({
  estimated_rate: given.terms.rate.rate.toNumber(),
  estimated_rate_symbol: given.terms.rate.symbol,
  fee_amount: given.terms.fee.amount.toNumber(),
  fee_currency: given.terms.fee.currency,
  ...priced(given),
});

const quoteOf = (quoteId: string, given: Offer) => {
  const { clientId, buy, sell, rate } = given.terms;
  return {
    quote_id: quoteId,
    quoted_rate: rate.rate.toNumber(),
    quoted_rate_symbol: rate.symbol,
    buy_amount: buy.amount.toNumber(),
    buy_currency: buy.currency,
    sell_amount: sell.amount.toNumber(),
    sell_currency: sell.currency,
    book_trade: `/trades?client_id=${encodeURIComponent(clientId)}&quote_id=${quoteId}`,
    ...priced(given),
  };
};

export const availability: Behaviour = ({ world }) => ({
  status: 200,
  body: { fx_available: isAvailable(world) },
});

/** The caller can correct it by asking later: a conflict, not a failure of the service. */
const closed = ({ now }: World) =>
  new DomainError(
    "market-closed",
    "The market is closed; only estimates are given.",
    `It opens at ${opensAgain(now).toISOString()}.`,
  );

export const quote: Behaviour<Asked> = ({ values, client, world }) => {
  const given = offered(values, client, world);
  if (values.quote_type === "estimate") return { status: 200, body: estimateOf(given) };
  if (!isAvailable(world)) throw closed(world);
  assertExchanged(given.terms);
  return { status: 201, body: quoteOf(hold(world, given).quoteId, given) };
};
