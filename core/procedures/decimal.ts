/** Exact decimal arithmetic on amounts, and the exchange rates for converted totals. */
import { Big } from "big.js";
import { z } from "zod";
import { invalidInputError } from "../call/call-errors";
import { Currency, minorUnits } from "../values/values";

/** Returns a signed amount. Outgoing money and balances owed by the client are negative. */
export const signedAmount = (amount: string, direction: string | null | undefined): Big => {
  const value = new Big(amount);
  return direction?.toLowerCase() === "debit" ? value.neg() : value;
};

type Bound = readonly [field: string, amount: string | undefined];

/** Throws InvalidInput if the upper bound is below the lower one. */
export function checkBounds(operation: string, [lower, min]: Bound, [upper, max]: Bound): void {
  if (min === undefined || max === undefined || new Big(max).gte(min)) return;
  const message = `must be at least ${lower} (${min}), not ${max}`;
  throw invalidInputError({ name: operation }, [{ field: upper, message }]);
}

/** Sums by key, in the order of first use. */
export class Sums extends Map<string, Big> {
  add(key: string, value: Big): void {
    this.set(key, this.of(key).plus(value));
  }

  /** Returns zero for a key without values. */
  of(key: string): Big {
    return this.get(key) ?? new Big(0);
  }
}

/** Sums amounts by key. */
export function sumBy<T extends { readonly amount: Big | string }>(
  all: readonly T[],
  keyOf: (each: T) => string,
): Sums {
  const sums = new Sums();
  for (const each of all) sums.add(keyOf(each), new Big(each.amount));
  return sums;
}

/** Exchange rates given by the caller: value of one unit of each currency in the target currency. */
export const Rates = z.record(
  Currency,
  z.string().regex(/^(?=.*[1-9])\d+(\.\d+)?$/, "must be a positive decimal rate such as 1.0832"),
);

export type Rates = z.infer<typeof Rates>;

export interface CurrencyAmount {
  readonly currency: string;
  readonly amount: Big;
}

/** Converts amounts into one currency, rounded once at the end. `missing` names the currencies without a rate; zero needs none. */
export function convertAmounts(amounts: readonly CurrencyAmount[], into: string, rates: Rates) {
  const rateOf = (currency: string) => (currency === into ? "1" : rates[currency]);
  const sum = amounts.reduce(
    (total, { currency, amount }) => total.plus(amount.times(rateOf(currency) ?? 0)),
    new Big(0),
  );
  const missing = amounts
    .filter(({ currency, amount }) => rateOf(currency) === undefined && !amount.eq(0))
    .map(({ currency }) => currency);
  return { amount: sum.toFixed(minorUnits(into)), missing };
}
