/** Values of which the contract has capitals in one place and small letters in another. */
import type { Values } from "./check";
import type { Declaration } from "./declaration";
import { callerFields, type Field } from "./fields";
import { perOperation } from "./memo";

/** The value as it is sent: in small letters, where the field is taken in capitals too. */
export const spelled = ({ anyCase, options }: Field, value: unknown): unknown =>
  anyCase && typeof value === "string"
    ? (options?.find((option) => option === value.toLowerCase()) ?? value)
    : value;

const inAnyCase = perOperation((operation) => callerFields(operation).filter(({ anyCase }) => anyCase));

/** The same of all values. */
export function allSpelled(operation: Declaration, values: Values): Values {
  const given = inAnyCase(operation).filter(({ name }) => values[name] !== undefined);
  return {
    ...values,
    ...Object.fromEntries(given.map((field) => [field.name, spelled(field, values[field.name])])),
  };
}
