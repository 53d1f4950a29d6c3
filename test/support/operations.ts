/** The declared operations by name, for tests that work on the declarations. */
import { checkInput, type Declaration, operations, type Violation, type Values } from "../../core/operations";

/** The operations that the contract numbers; others may be declared beside them. */
export const contractOperations: readonly Declaration[] = operations.filter(({ contract }) =>
  /^[AP]?\d+$/.test(contract),
);

export function operationNamed(name: string): Declaration {
  const found = operations.find((operation) => operation.name === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
}

/** What is wrong with an input on 31 January 2026. */
export const inputViolations = (name: string, input: Values): Violation[] =>
  checkInput(operationNamed(name), input, new Date("2026-01-31T12:00:00Z"));

/**
 * The failures that a surface is tried with: of each effect every status, and of each operation at least one. What it
 * shows of a failure follows from these two and the operation's own words. Those of operations that are looked for afterwards
 * come after the others, since what looks for them is calls as well; a 429 comes last of all, for it slows what follows.
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
