/** The declared operations by name, for tests that work on the declarations. */
import { checkInput, type Declaration, operations, type Violation, type Values } from "../../core/operations";

/** Operations of the contract, without others declared beside them. */
export const contractOperations: readonly Declaration[] = operations.filter(({ contract }) =>
  /^[AP]?\d+$/.test(contract),
);

export function operationNamed(name: string): Declaration {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
}

/** Returns the violations of an input on 31 January 2026. */
export const inputViolations = (name: string, input: Values): Violation[] =>
  checkInput(operationNamed(name), input, new Date("2026-01-31T12:00:00Z"));

const effects = ["read", "change", "money"] as const;

/**
 * Failures for testing a surface: each declared status, in turn of a read, a change and a money call where it is declared, and
 * a booking whose quote was used. 429 is last, because it slows down later calls.
 */
export function failuresToTry(): (readonly [Declaration, number])[] {
  const declared: readonly Declaration[] = operations;
  const statuses = [...new Set(declared.flatMap(({ errors }) => Object.keys(errors).map(Number)))];
  const slowLast = [...statuses.filter((status) => status !== 429), 429];
  const chosen = slowLast.map((status, index) => {
    const failing = declared.filter(({ errors }) => status in errors);
    const preferred = failing.find(({ effect }) => effect === effects[index % effects.length]);
    return [preferred ?? failing[0]!, status] as const;
  });
  return [[operationNamed("trades.book"), 409], ...chosen];
}
