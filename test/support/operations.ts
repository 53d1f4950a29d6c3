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

/**
 * Failures for testing a surface: every status of each effect, and at least one per operation. Operations with outcome lookups
 * come last, because lookups are calls, too; 429 comes at the very end, because it slows down later calls.
 */
export function failuresToTry(): (readonly [Declaration, number])[] {
  const seen = new Set<string>();
  const declared: readonly Declaration[] = operations;
  const isLookedFor = ({ recovery }: Declaration) => recovery !== undefined;
  const ordered = [...declared.filter((each) => !isLookedFor(each)), ...declared.filter(isLookedFor)];
  const all = ordered.flatMap((operation, index) => {
    const { effect, singleUseField, errors } = operation;
    const statuses = Object.keys(errors).map(Number);
    const chosen = statuses[index % statuses.length];
    const isChosen = (status: number) => {
      const kind = `${effect} ${singleUseField} ${status}`;
      return status === chosen || (!seen.has(kind) && seen.add(kind));
    };
    return statuses.filter(isChosen).map((status) => [operation, status] as const);
  });
  return [...all.filter(([, status]) => status !== 429), ...all.filter(([, status]) => status === 429)];
}
