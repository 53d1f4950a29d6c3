/** Recurring business, as data. */
import type { Big } from "big.js";
import type { Account } from "./account";
import type { Counterparty, House } from "../ledger/ledger";
import type { Beneficiary } from "./trade";

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
