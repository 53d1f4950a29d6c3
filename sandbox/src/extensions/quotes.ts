/**
 * Prices, an extension: the contract books trades from quotes and shows no way to get one. Declared like an operation of
 * the contract, so that it is checked and answered like one.
 */
import { byConnection, json, operation } from "@fxdesk/toolkit/operations";
import { ClientId, Currency, day, DecimalText, ErrorMessage } from "@fxdesk/toolkit/schema";
import { Big } from "big.js";
import { z } from "zod";
import type { Behaviour, ValuesOf } from "../behaviour";
import { Refusal } from "../refusal";
import { fits } from "../world/currencies";
import { inverse, tradedCurrencies } from "../world/fx";
import { hold, offer, type Offer } from "../world/market";

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
    trade_type: z.enum(["spot", "forward"]).default("spot"),
    value_date: day("Value date", "The day on which the trade is to settle.").optional(),
  }),
  answers: { 200: json(Estimate, "An estimate."), 201: json(Quote, "A quote that can be booked.") },
  errors: {
    400: ["The request does not fit.", ErrorMessage],
    401: "Access denied due to authentication failure.",
    403: ["Action not completed due to data constraints.", ErrorMessage],
    404: "Client ID not found.",
    409: ["A conflict that can be corrected; see the details.", ErrorMessage],
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

export const quote: Behaviour<ValuesOf<typeof createQuote>> = ({ values, client, world }) => {
  const { buy_currency: buyCurrency, sell_currency: sellCurrency, operation: fixed } = values;
  const amount = new Big(values.amount);
  for (const [field, currency] of Object.entries({ buy_currency: buyCurrency, sell_currency: sellCurrency }))
    if (!tradedCurrencies.includes(currency)) throw invalid(`${field} ${currency} is not traded`);
  if (buyCurrency === sellCurrency) throw invalid("buy_currency and sell_currency are the same");
  const fixedCurrency = fixed === "buy" ? buyCurrency : sellCurrency;
  if (amount.lte(0)) throw invalid("amount must be more than zero");
  if (!fits(amount, fixedCurrency)) throw invalid(`amount has too many decimals for ${fixedCurrency}`);
  const { clientId } = client;
  const { trade_type: type, value_date: valueDate } = values;
  const offered = offer(world, { clientId, type, buyCurrency, sellCurrency, fixed, amount, valueDate });
  const { buy, sell, rate, fee } = offered.terms;
  if (values.quote_type === "estimate")
    return {
      status: 200,
      body: {
        estimated_rate: rate.rate.toNumber(),
        estimated_rate_symbol: rate.symbol,
        fee_amount: fee.amount.toNumber(),
        fee_currency: fee.currency,
        ...priced(offered),
      },
    };
  if (buy.amount.eq(0) || sell.amount.eq(0)) throw invalid("amount is too small to be exchanged");
  const { quoteId } = hold(world, offered);
  return {
    status: 201,
    body: {
      quote_id: quoteId,
      quoted_rate: rate.rate.toNumber(),
      quoted_rate_symbol: rate.symbol,
      buy_amount: buy.amount.toNumber(),
      buy_currency: buyCurrency,
      sell_amount: sell.amount.toNumber(),
      sell_currency: sellCurrency,
      book_trade: `/trades?client_id=${encodeURIComponent(clientId)}&quote_id=${quoteId}`,
      ...priced(offered),
    },
  };
};
