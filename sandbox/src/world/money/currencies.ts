import { minorUnits } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";

/** Rounds half up to the minor units of the currency: the only rounding rule for amounts. */
export const roundAmount = (amount: Big, currency: string): Big =>
  amount.round(minorUnits(currency), Big.roundHalfUp);

/** True if an amount has no more decimals than its currency allows. */
export const fitsMinorUnits = (amount: Big, currency: string): boolean =>
  roundAmount(amount, currency).eq(amount);

/** Currencies not deliverable outside their country; only non-delivered trades exist in them. Demo data. */
export const nonDeliverableCurrencies: ReadonlySet<string> = new Set(["CNY", "INR"]);

/**
 * Returns the maximum of a single trade or payment: the largest amount in an MT940 statement, 15 characters including
 * the comma. A JSON number holds it exactly.
 */
export const maxAmount = (currency: string): Big => new Big(`99999999999999e-${minorUnits(currency)}`);

export const maxAmountText = (currency: string): string => `${maxAmount(currency).toFixed()} ${currency}`;

/** Returns the maximum balance of an account. Statements may overflow before. */
export const maxBalance = (currency: string): Big => maxAmount(currency).times(1_000);

/** Formats an amount with all its minor units: 1200.50, or 1200 in yen. */
export const formatDecimalAmount = (amount: Big, currency: string): string =>
  amount.toFixed(minorUnits(currency));

export interface Money {
  readonly amount: Big;
  readonly currency: string;
}

/** Separates the digits before the point in groups of three. */
export const groupDigits = (amount: string): string => amount.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");

/** Formats an amount for people: 1,200.50. */
export const formatAmount = ({ amount, currency }: Money): string =>
  groupDigits(formatDecimalAmount(amount, currency));

/** Formats an amount with its currency for people: 1,200.50 EUR. */
export const formatMoney = (money: Money): string => `${formatAmount(money)} ${money.currency}`;

export const larger = (one: Big, other: Big): Big => (one.gt(other) ? one : other);
export const smaller = (one: Big, other: Big): Big => (one.lt(other) ? one : other);
