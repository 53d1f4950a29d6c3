/**
 * Prices, an extension: the contract books trades from quotes and shows no way to get one. Declared like an operation of
 * the contract, so that it is checked and answered like one.
 */
import { byConnection, json, operation } from "@fxdesk/toolkit/operations";
import { ClientId, Currency, day, DecimalText, ErrorMessage, id } from "@fxdesk/toolkit/schema";
import { Big } from "big.js";
import { z } from "zod";
import type { Behaviour, ValuesOf } from "../behaviour";
import { undrawable } from "../behaviours/trades";
import { Refusal } from "../refusal";
import { fits, largest, mostOf } from "../world/currencies";
import { opensAgain } from "../world/calendar";
import { addDays, dayOf } from "../world/days";
import { inverse, tradedCurrencies } from "../world/fx";
import { hold, isAvailable, offer, offerDrawdown, type Offer } from "../world/market";
import type { Client } from "../world/parties";
import type { World } from "../world/world";

const Estimate = z.object({
  estimated_rate: z.number(),
  estimated_rate_symbol: z.string(),
  inverse_rate: z.number(),
  inverse_rate_symbol: z.string(),
  fee_amount: z.number(),
  fee_currency: z.string(),
  value_date: z.string(),
  warning: z.string().optional(),
});

const Quote = z.object({
  quote_id: z.string(),
  quoted_rate: z.number(),
  quoted_rate_symbol: z.string(),
  inverse_rate: z.number(),
  inverse_rate_symbol: z.string(),
  buy_amount: z.number(),
  buy_currency: z.string(),
  sell_amount: z.number(),
  sell_currency: z.string(),
  value_date: z.string(),
  book_trade: z.string(),
  warning: z.string().optional(),
});

export const createQuote = operation({
  name: "quotes.create",
  tool: "create_quote",
  title: "Create quote",
  summary: "Prices a trade: an estimate, or a quote that can be booked for a short while.",
  effect: "change",
  method: "POST",
  path: "/quotes",
  server: "service",
  credentials: ["accessToken", "contactId?"],
  query: {
    client_id: byConnection(ClientId, "clientId"),
    quote_type: z.enum(["estimate", "quote"]).default("quote"),
  },
  body: z.object({
    amount: z.union([z.number().positive(), DecimalText]),
    operation: z.enum(["buy", "sell"]),
    buy_currency: Currency,
    sell_currency: Currency,
    trade_type: z.enum(["spot", "forward", "window_forward", "drawdown", "ndf"]).default("spot"),
    value_date: day(
      "Value date",
      "The day on which the trade is to settle; the last day of a window.",
    ).optional(),
    window_start_date: day(
      "Window start date",
      "Window forwards only: the first day of the window.",
    ).optional(),
    parent_trade_id: id("Parent trade ID", "Drawdowns only: the forward to draw from.").optional(),
  }),
  rules: [
    {
      kind: "needed-by",
      fields: ["parent_trade_id"],
      other: "trade_type",
      values: ["drawdown"],
      says: "A drawdown needs parent_trade_id.",
    },
    {
      kind: "ordered",
      fields: ["window_start_date", "value_date"],
      says: "window_start_date must not be after value_date.",
    },
  ],
  answers: { 200: json(Estimate, "An estimate."), 201: json(Quote, "A quote that can be booked.") },
  errors: {
    400: ["The request does not fit.", ErrorMessage],
    401: "Access denied due to authentication failure.",
    403: ["Action not completed due to data constraints.", ErrorMessage],
    404: "Client or parent trade ID not found.",
    409: ["A conflict that can be corrected; see the details.", ErrorMessage],
  },
  contract: "not shown",
});

export const getAvailability = operation({
  name: "quotes.getAvailability",
  tool: "get_fx_availability",
  title: "Get FX availability",
  summary: "Says whether quotes are to be had now.",
  effect: "read",
  method: "GET",
  path: "/quotes/fx-availability",
  server: "service",
  credentials: ["accessToken", "contactId?"],
  query: { client_id: byConnection(ClientId, "clientId") },
  answers: { 200: json(z.object({ fx_available: z.boolean() }), "Whether quotes are to be had.") },
  errors: {
    400: ["The request does not fit.", ErrorMessage],
    401: "Access denied due to authentication failure.",
    403: ["Action not completed due to data constraints.", ErrorMessage],
    404: "Client not found.",
  },
  contract: "not shown",
});

const invalid = (details: string) =>
  new Refusal(400, "validation_error", "The request does not fit.", details);

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
    if (!tradedCurrencies.includes(currency)) throw invalid(`${field} ${currency} is not traded`);
  if (buy_currency === sell_currency) throw invalid("buy_currency and sell_currency are the same");
  const fixedCurrency = fixed === "buy" ? buy_currency : sell_currency;
  const amount = new Big(asked);
  if (amount.lte(0)) throw invalid("amount must be more than zero");
  if (!fits(amount, fixedCurrency)) throw invalid(`amount has too many decimals for ${fixedCurrency}`);
  if (amount.gt(largest(fixedCurrency))) throw invalid(`amount must be at most ${mostOf(fixedCurrency)}`);
  return amount;
}

/** Nothing or too much is exchanged for some amounts, though they can be asked about. */
function assertExchanged({ buy, sell }: Offer["terms"]): void {
  for (const [side, { amount, currency }] of Object.entries({ buy, sell })) {
    if (amount.eq(0)) throw invalid("amount is too small to be exchanged");
    if (amount.gt(largest(currency))) throw invalid(`amount would ${side} more than ${mostOf(currency)}`);
  }
}

/** A window that opens after its last day leaves no day to draw for. */
function assertOpens({ windowFrom, maturityDate }: Offer["terms"]): void {
  if (windowFrom !== undefined && windowFrom > maturityDate)
    throw invalid(`window_start_date ${windowFrom} is after the value_date, ${maturityDate}`);
}

/** Ten years: so far ahead trades are made, at most. */
const furthestDays = 10 * 366;

function assertNear({ value_date: valueDate }: Asked, { now }: World): void {
  const furthest = addDays(dayOf(now), furthestDays);
  if (valueDate !== undefined && valueDate > furthest)
    throw invalid(`value_date must be at most ${furthest}`);
}

/** The forward a drawdown is to be drawn from, in the same currencies. */
function parentOf(
  { parent_trade_id: parentId = "", buy_currency, sell_currency }: Asked,
  client: Client,
  world: World,
) {
  const parent = world.trades.get(parentId);
  if (parent?.clientId !== client.clientId)
    throw new Refusal(404, "trade_not_found", "There is no such trade.", parentId);
  if (parent.buy.currency !== buy_currency || parent.sell.currency !== sell_currency)
    throw invalid(`trade ${parentId} sells ${parent.sell.currency} for ${parent.buy.currency}`);
  return parent;
}

function offered(values: Asked, client: Client, world: World): Offer {
  const { trade_type: type, value_date: valueDate, operation: fixed } = values;
  assertNear(values, world);
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
  new Refusal(
    409,
    "market_closed",
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
