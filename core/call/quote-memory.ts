/** The quotes that a client received, by which the trade that a booking commits is known. */
import type { Declaration } from "../spec/operation";
import { parseQuote, type Quote } from "../spec/quotes";
import type { PreparedCall } from "./prepared-call";
import type { ServiceResponse } from "./response";

/** A trade as quoted. Amounts are decimal strings. */
export interface QuotedTrade extends Pick<
  Quote,
  "buy_currency" | "buy_amount" | "sell_currency" | "sell_amount"
> {
  /** Undefined if the request for the quote does not state it. */
  readonly trade_type?: string;
}

/** The rate of a quote, for its currency pair. */
export type QuotedRate = Pick<Quote, "rate" | "rate_symbol">;

const maxQuotes = 1_000;
const isDecimal = (text: string): boolean => /^\d{1,15}(\.\d{1,10})?$/.test(text);

export class QuoteMemory {
  readonly #trades = new Map<string, { readonly trade: QuotedTrade; readonly rate: QuotedRate }>();

  constructor(private readonly operations: readonly Declaration[]) {}

  /** Remembers a quote, as the service's own declaration reads it. */
  remember({ operation, values }: PreparedCall, { status, body }: ServiceResponse): void {
    const declared = this.operations.find(({ name }) => name === operation.name);
    const quotes = declared?.quotes;
    // Another declaration has the name of a GET also at another path.
    const isDeclared = declared === operation || declared?.method !== "GET";
    if (!quotes || status !== quotes.status || !isDeclared) return;
    const quote = parseQuote({ ...declared, quotes }, body);
    if (!quote) return;
    const { quote_id: id, buy_amount, buy_currency, sell_amount, sell_currency, rate, rate_symbol } = quote;
    this.#trades.delete(id);
    if (!isDecimal(buy_amount) || !isDecimal(sell_amount)) return;
    const type = quotes.requestFields.trade_type && values[quotes.requestFields.trade_type];
    this.#trades.set(id, {
      trade: {
        buy_amount,
        buy_currency,
        sell_amount,
        sell_currency,
        ...(typeof type === "string" && { trade_type: type }),
      },
      rate: { rate, rate_symbol },
    });
    if (this.#trades.size > maxQuotes) this.#trades.delete(this.#trades.keys().next().value!);
  }

  /** Returns the trade that a call books from a quote that this client received. */
  tradeOf(call: Pick<PreparedCall, "operation" | "values">): QuotedTrade | undefined {
    return this.#find(call)?.trade;
  }

  /** Returns the rate of that quote. */
  rateOf(call: Pick<PreparedCall, "operation" | "values">): QuotedRate | undefined {
    return this.#find(call)?.rate;
  }

  #find({ operation: { commits }, values }: Pick<PreparedCall, "operation" | "values">) {
    const quote = commits === "none" ? undefined : commits?.quote;
    return quote === undefined ? undefined : this.#trades.get(String(values[quote]));
  }
}
