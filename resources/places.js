/**
 * Where each field of a form stands, as the rules of its operation say for the values that are there: `needed` on top, `first`
 * there too, `optional` below, or `hidden`. Plain functions of data.
 */

const isEmpty = (value) => value === undefined || value === "";

const isMet = (condition, value) => (condition === "given" ? !isEmpty(value) : condition.includes(value));

/** Which field of several ways to give something is in force: the one chosen, or filled, or the first. */
export const wayOf = ({ fields }, valueOf, chosen) =>
  [chosen, fields.find((name) => !isEmpty(valueOf(name))), fields[0]].find((name) => fields.includes(name));

/** Whether nobody has chosen yet what decides: then nothing is asked for. */
const isUndecided = (names, controls, valueOf) =>
  controls.some(({ name, required }) => required && names.includes(name) && isEmpty(valueOf(name)));

const neededBy = {
  "needed-by": ({ fields, other, values }, valueOf) => (values.includes(valueOf(other)) ? fields : []),
  "needed-unless": ({ fields, unless }, valueOf, controls) => {
    const conditions = Object.entries(unless);
    const isFree =
      isUndecided(Object.keys(unless), controls, valueOf) ||
      conditions.some(([name, condition]) => isMet(condition, valueOf(name)));
    return isFree ? [] : fields;
  },
};

const hiddenBy = {
  "excluded-by": ({ fields, other, values }, valueOf) => (values.includes(valueOf(other)) ? fields : []),
};

/**
 * The places by name. `valueOf` gives the text of a field, undefined where it has none or comes with a message; `ways` has the
 * fields that were chosen, by rule. What holds a value is never hidden.
 */
export function placesOf({ controls, rules }, valueOf, ways = []) {
  const places = new Map(controls.map(({ name, required }) => [name, required ? "needed" : "optional"]));
  for (const rule of rules)
    for (const name of neededBy[rule.kind]?.(rule, valueOf, controls) ?? []) places.set(name, "needed");
  for (const { kind, fields } of rules) {
    if (kind !== "at-least-one") continue;
    const isGiven = fields.some((name) => !isEmpty(valueOf(name)));
    for (const name of fields) places.set(name, isGiven ? "first" : "needed");
  }
  for (const [index, rule] of rules.entries()) {
    if (rule.kind !== "exactly-one") continue;
    const way = wayOf(rule, valueOf, ways[index]);
    for (const name of rule.fields) places.set(name, name === way ? "needed" : "hidden");
  }
  for (const rule of rules)
    for (const name of hiddenBy[rule.kind]?.(rule, valueOf) ?? [])
      places.set(name, isEmpty(valueOf(name)) ? "hidden" : "optional");
  return places;
}
