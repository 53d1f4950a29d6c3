/** The declared operations by name, for tests that work on the declarations. */
import { checkInput, type Declaration, operations, type Violation, type Values } from "../../core/operations";

export function operationNamed(name: string): Declaration {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
}

/** What is wrong with an input on 31 January 2026. */
export const misfits = (name: string, input: Values): Violation[] =>
  checkInput(operationNamed(name), input, new Date("2026-01-31T12:00:00Z"));
