/**
 * A bank statement as every format here reads and writes it. Names follow ISO 20022 (camt.053), indicators the
 * contract's BalanceData.
 *
 * Amounts are decimal text with a dot, without a sign, in units of their currency ("12.50" is twelve and a half).
 * Read ones have at least the currency's minor units. Dates are calendar days, YYYY-MM-DD.
 */

import { FormatError, type Position } from "./format-error";

/** Which way the account moves: a credit raises its balance, a debit lowers it. */
export type CreditDebit = "Credit" | "Debit";

export interface Balance {
  readonly creditDebit: CreditDebit;
  readonly amount: string;
  readonly date: string;
}

export interface Money {
  readonly amount: string;
  /** ISO 4217 code. */
  readonly currency: string;
}

export interface Account {
  /** IBAN, or the bank's own number where there is none. */
  readonly number: string;
  /** ISO 4217 code. All amounts of the statement are in it, unless they say otherwise. */
  readonly currency: string;
  readonly bic?: string;
  readonly holder?: string;
}

/** Who is on the other side: the creditor of a debit, the debtor of a credit. */
export interface Counterparty {
  readonly name?: string;
  readonly account?: string;
  readonly bic?: string;
}

export interface Entry {
  readonly bookingDate: string;
  readonly valueDate: string;
  readonly amount: string;
  /** What the entry does to the account, also when it is a reversal. */
  readonly creditDebit: CreditDebit;
  /** The entry takes back an earlier one: a debit with it takes back a credit. */
  readonly reversal?: boolean;
  /** SWIFT transaction type (`NTRF`) or CODA transaction code (eight digits). Writers translate what is not theirs. */
  readonly transactionCode?: string;
  /** The account owner's reference of the instruction. */
  readonly customerReference?: string;
  readonly bankReference?: string;
  readonly endToEndId?: string;
  readonly mandateId?: string;
  /** The creditor's identifier in a direct debit. */
  readonly creditorId?: string;
  readonly counterparty?: Counterparty;
  /** Structured remittance: a Belgian reference of twelve digits, or an ISO 11649 reference (`RF…`). */
  readonly creditorReference?: string;
  /** Unstructured remittance information. */
  readonly remittance?: string;
  /** ISO 20022 purpose code. */
  readonly purpose?: string;
  /** ISO 20022 return reason code. */
  readonly returnReason?: string;
  /** Decimal text. */
  readonly exchangeRate?: string;
  /** The amount as instructed, before exchange and charges. */
  readonly instructedAmount?: Money;
  readonly charges?: Money;
  /** What the bank says of the entry: its booking text, or MT940's supplementary details. */
  readonly additionalInformation?: string;
  /** The parts of an amount booked as one sum. They add nothing to the balance. */
  readonly details?: readonly Entry[];
}

/** What is known of a statement before its entries. */
export interface StatementHead {
  readonly account: Account;
  /** The statement's identification. */
  readonly reference?: string;
  /** Counts up by statement, usually from 1 in every year. */
  readonly number: number;
  readonly openingBalance: Balance;
}

/** What is known of a statement after its entries. */
export interface StatementTail {
  /** Booked balance: the opening balance and all entries. */
  readonly closingBalance: Balance;
  readonly availableBalance?: Balance;
  /** Available balances on days to come. */
  readonly forwardBalances?: readonly Balance[];
  /** What the bank says of the statement as a whole. */
  readonly information?: string;
}

export interface Statement extends StatementHead, StatementTail {
  readonly entries: readonly Entry[];
}

/** An amount as decimal text with its sign: a debit is negative. */
export const signedAmount = ({
  amount,
  creditDebit,
}: Pick<Entry | Balance, "amount" | "creditDebit">): string =>
  creditDebit === "Debit" ? `-${amount}` : amount;

/** Throws a FormatError for a head that no format carries; says in whose place each value would be. */
export function assertHead(
  { account, number }: StatementHead,
  positions: Readonly<Record<"account" | "currency" | "number", Position>>,
): void {
  if (account.number.trim() === "")
    throw new FormatError("missing", positions.account, "the account has no number");
  if (!/^[A-Z]{3}$/.test(account.currency))
    throw new FormatError("invalid", positions.currency, "a currency is three capital letters");
  if (!Number.isSafeInteger(number) || number < 0)
    throw new FormatError("invalid", positions.number, "a statement number is a whole number from 0");
}

export type Source<T> = Iterable<T> | AsyncIterable<T>;

/** A statement to be written. Its entries may be made while they are written, so that any number of them fits. */
export interface StatementSource extends StatementHead, StatementTail {
  readonly entries: Source<Entry>;
}

/** Fields without those that have no value. A plain loop: it runs several times for every entry. */
export function withoutUndefined<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  const defined: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name];
  return defined as T;
}

/** The counterparty, when anything is known of it. */
export function toCounterparty(known: {
  [K in keyof Counterparty]: string | undefined;
}): Counterparty | undefined {
  const counterparty = withoutUndefined<Counterparty>(known);
  return Object.keys(counterparty).length > 0 ? counterparty : undefined;
}
