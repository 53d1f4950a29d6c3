/** Business that goes on: what there is of it, as data. */
import type { Big } from "big.js";
import type { Account } from "../accounts/account";
import type { Counterparty, House } from "../ledger/ledger";
import type { Beneficiary } from "../trades/trades";

/** What customers pay in, or suppliers are paid, on so many of the business days, about so much at once. */
export interface FrequentPayments {
  readonly kind: "receipts" | "payments";
  readonly account: Account;
  readonly aDay: number;
  readonly typical: number;
}

/** What is paid on a day of every month, or the next business day. */
export interface MonthlyPayment {
  readonly kind: "monthly";
  readonly account: Account;
  readonly day: number;
  readonly name: string;
  readonly amount: Big;
  /** How its reference begins. */
  readonly code: string;
  readonly to: Beneficiary | undefined;
  readonly house: House;
}

/** A month's interest on what is in an account. */
export interface Interest {
  readonly kind: "interest";
  readonly account: Account;
  /** Of a year, as a share. */
  readonly rate: string;
}

export type Recurring = FrequentPayments | MonthlyPayment | Interest;

/** What leaves an account when there is enough. */
export interface Outgoing {
  readonly account: Account;
  readonly amount: Big;
  readonly house: House;
  readonly reference: string;
  readonly endToEnd?: true;
  readonly information: string;
  readonly counterparty?: Counterparty | undefined;
}

/** What is paid to somebody, and may come back. */
export interface SupplierPayment extends Outgoing {
  readonly counterparty: Counterparty;
  /** When it comes back, where it does. */
  readonly backAt: Date | undefined;
}
