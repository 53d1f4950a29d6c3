/** Sums of amounts, in decimals. */
import { Big } from "big.js";
import { invalidInput } from "../client/call-errors";

/** An amount with its direction as one signed decimal: money out, and balances against the client, are negative. */
export const signed = (amount: string, direction: string | null | undefined): Big => {
  const value = new Big(amount);
  return direction?.toLowerCase() === "debit" ? value.neg() : value;
};

/** As many decimals as the value has, at least those given; without an exponent. */
export const decimalText = (value: Big, decimals: number): string => {
  const plain = value.toFixed();
  const own = plain.includes(".") ? plain.length - plain.indexOf(".") - 1 : 0;
  return value.toFixed(Math.max(own, decimals));
};

type Bound = readonly [field: string, amount: string | undefined];

/** Throws InvalidInput where there is nothing between two bounds. */
export function checkBounds(operation: string, [lower, least]: Bound, [upper, most]: Bound): void {
  if (least === undefined || most === undefined || new Big(most).gte(least)) return;
  const message = `must be at least ${lower} (${least}), not ${most}`;
  throw invalidInput({ name: operation }, [{ field: upper, message }]);
}

/** Sums by a key, in the order in which the keys came. */
export class Sums {
  readonly #sums = new Map<string, Big>();

  add(key: string, value: Big): void {
    this.#sums.set(key, (this.#sums.get(key) ?? new Big(0)).plus(value));
  }

  entries(): readonly (readonly [key: string, sum: Big])[] {
    return [...this.#sums];
  }
}
