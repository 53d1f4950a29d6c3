/** The amounts that a call commits. */
import type { CommittedAmountPaths } from "./operation";

export interface CommittedAmount {
  readonly amount: string;
  readonly currency: string;
}

/** Returns the values at a path. `*` matches every entry of a list. */
function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (name === "*") return Array.isArray(value) ? value.flatMap((each) => valuesAt(each, rest)) : [undefined];
  const inside =
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return valuesAt(inside, rest);
}

const isAmount = (value: unknown): value is { amount: string | number; currency: string } => {
  const { amount, currency } = (value ?? {}) as Record<string, unknown>;
  return typeof currency === "string" && /^\d+(\.\d+)?$/.test(String(amount));
};

/** Returns the amounts that a call commits, or undefined if they are unknown. */
export function committedAmountsOf(
  declared: CommittedAmountPaths | undefined,
  values: Readonly<Record<string, unknown>>,
): readonly CommittedAmount[] | undefined {
  if (!declared) return undefined;
  const isUnbounded = Object.entries(declared.unless ?? {}).some(([name, unboundedValues]) =>
    unboundedValues.includes(String(values[name])),
  );
  const amounts = declared.paths.flatMap((path) => valuesAt(values, path.split(".")));
  if (isUnbounded || amounts.length === 0 || !amounts.every(isAmount)) return undefined;
  return amounts.map(({ amount, currency }) => ({ amount: String(amount), currency }));
}
