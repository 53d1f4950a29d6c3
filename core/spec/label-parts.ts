/** The parts of a label for a created resource: its amounts and the fields in `labelFields`. */
import { Big } from "big.js";
import { metaOf } from "../values/kind";
import { committedAmountsOf, type CommittedAmount } from "./committed-amounts";
import { fieldsOf, type Values } from "./fields";
import type { Declaration } from "./operation";

/** Returns the sum per currency, with the largest number of decimals of its amounts. */
function currencySums(amounts: readonly CommittedAmount[]): string[] {
  const currencies = [...new Set(amounts.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = amounts.filter((each) => each.currency === currency).map(({ amount }) => amount);
    const digits = Math.max(...own.map((amount) => amount.split(".")[1]?.length ?? 0));
    return `${own.reduce((sum, amount) => sum.plus(amount), new Big(0)).toFixed(digits)} ${currency}`;
  });
}

/**
 * Returns the label of a created resource, from the input of the call. Dates are prefixed with the title of their
 * field.
 */
export function labelParts(operation: Declaration, given: Values): string[] {
  const { labelFields = [], commits } = operation;
  const fields = fieldsOf(operation).filter(({ name }) => labelFields.includes(name));
  const fieldTexts = fields.flatMap(({ name, title, schema }) => {
    const value = given[name];
    if (typeof value !== "string") return [];
    return metaOf(schema).format === "date" ? `${title} ${value}` : value;
  });
  return [...currencySums(committedAmountsOf(commits, given) ?? []), ...fieldTexts];
}
