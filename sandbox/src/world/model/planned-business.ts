/** Recurring business and planned trades, as data. */
import type { Big } from "big.js";
import type { Account } from "./account";
import type { Counterparty, House } from "../ledger/ledger";
import type { Beneficiary } from "./trade";
import type { TradeType, TradePaymentStatus } from "../common/enumerations";

/**
 * Frequent payments from customers or to suppliers. `aDay` is the probability per business day, `typical` the typical
 * amount.
 */
export interface FrequentPayments {
  readonly kind: "receipts" | "payments";
  readonly account: Account;
  readonly aDay: number;
  readonly typical: number;
}

/** A payment on a day of each month, or the next business day. */
export interface MonthlyPayment {
  readonly kind: "monthly";
  readonly account: Account;
  readonly day: number;
  readonly name: string;
  readonly amount: Big;
  /** Prefix of the reference. */
  readonly code: string;
  readonly to: Beneficiary | undefined;
  readonly house: House;
}

/** Monthly interest on the balance of an account. */
export interface Interest {
  readonly kind: "interest";
  readonly account: Account;
  /** Annual rate, as a fraction. */
  readonly rate: string;
}

export type Recurring = FrequentPayments | MonthlyPayment | Interest;

/** An outgoing payment, made only if the balance suffices. */
export interface Outgoing {
  readonly account: Account;
  readonly amount: Big;
  readonly house: House;
  readonly reference: string;
  readonly endToEnd?: true;
  readonly information: string;
  readonly counterparty?: Counterparty | undefined;
}

/** A supplier payment that may be returned. */
export interface SupplierPayment extends Outgoing {
  readonly counterparty: Counterparty;
  /** Time of the return, if any. */
  readonly backAt: Date | undefined;
}

/** Follow-up step of a planned trade. */
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
