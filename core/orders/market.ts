/** Market rates: estimates of the service, and their distance from the limit of an order. */
import { Big } from "big.js";
import type { CallOptions } from "../call/call-options";
import type { OrderTerms } from "../releases/terms";
import { createError, FxdeskError } from "../spec/errors";
import { parseEstimate, type QuoteOperation } from "../spec/quotes";
import type { OrderCall } from "./leased-release";
import { orderName } from "./order-input";
import { invertPair, isRateWithinLimit, quoteInputFor } from "./quote";

/** Longest wait for an estimate: an order is also taken, and amounts are also returned, without one. */
const maxWaitMs = 10_000;
/** Percentage from which a limit is said to be far from the market. */
const farPercent = 5;
/** Statuses with which the service refuses the trade itself, and not the moment or the caller. */
const refusals = new Set([400, 404, 409, 422]);

/** The market rate for the pair of an order's limit, and warnings for those who decide. */
export interface MarketView {
  readonly rate_seen?: string;
  readonly warnings?: readonly string[];
}

/** Returns a rate for the pair `symbol`, or undefined if it is for other currencies. */
function rateFor(symbol: string, rate: string, ofSymbol: string): string | undefined {
  if (symbol === ofSymbol) return rate;
  return symbol === invertPair(ofSymbol) ? new Big(1).div(rate).prec(8).toFixed() : undefined;
}

/** Returns a warning if the worst rate is far from the rate seen. */
function distanceWarning(terms: OrderTerms, seen: string): string | undefined {
  const { worst_rate: worst, rate_symbol: symbol } = terms;
  const percent = new Big(worst).div(seen).minus(1).times(100).abs();
  if (percent.lt(farPercent)) return undefined;
  const distance = `The limit ${worst} ${symbol} is ${percent.toFixed(1)} %`;
  return isRateWithinLimit(terms, seen, symbol)
    ? `${distance} worse than the market rate of ${seen}.`
    : `${distance} better than the market rate of ${seen}: the order may never be booked.`;
}

interface EstimateRequest {
  readonly call: OrderCall;
  readonly options: CallOptions;
}

/**
 * Requests an estimate and returns its rate for the pair `symbol`, or undefined if the service gives no estimates or none for the
 * pair. Throws an FxdeskError.
 */
export async function fetchEstimate(
  operation: QuoteOperation,
  terms: Partial<OrderTerms>,
  symbol: string,
  { call, options }: EstimateRequest,
): Promise<string | undefined> {
  const { estimate } = operation.quotes;
  if (!estimate) return undefined;
  // A key belongs to the caller's own call.
  const { key: _, timeoutMs = maxWaitMs, queueTimeoutMs = maxWaitMs, ...others } = options;
  const bounded = {
    ...others,
    timeoutMs: Math.min(timeoutMs, maxWaitMs),
    queueTimeoutMs: Math.min(queueTimeoutMs, maxWaitMs),
  };
  const { body } = await call(operation, quoteInputFor(operation, terms, estimate.fixedFields), bounded, {});
  const seen = parseEstimate(operation, body);
  return seen && rateFor(symbol, seen.rate, seen.rate_symbol);
}

/**
 * Requests an estimate for an order with a worst rate. Returns nothing if the service gives no estimates. Throws an FxdeskError
 * if the service refuses such a trade, for example a drawdown of more than is left of its forward.
 */
export async function viewMarket(
  terms: OrderTerms,
  operation: QuoteOperation,
  request: EstimateRequest,
): Promise<MarketView> {
  if (!operation.quotes.estimate || terms.rate_seen !== undefined) return {};
  try {
    const rate_seen = await fetchEstimate(operation, terms, terms.rate_symbol, request);
    if (rate_seen === undefined) return { warnings: ["The service's estimate has no rate for this pair."] };
    const warning = distanceWarning(terms, rate_seen);
    return { rate_seen, ...(warning !== undefined && { warnings: [warning] }) };
  } catch (error) {
    if (!(error instanceof FxdeskError) || error.code === "aborted") throw error;
    if (error.status === undefined || !refusals.has(error.status))
      return { warnings: [`No market rate was seen when the order was requested: ${error.message}`] };
    const { code, status, service, requestId } = error;
    throw createError(orderName, code, "not-sent", `${orderName}: Not requested. ${error.message}`, {
      status,
      service,
      requestId,
    });
  }
}
