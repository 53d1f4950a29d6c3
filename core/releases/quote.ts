/** Quotes, and whether one is inside an order: booked is nothing that is outside of it in any way. */
import { Big } from "big.js";
import type { Declaration, QuoteDeclaration, QuotedFields, QuoteField } from "../declaration/operation";
import { minorUnits } from "../schema/currency";
import type { OrderTerms } from "./terms";

/** What a quote says, each as text. */
export type Quote = QuotedFields;

/** An operation that prices trades. */
export interface QuoteOperation extends Declaration {
  readonly quotes: QuoteDeclaration;
}

/** The operation by which a service prices trades; undefined where it has none whose effect is trusted to be no more than that. */
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

/** What of an order the quotes of a service cannot answer, by field; nothing where they answer all of it. */
export function findUnsupportedFields(
  { quotes: { requestFields, responseFields } }: QuoteOperation,
  terms: Partial<OrderTerms>,
): readonly { readonly field: string; readonly message: string }[] {
  const missing = queriedFields.filter(
    (name) => terms[name] !== undefined && requestFields[name] === undefined,
  );
  const tellsFee = responseFields.fee_amount !== undefined && responseFields.fee_currency !== undefined;
  return [
    ...missing.map((field) => ({ field, message: "cannot be asked of the quotes of this service" })),
    ...(terms.highest_fee !== undefined && !tellsFee
      ? [
          {
            field: "highest_fee",
            message: "cannot be held: the quotes of this service do not tell their fee",
          },
        ]
      : []),
  ];
}

/** The input by which a quote is asked for. */
export function quoteInputFor(
  { quotes: { requestFields, fixedFields } }: QuoteOperation,
  terms: Partial<OrderTerms>,
) {
  const entries = queriedFields.flatMap((name) =>
    terms[name] === undefined || requestFields[name] === undefined
      ? []
      : [[requestFields[name], terms[name]] as const],
  );
  return { ...fixedFields, ...Object.fromEntries(entries) };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** The quote in a response; undefined where a part of it is missing. */
export function parseQuote({ quotes: { responseFields } }: QuoteOperation, body: unknown): Quote | undefined {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const read = Object.entries(responseFields).map(
    ([name, field]) => [name, textOf(fields[field as string])] as const,
  );
  return read.every(([, value]) => value !== undefined)
    ? (Object.fromEntries(read) as unknown as Quote)
    : undefined;
}

const isDecimal = (text: string): boolean => /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);
const decimals = ["rate", "buy_amount", "sell_amount"] as const;

/** Whether a rate of a pair is no worse than that of an order, whichever way round the pair is. */
export function isRateWithinLimit(terms: OrderTerms, rate: string, symbol: string): boolean {
  const { rate_symbol: pair, worst_rate: worst, buy_currency } = terms;
  const isLess = pair.startsWith(buy_currency);
  if (symbol === pair) return isLess ? new Big(rate).lte(worst) : new Big(rate).gte(worst);
  if (symbol !== pair.slice(3) + pair.slice(0, 3)) return false;
  const product = new Big(rate).times(worst);
  return isLess ? product.gte(1) : product.lte(1);
}

const [roundDown, roundUp] = [0, 3] as const;

/** The amount of the side that is not fixed at the worst rate, rounded as the service may round it. */
export function worstAmount(terms: OrderTerms): Big {
  const { fixed_side: fixed, amount, buy_currency: buy, sell_currency: sell } = terms;
  const [own, other] = fixed === "buy" ? [buy, sell] : [sell, buy];
  const value = new Big(amount);
  const worst = terms.rate_symbol.startsWith(own)
    ? value.times(terms.worst_rate)
    : value.div(terms.worst_rate);
  return worst.round(minorUnits(other), fixed === "buy" ? roundUp : roundDown);
}

/** Why the amounts of a quote are not those of an order; undefined where they are. */
function findAmountProblem(
  terms: OrderTerms,
  quote: Pick<Quote, "buy_amount" | "sell_amount">,
): string | undefined {
  const isBuy = terms.fixed_side === "buy";
  const [fixed, other] = isBuy
    ? [quote.buy_amount, quote.sell_amount]
    : [quote.sell_amount, quote.buy_amount];
  if (!new Big(fixed).eq(terms.amount))
    return `it ${isBuy ? "buys" : "sells"} ${fixed}, and the order says ${terms.amount}`;
  const worst = worstAmount(terms);
  const isInside = isBuy ? new Big(other).lte(worst) : new Big(other).gte(worst);
  return isInside
    ? undefined
    : `it ${isBuy ? "sells" : "buys"} ${other}, and ${isBuy ? "at most" : "at least"} ${worst.toFixed()} is inside the order`;
}

/** Why a value date is not one of an order; undefined where it is, or the order names none. */
export function findDateProblem(
  { value_date: first, latest_value_date: last = first }: OrderTerms,
  date: string,
): string | undefined {
  if (first === undefined || (date >= first && date <= last!)) return undefined;
  return `its value date is ${date}, and the order says ${first === last ? first : `${first} to ${last}`}`;
}

/** Why a fee is more than an order allows; undefined where it is not. */
export function findFeeProblem(
  { highest_fee: highest, fee_currency: currency }: OrderTerms,
  fee: string | undefined,
  feeCurrency: string | undefined,
): string | undefined {
  if (highest === undefined) return undefined;
  if (fee === undefined || feeCurrency !== currency || !isDecimal(fee))
    return `its fee is ${fee ?? "not told"} ${feeCurrency ?? ""}, and the order says at most ${highest} ${currency}`;
  return new Big(fee).lte(highest)
    ? undefined
    : `its fee is ${fee} ${feeCurrency}, and the order says at most ${highest} ${currency}`;
}

/** Why a quote is outside an order; undefined where it is inside in every way. */
export function findQuoteProblem(terms: OrderTerms, quote: Quote): string | undefined {
  if (quote.buy_currency !== terms.buy_currency || quote.sell_currency !== terms.sell_currency)
    return `it is for ${quote.buy_currency} against ${quote.sell_currency}`;
  if (!decimals.every((name) => isDecimal(quote[name]))) return "its amounts or its rate are no decimals";
  if (!isRateWithinLimit(terms, quote.rate, quote.rate_symbol))
    return `its rate is ${quote.rate} ${quote.rate_symbol}, worse than ${terms.worst_rate} ${terms.rate_symbol}`;
  return (
    findAmountProblem(terms, quote) ??
    findDateProblem(terms, quote.value_date) ??
    findFeeProblem(terms, quote.fee_amount, quote.fee_currency)
  );
}

/** A rate so far from one that was seen, against whoever orders: the worst that is allowed. */
export function worstRateFrom(
  seen: string,
  symbol: string,
  { buy_currency }: Pick<OrderTerms, "buy_currency">,
  percent: string,
): string {
  const share = new Big(percent).div(100);
  const factor = symbol.startsWith(buy_currency) ? share.plus(1) : new Big(1).minus(share);
  return new Big(seen)
    .times(factor)
    .round(10, symbol.startsWith(buy_currency) ? roundDown : roundUp)
    .toFixed();
}
