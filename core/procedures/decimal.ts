/** Exact decimal arithmetic on amounts. */
import { Big } from "big.js";
import { invalidInputError } from "../call/call-errors";

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
