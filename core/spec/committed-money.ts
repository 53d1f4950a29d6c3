/** The money that a call commits: amounts, accounts to debit and accounts to credit. */
import { readCreditTransfers } from "../files/pain001";
import { isIban, normalizeAccountNumber } from "../values/account-number";
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
  return typeof found === "string" ? normalizeAccountNumber(found) : undefined;
}

/** Returns the IBAN of an account to credit; undefined unless it is the only number. Other numbers need their bank. */
function creditorIbanOf(reference: unknown): string | undefined {
  const { iban, ...others } = (reference ?? {}) as Values;
  const isOnly = [...accountNumbers, "other"].every((name) => others[name] === undefined);
  return typeof iban === "string" && isOnly && isIban(iban) ? normalizeAccountNumber(iban) : undefined;
}

/** The money that a call commits. */
export interface CommittedMoney {
  /** None if the list is empty, unknown if undefined. */
  readonly amounts?: readonly CommittedAmount[];
  /** IBANs of all accounts to credit; undefined if one of them is not known. */
  readonly creditors?: readonly string[];
}

/** Returns the money that a call commits, from its fields and its document. */
export function committedMoneyOf(
  { commits, document }: Pick<Declaration, "commits" | "document">,
  values: Values,
): CommittedMoney {
  if (commits === "none") return { amounts: [] };
  const { paths = [], unless = {}, account, creditor } = commits ?? {};
  const isUnbounded = Object.entries(unless).some(([name, unbounded]) =>
    unbounded.includes(String(values[name])),
  );
  const givenPaths = paths.map((path) => path.split(".")).filter(([first]) => values[first!] !== undefined);
  const given = givenPaths.flatMap((path) => valuesAt(values, path));
  const text = commits?.document && document && values[document.name];
  const transfers = typeof text === "string" ? readCreditTransfers(text) : [];
  if (!transfers || !given.every(isAmount)) return {};
  const number = account === undefined ? undefined : accountNumberOf(values[account]);
  const amounts = [
    ...given.map(({ amount, currency }) => ({
      amount: String(amount),
      currency,
      ...(number !== undefined && { account: number }),
    })),
    ...transfers.map(({ amount, currency, account: debited }) => ({
      amount,
      currency,
      ...(debited !== undefined && { account: normalizeAccountNumber(debited) }),
    })),
  ];
  const creditors = [
    ...givenPaths
      .flatMap((path) =>
        creditor === undefined ? [undefined] : valuesAt(values, [...path.slice(0, -1), creditor]),
      )
      .map(creditorIbanOf),
    ...transfers.map(({ creditor: iban }) =>
      iban !== undefined && isIban(iban) ? normalizeAccountNumber(iban) : undefined,
    ),
  ];
  return {
    ...(amounts.length > 0 && !isUnbounded && { amounts }),
    ...(creditors.length > 0 && areKnown(creditors) && { creditors }),
  };
}

const areKnown = (creditors: readonly (string | undefined)[]): creditors is readonly string[] =>
  !creditors.includes(undefined);
