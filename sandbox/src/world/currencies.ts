/** ISO 4217 minor units, and amounts written with them. */
import { Big } from "big.js";

const minorUnits: Readonly<Record<number, readonly string[]>> = {
  0: [
    "BIF",
    "CLP",
    "DJF",
    "GNF",
    "ISK",
    "JPY",
    "KMF",
    "KRW",
    "PYG",
    "RWF",
    "UGX",
    "UYI",
    "VND",
    "VUV",
    "XAF",
    "XOF",
    "XPF",
  ],
  3: ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"],
  4: ["CLF", "UYW"],
};

const unitsOf = new Map(
  Object.entries(minorUnits).flatMap(([units, codes]) => codes.map((code) => [code, Number(units)] as const)),
);

/** Digits after the point in which amounts of a currency are kept. */
export const decimalsOf = (currency: string): number => unitsOf.get(currency) ?? 2;

/** Half up, to the minor units of the currency: the one rounding rule for amounts. */
export const rounded = (amount: Big, currency: string): Big =>
  amount.round(decimalsOf(currency), Big.roundHalfUp);

/** Whether an amount has no more digits than its currency. */
export const fits = (amount: Big, currency: string): boolean => rounded(amount, currency).eq(amount);

/** An amount as text with all its minor units: 1200.50, or 1200 in yen. */
export const written = (amount: Big, currency: string): string => amount.toFixed(decimalsOf(currency));

export interface Money {
  readonly amount: Big;
  readonly currency: string;
}

export const larger = (one: Big, other: Big): Big => (one.gt(other) ? one : other);
export const smaller = (one: Big, other: Big): Big => (one.lt(other) ? one : other);
