/** Evaluation of rules over several fields. */

import type { Rule } from "./operation";
import type { Values } from "./fields";
import { isObject } from "../values/json";

const isGiven = (values: Values, field: string) => values[field] !== undefined;

/** Formats `now` in UTC with the precision of `value`: a day or a month. */
const atSamePrecision = (value: string, now: Date) => now.toISOString().slice(0, value.length);

/** Returns the currencies of all amounts in a value. */
function currenciesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(currenciesIn);
  if (!isObject(value)) return [];
  return "amount" in value && "currency" in value
    ? [value.currency]
    : Object.values(value).flatMap(currenciesIn);
}

function isBroken(rule: Rule, values: Values, now: Date): boolean {
  switch (rule.kind) {
    case "exactly-one":
      return rule.fields.filter((field) => isGiven(values, field)).length !== 1;
    case "at-least-one":
      return !rule.fields.some((field) => isGiven(values, field));
    case "ordered": {
      const [earlier, later] = rule.fields;
      return (
        isGiven(values, earlier) && isGiven(values, later) && String(values[earlier]) > String(values[later])
      );
    }
    case "not-future": {
      const value = values[rule.fields[0]];
      return typeof value === "string" && value > atSamePrecision(value, now);
    }
    case "excluded-by":
      return (
        rule.values.includes(String(values[rule.other])) &&
        rule.fields.some((field) => isGiven(values, field))
      );
    case "needed-by":
      return (
        rule.values.includes(String(values[rule.other])) &&
        rule.fields.some((field) => !isGiven(values, field))
      );
    case "currency":
      return (
        rule.values.includes(String(values[rule.other])) &&
        rule.fields.flatMap((field) => currenciesIn(values[field])).some((each) => each !== rule.currency)
      );
    case "needed-unless":
      return (
        rule.fields.some((field) => !isGiven(values, field)) &&
        !Object.entries(rule.unless).some(([field, allowed]) =>
          allowed === "given" ? isGiven(values, field) : allowed.includes(String(values[field])),
        )
      );
  }
}

/** Returns the rules that the values break. `now` is a parameter so that tests and the sandbox control the clock. */
export const brokenRules = (rules: readonly Rule[], values: Values, now: Date): Rule[] =>
  rules.filter((rule) => isBroken(rule, values, now));
