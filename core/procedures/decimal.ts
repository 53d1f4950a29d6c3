/** Sums of amounts, in decimals. */
import { Big } from "big.js";
import { invalidInputError } from "../client/call-errors";

/** An amount with its direction as one signed decimal: money out, and balances against the client, are negative. */
export const signedAmount = (amount: string, direction: string | null | undefined): Big => {
  const value = new Big(amount);
  return direction?.toLowerCase() === "debit" ? value.neg() : value;
};

/** As many decimals as the value has, at least those given; without an exponent. */
export const formatDecimal = (value: Big, decimals: number): string => {
  const plain = value.toFixed();
  const ownDecimals = plain.includes(".") ? plain.length - plain.indexOf(".") - 1 : 0;
  return value.toFixed(Math.max(ownDecimals, decimals));
};

type Bound = readonly [field: string, amount: string | undefined];

/** Throws InvalidInput where there is nothing between two bounds. */
export function checkBounds(operation: string, [lower, min]: Bound, [upper, max]: Bound): void {
  if (min === undefined || max === undefined || new Big(max).gte(min)) return;
  const message = `must be at least ${lower} (${min}), not ${max}`;
  throw invalidInputError({ name: operation }, [{ field: upper, message }]);
}

/** Sums by a key, in the order in which the keys came. */
export class SumsByKey {
  readonly #sums = new Map<string, Big>();

  add(key: string, value: Big): void {
    this.#sums.set(key, (this.#sums.get(key) ?? new Big(0)).plus(value));
  }

  entries(): readonly (readonly [key: string, sum: Big])[] {
    return [...this.#sums];
  }
}
