/** What is asked for with an order. */
import type { OrderTerms } from "./terms";

/** An order as it is asked for. */
export interface OrderInput extends Omit<
  OrderTerms,
  "rate_symbol" | "worst_rate" | "rate_seen" | "highest_fee" | "fee_currency"
> {
  readonly worst_rate?: string;
  readonly rate_symbol?: string;
  /** Percent by which the rate may be worse than that of a quote that is taken now. */
  readonly largest_distance?: string;
  readonly highest_fee?: string;
  readonly fee_currency?: string;
  readonly valid_until: string;
}
