/** Normalizes values with several accepted spellings, for example different capitalization. */

import type { Callable } from "../spec/operation";
import { callerFields, type Field, type Values, memoizePerOperation } from "../spec/fields";

/** Returns the spelling that is sent. */
export const normalizeValue = ({ aliases }: Field, value: unknown): unknown =>
  typeof value === "string" ? (aliases?.get(value) ?? value) : value;

const fieldsWithAliases = memoizePerOperation((operation: Callable) =>
  callerFields(operation).filter((field) => field.aliases),
);

/** Normalizes all values. Inputs that throw when read are returned unchanged, for the validation to report. */
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
