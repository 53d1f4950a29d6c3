/** The amounts that a call commits. */
import { readCreditTransfers } from "../files/pain001";
import type { Declaration } from "./operation";

export interface CommittedAmount {
  readonly amount: string;
  readonly currency: string;
  /** Number of the account to debit; undefined if it is not known. */
  readonly account?: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/** Returns the values at a path. `*` matches every entry of a list. */
function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (name === "*") return Array.isArray(value) ? value.flatMap((each) => valuesAt(each, rest)) : [undefined];
  const inside = typeof value === "object" && value !== null ? (value as Values)[name] : undefined;
  return valuesAt(inside, rest);
}

const isAmount = (value: unknown): value is { amount: string | number; currency: string } => {
  const { amount, currency } = (value ?? {}) as Values;
  return typeof currency === "string" && /^\d+(\.\d+)?$/.test(String(amount));
};

const accountNumbers = ["iban", "bban", "pan", "maskedPan", "msisdn"] as const;

/** Returns the number by which an account reference identifies its account. */
function accountNumberOf(reference: unknown): string | undefined {
  const fields = (reference ?? {}) as Values;
  const { identification } = (fields.other ?? {}) as Values;
  const number = accountNumbers.map((name) => fields[name]).find((value) => value !== undefined);
  const found = number ?? identification;
  return typeof found === "string" ? found.toUpperCase() : undefined;
}

/** Returns the amounts that a call commits: none if the list is empty, unknown if undefined. */
export function committedAmountsOf(
  { commits, document }: Pick<Declaration, "commits" | "document">,
  values: Values,
): readonly CommittedAmount[] | undefined {
  if (commits === "none") return [];
  const { paths = [], unless = {}, account } = commits ?? {};
  const isUnbounded = Object.entries(unless).some(([name, unbounded]) =>
    unbounded.includes(String(values[name])),
  );
  const given = paths
    .map((path) => path.split("."))
    .filter(([first]) => values[first!] !== undefined)
    .flatMap((path) => valuesAt(values, path));
  const text = commits?.document && document && values[document.name];
  const transfers = typeof text === "string" ? readCreditTransfers(text) : [];
  if (isUnbounded || !transfers || !given.every(isAmount)) return undefined;
  const number = account === undefined ? undefined : accountNumberOf(values[account]);
  const amounts = [
    ...given.map(({ amount, currency }) => ({
      amount: String(amount),
      currency,
      ...(number !== undefined && { account: number }),
    })),
    ...transfers.map(({ account: debited, ...transfer }) => ({
      ...transfer,
      ...(debited !== undefined && { account: debited.toUpperCase() }),
    })),
  ];
  return amounts.length === 0 ? undefined : amounts;
}
