/** Input of `trades.order`. */
import type { OrderTerms } from "../releases/terms";

/** An order request. `Orders` derives the sealed terms from it. */
export interface OrderInput extends Omit<
  OrderTerms,
  "rate_symbol" | "worst_rate" | "rate_seen" | "highest_fee" | "fee_currency"
> {
  readonly worst_rate?: string;
  readonly rate_symbol?: string;
  /** Percent by which the rate may be worse than that of a quote requested now. */
  readonly largest_distance?: string;
  readonly highest_fee?: string;
  readonly fee_currency?: string;
  readonly valid_until: string;
}
