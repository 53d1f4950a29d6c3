/** The input of `trades.order`: its validation, and the terms that follow from it. */
import { Big } from "big.js";
import { nextSettlementDay } from "../calendars/business-days";
import type { CallOptions } from "../call/call-options";
import { releaseRefusedError } from "../releases/release-guard";
import { fixedSideFirst, type OrderInput, type OrderTerms } from "../releases/terms";
import type { Violation } from "../spec/errors";
import { amountProblem, isAmbiguousAmount } from "../values/amount-text";
import { minorUnits } from "../values/values";
import { parseQuote, type QuoteOperation } from "../spec/quotes";
import type { OrderCall } from "./leased-release";
import { findUnsupportedFields, quoteInputFor, worstRateFrom } from "./quote";
import { expiryOf } from "./valid-until";

/** Procedure that requests an order. */
export const orderName = "trades.order";

/** Upper bound for how long a release decision stays valid. */
const maxValidityMs = 92 * 86_400_000;

/** Returns violations that involve more than one field, and fields that the quotes of the service do not support. */
export function validateOrder(input: OrderInput, quoteOperation: QuoteOperation): Violation[] {
  const { buy_currency, sell_currency, amount, worst_rate, rate_symbol, valid_until } = input;
  const found: Violation[] = [];
  const addViolation = (field: string, message: string) => void found.push({ field, message });
  if (buy_currency === sell_currency) addViolation("sell_currency", "must differ from buy_currency");
  const decimals = amount.split(".")[1]?.length ?? 0;
  const [currency] = fixedSideFirst(input, buy_currency, sell_currency);
  if (!new Big(amount).gt(0)) addViolation("amount", "must be greater than zero");
  if (decimals > minorUnits(currency))
    addViolation("amount", amountProblem(amount) ?? `has too many decimals for ${currency}`);
  const { highest_fee: fee, fee_currency: feeCurrency } = input;
  if (
    fee !== undefined &&
    feeCurrency !== undefined &&
    minorUnits(feeCurrency) !== 3 &&
    isAmbiguousAmount(fee)
  )
    addViolation("highest_fee", amountProblem(fee)!);
  if (fee?.startsWith("-")) addViolation("highest_fee", "must not be negative");
  const pairs = `${buy_currency}${sell_currency} or ${sell_currency}${buy_currency}`;
  if (worst_rate !== undefined && rate_symbol === undefined)
    addViolation("rate_symbol", `is required with worst_rate: ${pairs}`);
  if (rate_symbol !== undefined && !isPairOf(input, rate_symbol))
    addViolation("rate_symbol", `must be ${pairs}`);
  if (input.largest_distance !== undefined && new Big(input.largest_distance).gte(100))
    addViolation("largest_distance", "must be less than 100");
  if ((input.highest_fee === undefined) !== (input.fee_currency === undefined))
    addViolation(
      input.highest_fee === undefined ? "highest_fee" : "fee_currency",
      "is required: highest_fee and fee_currency must be given together",
    );
  if (input.latest_value_date !== undefined && (input.value_date ?? "9") > input.latest_value_date)
    addViolation("latest_value_date", "requires value_date and must not be before it");
  findClosedDay(input, addViolation);
  const aheadMs = expiryOf(valid_until) - Date.now();
  if (!(aheadMs > 0)) addViolation("valid_until", "must be in the future");
  if (aheadMs > maxValidityMs) addViolation("valid_until", "must be within 92 days");
  const { trade_type: type } = input;
  if (type !== "spot" && type !== "drawdown" && input.value_date === undefined)
    addViolation("value_date", `is required for a ${type}`);
  if ((type === "drawdown") !== (input.parent_trade_id !== undefined))
    addViolation(
      "parent_trade_id",
      type === "drawdown" ? "is required for a drawdown" : "is allowed only for drawdowns",
    );
  if ((type === "window_forward") !== (input.window_start_date !== undefined))
    addViolation(
      "window_start_date",
      type === "window_forward" ? "is required for a window_forward" : "is allowed only for a window_forward",
    );
  return [...found, ...findUnsupportedFields(quoteOperation, input)];
}

/** Refuses value dates on which the service never quotes. A range with one day of settlement leaves the choice to the service. */
function findClosedDay(
  {
    buy_currency: buy,
    sell_currency: sell,
    value_date: first,
    latest_value_date: last = first ?? "",
  }: OrderInput,
  addViolation: (field: string, message: string) => void,
): void {
  if (first === undefined || first > last) return;
  const next = nextSettlementDay(first, [buy, sell]);
  if (next > last)
    addViolation("value_date", `is closed for ${buy} against ${sell}; the next day of settlement is ${next}`);
}

const isPairOf = (
  { buy_currency: buy, sell_currency: sell }: Pick<OrderInput, "buy_currency" | "sell_currency">,
  symbol: string,
): boolean => symbol === buy + sell || symbol === sell + buy;

/** Returns the terms of an order. If the worst rate is given as a distance, derives it from a quote requested now. */
export async function termsFor(
  input: OrderInput,
  quoteOperation: QuoteOperation,
  { call, options }: { readonly call: OrderCall; readonly options: CallOptions },
): Promise<OrderTerms> {
  const { worst_rate, rate_symbol, largest_distance: distance, valid_until: _, ...terms } = input;
  if (distance === undefined) return { ...terms, worst_rate: worst_rate!, rate_symbol: rate_symbol! };
  // The key belongs to the order and not to its quotes.
  const { key: _key, ...quoteOptions } = options;
  const { body } = await call(quoteOperation, quoteInputFor(quoteOperation, input), quoteOptions, {});
  const quote = parseQuote(quoteOperation, body);
  if (!quote || !isPairOf(input, quote.rate_symbol))
    throw releaseRefusedError(
      orderName,
      "The service gave no comparable quote. Set worst_rate and rate_symbol instead of largest_distance.",
    );
  const { rate, rate_symbol: symbol } = quote;
  return {
    ...terms,
    worst_rate: worstRateFrom(rate, symbol, input, distance),
    rate_symbol: symbol,
    rate_seen: rate,
  };
}
