/** Values that are written in more than one way: with capitals in one place and small letters in another. */
import type { Values } from "./check";
import type { Declaration } from "./declaration";
import { callerFields, type Field } from "./fields";
import { perOperation } from "./memo";

/** The value as it is sent. What no spelling makes an option is left as it is. */
export const spelled = ({ spelling, options }: Field, value: unknown): unknown =>
  spelling && typeof value === "string"
    ? (options?.find((option) => option === spelling(value)) ?? value)
    : value;

const withSpelling = perOperation((operation) => callerFields(operation).filter(({ spelling }) => spelling));

/** The same of all values. */
export function allSpelled(operation: Declaration, values: Values): Values {
  const given = withSpelling(operation).filter(({ name }) => values[name] !== undefined);
  return {
    ...values,
    ...Object.fromEntries(given.map((field) => [field.name, spelled(field, values[field.name])])),
  };
}
