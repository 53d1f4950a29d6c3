/** Values that are written in more than one way: with capitals in one place and small letters in another. */
import type { Values } from "./check";
import type { Declaration } from "./declaration";
import { callerFields, type Field } from "./fields";
import { perOperation } from "./memo";

/** The value as it is sent. */
export const spelled = ({ alsoSpelled }: Field, value: unknown): unknown =>
  typeof value === "string" ? (alsoSpelled?.get(value) ?? value) : value;

const alsoSpelled = perOperation((operation) => callerFields(operation).filter((field) => field.alsoSpelled));

/** The same of all values. Values that throw as they are read are left to the check, which names them. */
export function allSpelled(operation: Declaration, values: Values): Values {
  const fields = alsoSpelled(operation);
  if (fields.length === 0) return values;
  try {
    return respelled(fields, values);
  } catch {
    return values;
  }
}

function respelled(fields: readonly Field[], values: Values): Values {
  const given = fields.filter(({ name }) => values[name] !== undefined);
  return {
    ...values,
    ...Object.fromEntries(given.map((field) => [field.name, spelled(field, values[field.name])])),
  };
}
