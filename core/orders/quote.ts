/** Quotes, and the checks that a quote is within an order. A quote outside the terms in any way is never booked. */
import { Big } from "big.js";
import type { Declaration, QuoteField } from "../spec/operation";
import { isDecimal, type Quote, type QuoteOperation } from "../spec/quotes";
import { minorUnits } from "../values/values";
import { variableAmountAtWorstRate } from "../releases/committed-money";
import { fixedSideFirst, type OrderTerms } from "../releases/terms";
import type { Violation } from "../spec/errors";

/** Returns the service's quote operation. An operation with the effect `money` is never used for quotes. */
export const findQuoteOperation = (operations: readonly Declaration[]): QuoteOperation | undefined =>
  operations.find((each): each is QuoteOperation => each.quotes !== undefined && each.effect !== "money");

const queriedFields: readonly QuoteField[] = [
  "amount",
  "fixed_side",
  "buy_currency",
  "sell_currency",
  "trade_type",
  "value_date",
  "window_start_date",
  "parent_trade_id",
];

/** Returns a violation for each term that the service's quotes cannot express or report. */
export function findUnsupportedFields(
  { quotes: { requestFields, responseFields } }: QuoteOperation,
  terms: Partial<OrderTerms>,
): readonly Violation[] {
  const found: Violation[] = queriedFields
    .filter((name) => terms[name] !== undefined && requestFields[name] === undefined)
    .map((field) => ({ field, message: "is not supported by the quotes of this service" }));
  const includesFee = responseFields.fee_amount !== undefined && responseFields.fee_currency !== undefined;
  if (terms.highest_fee !== undefined && !includesFee)
    found.push({
      field: "highest_fee",
      message: "cannot be checked: the quotes of this service do not include the fee",
    });
  return found;
}

/** Returns the input of the quote operation for an order. */
export function quoteInputFor(
  { quotes: { requestFields, fixedFields: ofQuotes } }: QuoteOperation,
  terms: Partial<OrderTerms>,
  fixedFields = ofQuotes,
) {
  const entries = queriedFields.flatMap((name) =>
    terms[name] === undefined || requestFields[name] === undefined
      ? []
      : [[requestFields[name], terms[name]] as const],
  );
  return { ...fixedFields, ...Object.fromEntries(entries) };
}

const decimals = ["rate", "buy_amount", "sell_amount"] as const;

/** Returns a pair the other way round: USDEUR for EURUSD. */
export const invertPair = (pair: string): string => pair.slice(3) + pair.slice(0, 3);

/** True if a rate is no worse than the worst rate of an order. Accepts the inverse pair. */
export function isRateWithinLimit(terms: OrderTerms, rate: string, symbol: string): boolean {
  const { rate_symbol: pair, worst_rate: worst, buy_currency } = terms;
  const isLess = pair.startsWith(buy_currency);
  if (symbol === pair) return isLess ? new Big(rate).lte(worst) : new Big(rate).gte(worst);
  if (symbol !== invertPair(pair)) return false;
  const product = new Big(rate).times(worst);
  return isLess ? product.gte(1) : product.lte(1);
}

const [roundDown, roundUp] = [0, 3] as const;

/** Returns the variable amount at the worst rate, rounded as the service may round it. */
export function worstAmount(terms: OrderTerms): Big {
  const [, currency] = fixedSideFirst(terms, terms.buy_currency, terms.sell_currency);
  const rounding = terms.fixed_side === "buy" ? roundUp : roundDown;
  return variableAmountAtWorstRate(terms).round(minorUnits(currency), rounding);
}

/** Returns why the amounts of a quote are outside an order, or undefined. */
function findAmountProblem(
  terms: OrderTerms,
  quote: Pick<Quote, "buy_amount" | "sell_amount">,
): string | undefined {
  const isBuy = terms.fixed_side === "buy";
  const [fixed, other] = fixedSideFirst(terms, quote.buy_amount, quote.sell_amount);
  if (!new Big(fixed).eq(terms.amount))
    return `it ${isBuy ? "buys" : "sells"} ${fixed} instead of ${terms.amount}`;
  const worst = worstAmount(terms);
  const isInside = isBuy ? new Big(other).lte(worst) : new Big(other).gte(worst);
  return isInside
    ? undefined
    : `it ${isBuy ? "sells" : "buys"} ${other}; the order allows ${isBuy ? "at most" : "at least"} ${worst.toFixed()}`;
}

/** Returns why a value date is outside an order, or undefined. Any date fits if the order has none. */
export function findDateProblem(
  { value_date: first, latest_value_date: last = first }: OrderTerms,
  date: string,
): string | undefined {
  if (first === undefined || (date >= first && date <= last!)) return undefined;
  return `its value date is ${date} instead of ${first === last ? first : `${first} to ${last}`}`;
}

/** Returns why a fee exceeds an order, or undefined. A fee that is missing or in another currency exceeds it. */
export function findFeeProblem(
  { highest_fee: highest, fee_currency: currency }: OrderTerms,
  fee: string | undefined,
  feeCurrency: string | undefined,
): string | undefined {
  if (highest === undefined) return undefined;
  const isWithin =
    fee !== undefined && feeCurrency === currency && isDecimal(fee) && new Big(fee).lte(highest);
  return isWithin
    ? undefined
    : `its fee is ${fee ?? "unknown"} ${feeCurrency ?? ""}; the order allows at most ${highest} ${currency}`;
}

/** Returns why a quote is outside an order, or undefined if it may be booked. */
export function findQuoteProblem(terms: OrderTerms, quote: Quote): string | undefined {
  if (quote.buy_currency !== terms.buy_currency || quote.sell_currency !== terms.sell_currency)
    return `it is for ${quote.buy_currency} against ${quote.sell_currency}`;
  if (!decimals.every((name) => isDecimal(quote[name]))) return "its amounts or its rate are not decimals";
  if (!isRateWithinLimit(terms, quote.rate, quote.rate_symbol))
    return `its rate is ${quote.rate} ${quote.rate_symbol}, worse than ${terms.worst_rate} ${terms.rate_symbol}`;
  return (
    findAmountProblem(terms, quote) ??
    findDateProblem(terms, quote.value_date) ??
    findFeeProblem(terms, quote.fee_amount, quote.fee_currency)
  );
}

/** Returns the rate that is worse than `seen` by the given percentage, rounded in favour of the requester. */
export function worstRateFrom(
  seen: string,
  symbol: string,
  { buy_currency }: Pick<OrderTerms, "buy_currency">,
  percent: string,
): string {
  const share = new Big(percent).div(100);
  const [factor, rounding] = symbol.startsWith(buy_currency)
    ? [share.plus(1), roundDown]
    : [new Big(1).minus(share), roundUp];
  return new Big(seen).times(factor).round(10, rounding).toFixed();
}
