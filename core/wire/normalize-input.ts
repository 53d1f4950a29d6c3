/** Values that are written in more than one way: with capitals in one place and small letters in another. */

import type { Callable } from "../declaration/operation";
import { callerFields, type Field, type Values, memoizePerOperation } from "../declaration/fields";

/** The value as it is sent. */
export const normalizeValue = ({ aliases }: Field, value: unknown): unknown =>
  typeof value === "string" ? (aliases?.get(value) ?? value) : value;

const fieldsWithAliases = memoizePerOperation((operation: Callable) =>
  callerFields(operation).filter((field) => field.aliases),
);

/** The same of all values. Values that throw as they are read are left to the check, which names them. */
export function normalizeInput(operation: Callable, values: Values): Values {
  const fields = fieldsWithAliases(operation);
  if (fields.length === 0) return values;
  try {
    return normalizeFields(fields, values);
  } catch {
    return values;
  }
}

function normalizeFields(fields: readonly Field[], values: Values): Values {
  const given = fields.filter(({ name }) => values[name] !== undefined);
  return {
    ...values,
    ...Object.fromEntries(given.map((field) => [field.name, normalizeValue(field, values[field.name])])),
  };
}
