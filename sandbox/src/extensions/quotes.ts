/** Extension that creates quotes. The contract books trades from quotes, but has no operation to create one. */
import { Big } from "big.js";
import type { ValuesOf } from "@fxdesk/toolkit/operations";
import type { Behaviour } from "../calls/behaviour";
import { DomainError, toValidationError } from "../world/common/domain-error";
import {
  fitsMinorUnits,
  maxAmount,
  maxAmountText,
  nonDeliverableCurrencies,
} from "../world/money/currencies";
import { nextMarketOpening } from "../world/money/market-days";
import { addDays, dayOf } from "@fxdesk/toolkit/calendars";
import { invertRate, tradedCurrencies } from "../world/money/fx";
import {
  holdQuote,
  areQuotesAvailable,
  createOffer,
  createDrawdownOffer,
  type Offer,
} from "../world/trades/pricing";
import { toDrawdownError } from "../world/model/trade";
import type { Client } from "../world/parties/parties";
import type { World } from "../world/model/world";
import type { createQuote } from "./extension-operations";

const priceFields = ({ terms: { rate, maturityDate }, warning }: Offer) => {
  const inverseRate = invertRate(rate);
  return {
    inverse_rate: inverseRate.rate.toNumber(),
    inverse_rate_symbol: inverseRate.symbol,
    value_date: maturityDate,
    warning,
  };
};

type QuoteRequest = ValuesOf<typeof createQuote>;

/** Returns the requested amount. Throws if it cannot be traded in these currencies. */
function requestedAmount({
  buy_currency,
  sell_currency,
  operation: fixed,
  amount: amountText,
}: QuoteRequest): Big {
  for (const [field, currency] of Object.entries({ buy_currency, sell_currency }))
    if (!tradedCurrencies.includes(currency)) throw toValidationError(`${field} ${currency} is not traded`);
  if (buy_currency === sell_currency) throw toValidationError("buy_currency and sell_currency must differ");
  const fixedCurrency = fixed === "buy" ? buy_currency : sell_currency;
  const amount = new Big(amountText);
  if (amount.lte(0)) throw toValidationError("amount must be more than zero");
  if (!fitsMinorUnits(amount, fixedCurrency))
    throw toValidationError(`amount has too many decimals for ${fixedCurrency}`);
  if (amount.gt(maxAmount(fixedCurrency)))
    throw toValidationError(`amount must be at most ${maxAmountText(fixedCurrency)}`);
  return amount;
}

/** Throws unless non-deliverable currencies are traded as an NDF, which settles in the other currency. */
function assertDeliverable({ trade_type: type, buy_currency, sell_currency }: QuoteRequest): void {
  const nonDeliverable = [buy_currency, sell_currency].filter((currency) =>
    nonDeliverableCurrencies.has(currency),
  );
  if (nonDeliverable.length > 0 && type !== "ndf")
    throw toValidationError(`trade_type must be ndf: ${nonDeliverable[0]} is not deliverable`);
  if (nonDeliverable.length > 1) throw toValidationError(`buy_currency or sell_currency must be deliverable`);
}

/** Throws if an amount is zero or too large after conversion. Estimates allow such amounts. */
function assertExchangeable({ buy, sell }: Offer["terms"]): void {
  for (const [side, { amount, currency }] of Object.entries({ buy, sell })) {
    if (amount.eq(0)) throw toValidationError("amount is too small to exchange");
    if (amount.gt(maxAmount(currency)))
      throw toValidationError(`amount would ${side} more than ${maxAmountText(currency)}`);
  }
}

/** Throws if the window starts after its last day. */
function assertWindowOpens({ windowFrom, maturityDate }: Offer["terms"]): void {
  if (windowFrom !== undefined && windowFrom > maturityDate)
    throw toValidationError(`window_start_date ${windowFrom} is after the value_date, ${maturityDate}`);
}

/** Ten years: latest value date of a trade. */
const maxDaysAhead = 10 * 366;

function assertWithinHorizon({ value_date: valueDate }: QuoteRequest, { now }: World): void {
  const latest = addDays(dayOf(now), maxDaysAhead);
  if (valueDate !== undefined && valueDate > latest)
    throw toValidationError(`value_date must be at most ${latest}`);
}

/** Returns the parent forward of a drawdown. Throws if it is unknown or in other currencies. */
function findParent(
  { parent_trade_id: parentId = "", buy_currency, sell_currency }: QuoteRequest,
  client: Client,
  world: World,
) {
  const parent = world.trades.get(parentId);
  if (parent?.clientId !== client.clientId)
    throw new DomainError("trade-not-found", "The trade is unknown.", parentId);
  if (parent.buy.currency !== buy_currency || parent.sell.currency !== sell_currency)
    throw toValidationError(`trade ${parentId} sells ${parent.sell.currency} for ${parent.buy.currency}`);
  return parent;
}

function offerFor(values: QuoteRequest, client: Client, world: World): Offer {
  const { trade_type: type, value_date: valueDate, operation: fixed } = values;
  assertWithinHorizon(values, world);
  assertDeliverable(values);
  const requested = { fixed, amount: requestedAmount(values), valueDate };
  if (type === "drawdown") {
    const drawdown = createDrawdownOffer(world, findParent(values, client, world), requested);
    if (typeof drawdown === "string") throw toDrawdownError(drawdown);
    return drawdown;
  }
  const offer = createOffer(world, {
    ...requested,
    type,
    clientId: client.clientId,
    buyCurrency: values.buy_currency,
    sellCurrency: values.sell_currency,
    windowFrom: type === "window_forward" ? values.window_start_date : undefined,
  });
  assertWindowOpens(offer.terms);
  return offer;
}

const toEstimate = (offer: Offer) => ({
  estimated_rate: offer.terms.rate.rate.toNumber(),
  estimated_rate_symbol: offer.terms.rate.symbol,
  fee_amount: offer.terms.fee.amount.toNumber(),
  fee_currency: offer.terms.fee.currency,
  ...priceFields(offer),
});

const toQuote = (quoteId: string, offer: Offer) => {
  const { clientId, buy, sell, rate } = offer.terms;
  return {
    quote_id: quoteId,
    quoted_rate: rate.rate.toNumber(),
    quoted_rate_symbol: rate.symbol,
    buy_amount: buy.amount.toNumber(),
    buy_currency: buy.currency,
    sell_amount: sell.amount.toNumber(),
    sell_currency: sell.currency,
    book_trade: `/trades?client_id=${encodeURIComponent(clientId)}&quote_id=${quoteId}`,
    ...priceFields(offer),
  };
};

export const sendAvailability: Behaviour = ({ world }) => ({
  status: 200,
  body: { fx_available: areQuotesAvailable(world) },
});

/** A conflict, not a service failure: the request succeeds once the market opens. */
const marketClosedError = ({ now }: World) =>
  new DomainError(
    "market-closed",
    "The market is closed. Only estimates are available.",
    `It opens at ${nextMarketOpening(now).toISOString()}.`,
  );

export const sendQuote: Behaviour<QuoteRequest> = ({ values, client, world }) => {
  const offer = offerFor(values, client, world);
  if (values.quote_type === "estimate") return { status: 200, body: toEstimate(offer) };
  if (!areQuotesAvailable(world)) throw marketClosedError(world);
  assertExchangeable(offer.terms);
  return { status: 201, body: toQuote(holdQuote(world, offer).quoteId, offer) };
};
