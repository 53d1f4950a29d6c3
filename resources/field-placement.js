/**
 * Decides the position of each form field from the rules of its operation and the current values: `needed` and `first` are
 * at the top, `optional` is below, `hidden` is not shown. Pure functions.
 */
import { excludedFields } from "./validation.js";

const isEmpty = (value) => value === undefined || value === "";

const isMet = (condition, value) => (condition === "given" ? !isEmpty(value) : condition.includes(value));

/** Returns the active field among alternatives: the chosen one, else the first with a value, else the first. */
export const activeAlternative = ({ fields }, valueOf, chosen) =>
  [chosen, fields.find((name) => !isEmpty(valueOf(name))), fields[0]].find((name) => fields.includes(name));

/** True if a required field that decides the rule is still empty. The rule then requires nothing yet. */
const isUndecided = (names, controls, valueOf) =>
  controls.some(({ name, required }) => required && names.includes(name) && isEmpty(valueOf(name)));

const requiredFieldsByRule = {
  "needed-by": ({ fields, other, values }, valueOf) => (values.includes(valueOf(other)) ? fields : []),
  "needed-unless": ({ fields, unless }, valueOf, controls) => {
    const conditions = Object.entries(unless);
    const isNotRequired =
      isUndecided(Object.keys(unless), controls, valueOf) ||
      conditions.some(([name, condition]) => isMet(condition, valueOf(name)));
    return isNotRequired ? [] : fields;
  },
};

/**
 * Returns the position of each field by name. `valueOf` returns the text of a field, or undefined if it is empty, and
 * `choiceOf` its fixed text. `chosenAlternatives` holds the chosen field per rule.
 */
export function placeFields({ controls, rules }, { valueOf, choiceOf, chosenAlternatives }) {
  const places = new Map(controls.map(({ name, required }) => [name, required ? "needed" : "optional"]));
  for (const rule of rules)
    for (const name of requiredFieldsByRule[rule.kind]?.(rule, valueOf, controls) ?? [])
      places.set(name, "needed");
  for (const { kind, fields } of rules) {
    if (kind !== "at-least-one") continue;
    const isGiven = fields.some((name) => !isEmpty(valueOf(name)));
    for (const name of fields) places.set(name, isGiven ? "first" : "needed");
  }
  for (const [index, rule] of rules.entries()) {
    if (rule.kind !== "exactly-one") continue;
    const active = activeAlternative(rule, valueOf, chosenAlternatives[index]);
    for (const name of rule.fields) places.set(name, name === active ? "needed" : "hidden");
  }
  for (const name of excludedFields(rules, choiceOf)) places.set(name, "hidden");
  return places;
}
