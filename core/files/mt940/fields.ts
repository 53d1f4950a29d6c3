/** Converts the fields of a statement to and from MT940. */
import { requireIndicator, normaliseAmount, normaliseBalance, normaliseExchange } from "../amount";
import { removeWhitespace, truncate, collapseWhitespace, toSwiftX, trimSlashes } from "../charset";
import { nearestDate, formatYymmdd } from "../dates";
import type { Position } from "../format-error";
import { isIban } from "../identifiers";
import {
  type Account,
  assertHead,
  type Entry,
  withoutUndefined,
  type Statement,
  type BookedHead,
  type BookedTail,
  isBooked,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { toSwiftCode } from "../transaction-codes";
import { toInformationLines, toPlainLines, parseInformation, parseSupplementary } from "./information";
import { joinLines } from "./lines";

export interface Mt940Options {
  /** Writes :86: as code words between slashes, which programs can parse, instead of plain text. Default: false. */
  readonly subTags?: boolean;
}

export const tagPosition = (field: string): Position => ({ format: "MT940", field });

/** Placeholder for a missing reference. */
export const noReference = "NONREF";

/** Matches placeholders: NONREF, or the code word of :86: that has the reference. */
const noReferencePattern = /^(?:NONREF|[EPK]REF\+?|MARF\+?)$/;

/** Parses a reference; undefined for empty text and placeholders. */
export function parseReference(text = ""): string | undefined {
  const collapsed = collapseWhitespace(text);
  return collapsed === "" || noReferencePattern.test(collapsed) ? undefined : collapsed;
}

/**
 * Normalises a reference: no slashes at its ends, and no two in a row. Undefined above 16 characters, because a truncated
 * reference is wrong.
 */
export function normaliseReference(text = ""): string | undefined {
  const normalised = trimSlashes(toSwiftX(text).replace(/\/{2,}/g, "/"));
  return normalised.length > 16 ? undefined : parseReference(normalised);
}

/** Formats an account. The BIC precedes numbers other than IBANs, which identify the bank themselves. */
export function formatAccount(account: Account): string {
  const number = removeWhitespace(toSwiftX(account.number));
  const bic = removeWhitespace(toSwiftX(account.bic ?? ""));
  return (isIban(number) || bic === "" ? number : `${bic}/${number}`).slice(0, 35);
}

const bicPattern = "[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?";
const bicPrefixPattern = new RegExp(`^(${bicPattern})/(.+)$`);
const bicOnlyPattern = new RegExp(`^${bicPattern}$`);

/**
 * Parses the account of a :25: or :25P:, with the BIC before it or on the next line. Some banks write it in groups or append
 * the currency.
 */
export function parseAccount(lines: readonly string[], currency: string): Account {
  const [first = "", ...others] = lines.map(removeWhitespace);
  const next = others.find((line) => bicOnlyPattern.test(line));
  const [, bic = next, number = first] = bicPrefixPattern.exec(first) ?? [];
  const before = number.endsWith(currency) ? number.slice(0, -currency.length) : number;
  // Only after a digit: letters may belong to the number itself.
  return withoutUndefined<Account>({ number: /\d$/.test(before) ? before : number, currency, bic });
}

/** Keeps the booking date if it can be restored: MT940 stores no year, so readers assume the one nearest to the value date. */
function normaliseBookingDate({ bookingDate, valueDate }: Entry, position: Position): string {
  const mmdd = formatYymmdd(bookingDate, position).slice(2);
  if (bookingDate.slice(0, 7) === valueDate.slice(0, 7)) return bookingDate;
  return nearestDate(mmdd, valueDate) === bookingDate ? bookingDate : valueDate;
}

const normaliseSupplementary = (text = "") =>
  truncate(toSwiftX(text).replace(/^[:\- ]+/, ""), 34) || undefined;

/** The fields of an entry in :61:. */
export interface StatementLine extends Pick<
  Entry,
  | "bookingDate"
  | "valueDate"
  | "amount"
  | "creditDebit"
  | "reversal"
  | "status"
  | "customerReference"
  | "bankReference"
  | "additionalInformation"
> {
  readonly transactionCode: string;
}

/** Returns the lines of the :86: of an entry. Throws a FormatError for an invalid rate or amount. */
export function checkedInformationLines(entry: Entry, { subTags = false }: Mt940Options): string[] {
  const position = tagPosition(":86:");
  const exchange = normaliseExchange(entry, {
    exchangeRate: position,
    instructedAmount: position,
    charges: position,
  });
  return toInformationLines({ ...entry, ...withoutUndefined<Partial<Entry>>(exchange) }, subTags);
}

/** Returns the fields of an entry as :61: represents them. */
export function normaliseLine(entry: Entry, currency: string): StatementLine {
  const position = tagPosition(":61:");
  return withoutUndefined<StatementLine>({
    bookingDate: normaliseBookingDate(entry, position),
    valueDate: entry.valueDate,
    amount: normaliseAmount(entry.amount, currency, position),
    creditDebit: requireIndicator(entry, position),
    reversal: entry.reversal || undefined,
    transactionCode: toSwiftCode(entry),
    customerReference: normaliseReference(entry.customerReference),
    bankReference: normaliseReference(entry.bankReference),
    additionalInformation: normaliseSupplementary(entry.additionalInformation),
  });
}

/**
 * Builds an entry from :61: and :86:. The fields of :61: win over :86:, and :86: over the supplementary details.
 */
export function toEntry(line: StatementLine, information: readonly string[]): Entry {
  const entry = parseInformation(information);
  if (line.additionalInformation !== undefined) {
    const { counterparty, ...amounts } = parseSupplementary(line.additionalInformation);
    if (counterparty) entry.counterparty = { ...counterparty, ...entry.counterparty };
    Object.assign(entry, { ...amounts, ...entry });
  }
  return Object.assign(entry, line);
}

/** Returns the tail of a statement as MT940 represents it. */
export function normaliseTail(tail: StatementTail, currency: string): BookedTail {
  const { closingBalance, availableBalance, forwardBalances = [] } = tail;
  const forward = forwardBalances.map((balance) => normaliseBalance(balance, currency, tagPosition(":65:")));
  return withoutUndefined<BookedTail>({
    closingBalance: normaliseBalance(closingBalance, currency, tagPosition(":62F:")),
    availableBalance: availableBalance && normaliseBalance(availableBalance, currency, tagPosition(":64:")),
    forwardBalances: forward.length > 0 ? forward : undefined,
    information: collapseWhitespace(joinLines(toPlainLines(tail.information ?? ""))) || undefined,
  });
}

/** Returns the head of a statement as MT940 represents it. */
export function normaliseHead(statement: StatementHead): BookedHead {
  const { openingBalance } = statement;
  const account = parseAccount([formatAccount(statement.account)], statement.account.currency);
  assertHead(
    { ...statement, account },
    { account: tagPosition(":25:"), currency: tagPosition(":60F:"), number: tagPosition(":28C:") },
  );
  return withoutUndefined<BookedHead>({
    account,
    reference: normaliseReference(statement.reference),
    number: statement.number % 100_000,
    openingBalance: normaliseBalance(openingBalance, account.currency, tagPosition(":60F:")),
  });
}

/**
 * Returns a statement as MT940 represents it: exactly what reading the written file gives.
 *
 * Texts are converted to the SWIFT character set and cut to their fields. Dropped are references that are too long, the
 * account holder, the BIC of an IBAN, a currency at the end of an account number, details of entries, and booking dates more
 * than half a year from the value date. Without sub-tags, counterparty and references in :86: become one remittance text.
 */
export const normaliseMt940 = (statement: Statement, options: Mt940Options = {}): Statement => ({
  ...normaliseHead(statement),
  ...normaliseTail(statement, statement.account.currency),
  entries: statement.entries
    .filter(isBooked)
    .map((entry) =>
      toEntry(normaliseLine(entry, statement.account.currency), checkedInformationLines(entry, options)),
    ),
});
