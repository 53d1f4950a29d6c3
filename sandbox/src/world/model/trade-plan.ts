/** A planned trade and its follow-up steps, as data. */
import type { TradeType, TradePaymentStatus } from "../common/enumerations";

export type PlanStep =
  /** Funds a share of the amount sold, if the balance suffices. */
  | { readonly kind: "fund"; readonly share: number }
  /** Allocates a share of the amount bought to a supplier. */
  | { readonly kind: "set-aside"; readonly share: number; readonly status?: TradePaymentStatus }
  | { readonly kind: "set-aside-rest"; readonly status: TradePaymentStatus }
  /** Draws part of a forward, settling two days later. */
  | { readonly kind: "draw"; readonly amount: number }
  | { readonly kind: "cancel" };

export interface TradePlan {
  readonly type: Exclude<TradeType, "drawdown">;
  readonly buy: string;
  readonly sell: string;
  /** In the currency sold. */
  readonly amount: number;
  readonly bookedOn: string;
  /** Default: the spot date. */
  readonly maturesOn?: string;
  readonly synthetic?: boolean;
  readonly reference?: string;
  readonly afterwards?: readonly (readonly [at: Date, step: PlanStep])[];
}
