/** Conditions over several fields, checked before anything is sent. */

import type { Rule } from "./operation";
import type { Values } from "./fields";

const isGiven = (values: Values, field: string) => values[field] !== undefined;

/** The day or month of `now` in UTC, at the precision in which the value is written. */
const atSamePrecision = (value: string, now: Date) => now.toISOString().slice(0, value.length);

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
    case "needed-unless":
      return (
        rule.fields.some((field) => !isGiven(values, field)) &&
        !Object.entries(rule.unless).some(([field, allowed]) =>
          allowed === "given" ? isGiven(values, field) : allowed.includes(String(values[field])),
        )
      );
  }
}

/** The rules that the values break. `now` is passed in so that tests and the sandbox own the clock. */
export const brokenRules = (rules: readonly Rule[], values: Values, now: Date): Rule[] =>
  rules.filter((rule) => isBroken(rule, values, now));
