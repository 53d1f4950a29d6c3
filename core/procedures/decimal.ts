/** Exact decimal arithmetic on amounts, and the exchange rates for converted totals. */
import { Big } from "big.js";
import { z } from "zod";
import { invalidInputError } from "../call/call-errors";
import { Currency } from "../values/values";

/** Returns a signed amount. Outgoing money and balances owed by the client are negative. */
export const signedAmount = (amount: string, direction: string | null | undefined): Big => {
  const value = new Big(amount);
  return direction?.toLowerCase() === "debit" ? value.neg() : value;
};

/** Formats a value with at least the given decimals, more if it has them, and without an exponent. */
export const formatDecimal = (value: Big, decimals: number): string => {
  const plain = value.toFixed();
  const ownDecimals = plain.includes(".") ? plain.length - plain.indexOf(".") - 1 : 0;
  return value.toFixed(Math.max(ownDecimals, decimals));
};

type Bound = readonly [field: string, amount: string | undefined];

/** Throws InvalidInput if the upper bound is below the lower one. */
export function checkBounds(operation: string, [lower, min]: Bound, [upper, max]: Bound): void {
  if (min === undefined || max === undefined || new Big(max).gte(min)) return;
  const message = `must be at least ${lower} (${min}), not ${max}`;
  throw invalidInputError({ name: operation }, [{ field: upper, message }]);
}

/** Sums by key, in the order of first use. */
export class SumsByKey {
  readonly #sums = new Map<string, Big>();

  add(key: string, value: Big): void {
    this.#sums.set(key, (this.#sums.get(key) ?? new Big(0)).plus(value));
  }

  entries(): readonly (readonly [key: string, sum: Big])[] {
    return [...this.#sums];
  }
}

/** Exchange rates given by the caller: value of one unit of each currency in the target currency. */
export const Rates = z.record(
  Currency,
  z.string().regex(/^(?=.*[1-9])\d+(\.\d+)?$/, "must be a positive decimal rate such as 1.0832"),
);

export type Rates = z.infer<typeof Rates>;
