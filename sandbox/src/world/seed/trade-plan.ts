/** A trade that the company plans, and what it does with it afterwards, as data. */
import type { TradeType, TradePaymentStatus } from "../enumerations";

export type PlanStep =
  /** Pays in a share of what the trade sells, when it is there. */
  | { readonly kind: "fund"; readonly share: number }
  /** Sets a share of what the trade buys aside for a supplier. */
  | { readonly kind: "set-aside"; readonly share: number; readonly status?: TradePaymentStatus }
  | { readonly kind: "set-aside-rest"; readonly status: TradePaymentStatus }
  /** Draws a part of a forward, for settlement two days on. */
  | { readonly kind: "draw"; readonly amount: number }
  | { readonly kind: "cancel" };

export interface TradePlan {
  readonly type: Exclude<TradeType, "drawdown">;
  readonly buy: string;
  readonly sell: string;
  /** In the currency sold. */
  readonly amount: number;
  readonly bookedOn: string;
  /** The spot date, without. */
  readonly maturesOn?: string;
  readonly synthetic?: boolean;
  readonly reference?: string;
  readonly afterwards?: readonly (readonly [at: Date, act: PlanStep])[];
}
