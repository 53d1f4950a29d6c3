/** Values that are written in more than one way: with capitals in one place and small letters in another. */

import type { Callable } from "../declaration/operation";
import { callerFields, type Field, type Values, perOperation } from "../declaration/fields";

/** The value as it is sent. */
export const canonicalValue = ({ alsoSpelled }: Field, value: unknown): unknown =>
  typeof value === "string" ? (alsoSpelled?.get(value) ?? value) : value;

const alsoSpelled = perOperation((operation: Callable) =>
  callerFields(operation).filter((field) => field.alsoSpelled),
);

/** The same of all values. Values that throw as they are read are left to the check, which names them. */
export function canonicalValues(operation: Callable, values: Values): Values {
  const fields = alsoSpelled(operation);
  if (fields.length === 0) return values;
  try {
    return withCanonicalValues(fields, values);
  } catch {
    return values;
  }
}

function withCanonicalValues(fields: readonly Field[], values: Values): Values {
  const given = fields.filter(({ name }) => values[name] !== undefined);
  return {
    ...values,
    ...Object.fromEntries(given.map((field) => [field.name, canonicalValue(field, values[field.name])])),
  };
}
