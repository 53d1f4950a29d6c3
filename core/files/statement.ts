/**
 * The bank statement that all formats read and write. Names follow ISO 20022 (camt.053), indicators the contract's
 * BalanceData.
 *
 * Amounts are unsigned decimal text with a point, in units of their currency: "12.50". When read, they have at least the
 * decimals of their currency. Dates are calendar days, YYYY-MM-DD.
 */

import { FormatError, type Position, type Violation } from "./format-error";

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

/** Stands for the number and the currency of an account that a file does not name, as in ISO 20022 and ISO 4217. */
export const unknownAccount = { number: "NOTPROVIDED", currency: "XXX" } as const satisfies Account;

/** Balance of another kind than those with a field of their own. */
export interface TypedBalance extends Balance {
  /** ISO 20022 code, for example `ITBD` or `PRCD`, or the bank's own. */
  readonly type: string;
  readonly currency: string;
}

/** A postal address in its elements, with the free lines that remain. */
export interface PostalAddress {
  readonly department?: string;
  readonly street?: string;
  readonly buildingNumber?: string;
  readonly buildingName?: string;
  readonly floor?: string;
  readonly postBox?: string;
  readonly room?: string;
  readonly postCode?: string;
  readonly town?: string;
  readonly district?: string;
  readonly subdivision?: string;
  /** ISO 3166-1 code of two letters. */
  readonly country?: string;
  readonly lines?: readonly string[];
}

/** The other party: the creditor of a debit, the debtor of a credit. */
export interface Counterparty {
  readonly name?: string;
  readonly account?: string;
  readonly bic?: string;
  readonly address?: PostalAddress;
  /** Identifier of the party, for example a tax number. */
  readonly id?: string;
  /** Legal Entity Identifier. */
  readonly lei?: string;
  readonly bankName?: string;
  readonly bankAddress?: PostalAddress;
  /** Number of the bank in a national clearing system. */
  readonly bankCode?: string;
}

/** An invoice or another document that a payment settles. */
export interface RemittanceDocument {
  readonly type?: string;
  readonly number?: string;
  readonly date?: string;
  /** Amount remitted, or else due, for this document. */
  readonly amount?: Money;
  /** True if the amount is a credit note, which reduces the payment. */
  readonly creditNote?: boolean;
}

/** A charge of the bank. */
export interface Charge extends Money {
  readonly creditDebit?: CreditDebit;
  /** True if the charge is part of the amount of the entry. */
  readonly included?: boolean;
  readonly type?: string;
}

/** The order that was booked as one sum. */
export interface Batch {
  readonly messageId?: string;
  readonly paymentInformationId?: string;
  readonly count?: number;
  readonly amount?: Money;
}

/** Currencies of an exchange; the rate is `exchangeRate`. */
export interface Exchange {
  readonly source?: string;
  readonly target?: string;
  /** The currency that the rate counts one unit of. */
  readonly unit?: string;
}

/** `Future` is a booking that the bank announces; only booked entries change the booked balance. */
export type EntryStatus = "Pending" | "Future" | "Information";

export interface Entry {
  readonly bookingDate: string;
  readonly valueDate: string;
  readonly amount: string;
  /** Effect on the account, also for a reversal. */
  readonly creditDebit: CreditDebit;
  /** True if the entry reverses an earlier one: a debit then reverses a credit. */
  readonly reversal?: boolean;
  /** Undefined for a booked entry. */
  readonly status?: EntryStatus;
  /** SWIFT transaction type (`NTRF`) or CODA transaction code (eight digits). Writers convert between the two. */
  readonly transactionCode?: string;
  /** ISO 20022 domain, family and sub-family: `PMNT-RCDT-ESCT`. */
  readonly bankTransactionCode?: string;
  /** The bank's own code. */
  readonly proprietaryCode?: string;
  /** The account owner's reference of the instruction. */
  readonly customerReference?: string;
  readonly bankReference?: string;
  readonly endToEndId?: string;
  /** Identifications of the payment message and of its batch. */
  readonly messageId?: string;
  readonly paymentInformationId?: string;
  readonly transactionId?: string;
  /** Unique end-to-end transaction reference, a UUID. */
  readonly uetr?: string;
  readonly mandateId?: string;
  /** The creditor's identifier in a direct debit. */
  readonly creditorId?: string;
  readonly counterparty?: Counterparty;
  /** The party on whose behalf the counterparty pays or receives. */
  readonly ultimateCounterparty?: string;
  /** Structured remittance: a Belgian reference of twelve digits, or an ISO 11649 reference (`RF…`). */
  readonly creditorReference?: string;
  /** Unstructured remittance information. */
  readonly remittance?: string;
  /** Documents that the payment settles. */
  readonly documents?: readonly RemittanceDocument[];
  /** ISO 20022 purpose code. */
  readonly purpose?: string;
  /** ISO 20022 return reason code. */
  readonly returnReason?: string;
  readonly returnText?: string;
  /** Decimal text. */
  readonly exchangeRate?: string;
  readonly exchange?: Exchange;
  /** The amount as instructed, before exchange and charges. */
  readonly instructedAmount?: Money;
  /** Total of the charges. */
  readonly charges?: Money;
  /** The single charges, where the bank says more than the total. */
  readonly chargeRecords?: readonly Charge[];
  /** Booking text of the bank, or the supplementary details of MT940. */
  readonly additionalInformation?: string;
  readonly batch?: Batch;
  /** Parts of an amount booked as one sum. They do not add to the balance. */
  readonly details?: readonly Entry[];
}

/** An interim report (camt.052, MT942) or a notification of entries (camt.054). */
export type StatementKind = "Interim" | "Notification";

/** The fields of a statement that come before its entries. */
export interface StatementHead {
  /** Undefined for an end-of-day statement. */
  readonly kind?: StatementKind;
  readonly account: Account;
  /** The statement's identification. */
  readonly reference?: string;
  /** Counts up by statement, usually from 1 in every year; 0 if the bank does not count. */
  readonly number: number;
  /** Booked balance before the entries; interim reports and notifications may lack it. */
  readonly openingBalance?: Balance;
}

/** The fields of a statement that come after its entries. */
export interface StatementTail {
  /** Booked balance: the opening balance and all entries. */
  readonly closingBalance?: Balance;
  readonly availableBalance?: Balance;
  /** Available balances on future days. */
  readonly forwardBalances?: readonly Balance[];
  readonly otherBalances?: readonly TypedBalance[];
  /** Information of the bank on the whole statement. */
  readonly information?: string;
}

/** A head and a tail with the booked balances that MT940, CODA and CSV require. */
export type BookedHead = StatementHead & { readonly openingBalance: Balance };
export type BookedTail = StatementTail & { readonly closingBalance: Balance };

/** True for an entry that is part of the booked balance. */
export const isBooked = ({ status }: Pick<Entry, "status">): boolean => status === undefined;

export interface Statement extends StatementHead, StatementTail {
  readonly entries: readonly Entry[];
  /** Faults of the file that did not prevent reading the statement. */
  readonly violations?: readonly Violation[];
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

/** An object whose fields are added one by one, which is much faster than joining objects. */
export type DraftOf<T> = { -readonly [F in keyof T]?: T[F] };

/** Sets a field that has a value. */
export function put<T extends object, F extends keyof T>(
  draft: DraftOf<T>,
  field: F,
  value: T[F] | undefined,
): void {
  if (value !== undefined) draft[field] = value;
}

/** Drops fields without a value. A plain loop for speed: it runs several times per entry. */
export function withoutUndefined<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  const defined: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name];
  return defined as T;
}

/** Returns the counterparty; undefined if all fields are. */
export function toCounterparty(known: {
  [K in keyof Counterparty]: Counterparty[K] | undefined;
}): Counterparty | undefined {
  const counterparty = withoutUndefined<Counterparty>(known);
  return Object.keys(counterparty).length > 0 ? counterparty : undefined;
}
