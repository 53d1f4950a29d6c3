import { requireIndicator, normaliseAmount, normaliseBalance, normaliseExchange } from "../amount";
import { toAscii, removeWhitespace, truncate } from "../charset";
import {
  type Account,
  assertHead,
  toCounterparty,
  type Entry,
  withoutUndefined,
  type Statement,
  type BookedHead,
  type BookedTail,
  isBooked,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { toCodaCode } from "../transaction-codes";
import { normaliseCommunication } from "./communication";
import { recordPosition } from "./values";

const normaliseText = (value: string | undefined, length: number) =>
  truncate(toAscii(value ?? ""), length) || undefined;
/** Drops references that are too long, because a truncated reference is wrong. */
const normaliseReference = (value: string | undefined, length: number) => {
  const full = toAscii(value ?? "");
  return full.length > length ? undefined : full || undefined;
};
const normaliseIdentifier = (value: string | undefined, length: number) =>
  removeWhitespace(toAscii(value ?? "")).slice(0, length) || undefined;

/** CODA does not write exchange data, but invalid data is an error in every format. */
function checkExchange(entry: Entry): void {
  const position = recordPosition("2.1");
  normaliseExchange(entry, { exchangeRate: position, instructedAmount: position, charges: position });
}

/** Returns an entry as CODA represents it. Details of details are dropped. */
export function normaliseEntry(entry: Entry, currency: string): Entry {
  const { counterparty = {}, details = [], reversal } = entry;
  const { name, ...communication } = normaliseCommunication(entry);
  const { account, bic } = counterparty;
  checkExchange(entry);
  const parts = details.map((detail) => normaliseEntry({ ...detail, details: [] }, currency));
  return withoutUndefined<Entry>({
    bookingDate: entry.bookingDate,
    valueDate: entry.valueDate,
    amount: normaliseAmount(entry.amount, currency, recordPosition("2.1")),
    creditDebit: requireIndicator(entry, recordPosition("2.1")),
    reversal: reversal || undefined,
    transactionCode: toCodaCode(entry),
    bankReference: normaliseReference(entry.bankReference, 21),
    endToEndId: normaliseReference(entry.endToEndId ?? entry.customerReference, 35),
    counterparty: toCounterparty({
      name,
      account: normaliseIdentifier(account, 34),
      bic: normaliseIdentifier(bic, 11),
    }),
    ...communication,
    purpose: normaliseText(entry.purpose, 4),
    returnReason: normaliseText(entry.returnReason, 4),
    details: parts.length > 0 ? parts : undefined,
  });
}

export function normaliseHead(statement: StatementHead): BookedHead {
  const { number, openingBalance } = statement;
  const { currency, bic, holder } = statement.account;
  const account = withoutUndefined<Account>({
    number: normaliseIdentifier(statement.account.number, 34) ?? "",
    currency,
    bic: normaliseIdentifier(bic, 11),
    holder: normaliseText(holder, 26),
  });
  const position = recordPosition("1");
  assertHead({ ...statement, account }, { account: position, currency: position, number: position });
  return withoutUndefined<BookedHead>({
    account,
    reference: normaliseReference(statement.reference, 16),
    number: number % 1000,
    openingBalance: normaliseBalance(openingBalance, currency, position),
  });
}

export const normaliseTail = ({ closingBalance, information }: StatementTail, currency: string): BookedTail =>
  withoutUndefined<BookedTail>({
    closingBalance: normaliseBalance(closingBalance, currency, recordPosition("8")),
    information: toAscii(information ?? "") || undefined,
  });

/**
 * Returns a statement as CODA represents it: exactly what reading the written file gives.
 *
 * Texts are converted to ASCII and cut to their fields; references that are too long are dropped. The end-to-end ID replaces
 * the customer reference. Mandates, exchange, charges, additional information and balances other than the booked one are
 * dropped. A statement without entries has no closing balance of its own.
 */
export function normaliseCoda(statement: Statement): Statement {
  const head = normaliseHead(statement);
  const { currency } = head.account;
  const entries = statement.entries.filter(isBooked).map((entry) => normaliseEntry(entry, currency));
  const tail = normaliseTail(statement, currency);
  return {
    ...head,
    ...tail,
    closingBalance: entries.length > 0 ? tail.closingBalance : head.openingBalance,
    entries,
  };
}
