/**
 * The bank statement that all formats read and write. Names follow ISO 20022 (camt.053), indicators the contract's
 * BalanceData.
 *
 * Amounts are unsigned decimal text with a point, in units of their currency: "12.50". When read, they have at least the
 * decimals of their currency. Dates are calendar days, YYYY-MM-DD.
 */

import { FormatError, type Position } from "./format-error";

/** Direction: a credit raises the balance of the account, a debit lowers it. */
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
  /** IBAN, or else the number at the bank. */
  readonly number: string;
  /** ISO 4217 code of all amounts that have no currency of their own. */
  readonly currency: string;
  readonly bic?: string;
  readonly holder?: string;
}

/** The other party: the creditor of a debit, the debtor of a credit. */
export interface Counterparty {
  readonly name?: string;
  readonly account?: string;
  readonly bic?: string;
}

export interface Entry {
  readonly bookingDate: string;
  readonly valueDate: string;
  readonly amount: string;
  /** Effect on the account, also for a reversal. */
  readonly creditDebit: CreditDebit;
  /** True if the entry reverses an earlier one: a debit then reverses a credit. */
  readonly reversal?: boolean;
  /** SWIFT transaction type (`NTRF`) or CODA transaction code (eight digits). Writers convert between the two. */
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
  /** Booking text of the bank, or the supplementary details of MT940. */
  readonly additionalInformation?: string;
  /** Parts of an amount booked as one sum. They do not add to the balance. */
  readonly details?: readonly Entry[];
}

/** The fields of a statement that come before its entries. */
export interface StatementHead {
  readonly account: Account;
  /** The statement's identification. */
  readonly reference?: string;
  /** Counts up by statement, usually from 1 in every year. */
  readonly number: number;
  readonly openingBalance: Balance;
}

/** The fields of a statement that come after its entries. */
export interface StatementTail {
  /** Booked balance: the opening balance and all entries. */
  readonly closingBalance: Balance;
  readonly availableBalance?: Balance;
  /** Available balances on future days. */
  readonly forwardBalances?: readonly Balance[];
  /** Information of the bank on the whole statement. */
  readonly information?: string;
}

export interface Statement extends StatementHead, StatementTail {
  readonly entries: readonly Entry[];
}

/** Returns the amount as signed decimal text: a debit is negative. */
export const signedAmount = ({
  amount,
  creditDebit,
}: Pick<Entry | Balance, "amount" | "creditDebit">): string =>
  creditDebit === "Debit" ? `-${amount}` : amount;

/** Throws a FormatError for a head that no format can represent. `positions` says where each value belongs. */
export function assertHead(
  { account, number }: Pick<StatementHead, "account" | "number">,
  positions: Readonly<Record<"account" | "currency" | "number", Position>>,
): void {
  if (account.number.trim() === "")
    throw new FormatError("missing", positions.account, "the account number is empty");
  if (!/^[A-Z]{3}$/.test(account.currency))
    throw new FormatError("invalid", positions.currency, "a currency must be three capital letters");
  if (!Number.isSafeInteger(number) || number < 0)
    throw new FormatError("invalid", positions.number, "a statement number must be a whole number from 0");
}

export type Source<T> = Iterable<T> | AsyncIterable<T>;

/** A statement to be written. Its entries may be generated during writing, so that memory use stays constant. */
export interface StatementSource extends StatementHead, StatementTail {
  readonly entries: Source<Entry>;
}

/** Drops fields without a value. A plain loop for speed: it runs several times per entry. */
export function withoutUndefined<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  const defined: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name];
  return defined as T;
}

/** Returns the counterparty; undefined if all fields are. */
export function toCounterparty(known: {
  [K in keyof Counterparty]: string | undefined;
}): Counterparty | undefined {
  const counterparty = withoutUndefined<Counterparty>(known);
  return Object.keys(counterparty).length > 0 ? counterparty : undefined;
}
