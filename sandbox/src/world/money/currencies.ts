/** Amounts in the minor units of their currencies. */
import { minorUnits } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";

/** Half up, to the minor units of the currency: the one rounding rule for amounts. */
export const roundAmount = (amount: Big, currency: string): Big =>
  amount.round(minorUnits(currency), Big.roundHalfUp);

/** Whether an amount has no more digits than its currency. */
export const fitsMinorUnits = (amount: Big, currency: string): boolean =>
  roundAmount(amount, currency).eq(amount);

/** Currencies that are not delivered outside their country: they are traded without delivery only. Demo data. */
export const nonDeliverableCurrencies: ReadonlySet<string> = new Set(["CNY", "INR"]);

/** Most digits of an amount, and of what an account may hold, by how many of them are decimals. */
const limitsByDecimals = [0, 1, 2, 3, 4].map((decimals) => ({
  amount: new Big(`99999999999999e-${decimals}`),
  held: new Big(`99999999999999000e-${decimals}`),
}));

/**
 * The most that can be traded, paid or paid in at once: what an amount of an MT940 statement can say, 15 characters with
 * the comma. A JSON number holds as much exactly.
 */
export const maxAmount = (currency: string): Big => limitsByDecimals[minorUnits(currency)]!.amount;

/** The most of a currency, as text with the currency. */
export const maxAmountText = (currency: string): string => `${maxAmount(currency).toFixed()} ${currency}`;

/** Past this an account takes no more: a statement may have failed long before, the books have not. */
export const maxBalance = (currency: string): Big => limitsByDecimals[minorUnits(currency)]!.held;

/** An amount as text with all its minor units: 1200.50, or 1200 in yen. */
export const formatDecimalAmount = (amount: Big, currency: string): string =>
  amount.toFixed(minorUnits(currency));

export interface Money {
  readonly amount: Big;
  readonly currency: string;
}

export const larger = (one: Big, other: Big): Big => (one.gt(other) ? one : other);
export const smaller = (one: Big, other: Big): Big => (one.lt(other) ? one : other);
