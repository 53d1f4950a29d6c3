/** By what people know that a call created: its amounts, and what its declaration names. */
import { Big } from "big.js";
import { metaOf } from "../schema/kind";
import { committedAmountsOf, type CommittedAmount } from "./committed-amounts";
import { fieldsOf, type Values } from "./fields";
import type { Declaration } from "./operation";

/** The sum for each currency, with as many digits as its amounts have. */
function currencySums(amounts: readonly CommittedAmount[]): string[] {
  const currencies = [...new Set(amounts.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = amounts.filter((each) => each.currency === currency).map(({ amount }) => amount);
    const digits = Math.max(...own.map((amount) => amount.split(".")[1]?.length ?? 0));
    return `${own.reduce((sum, amount) => sum.plus(amount), new Big(0)).toFixed(digits)} ${currency}`;
  });
}

/** What people know by that a call created, from what it asked for. A day is told with what it is the day of. */
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
