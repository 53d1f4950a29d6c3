/** The fields of a statement as MT940 has room for them, and what those of a file say. */
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
  type StatementHead,
  type StatementTail,
} from "../statement";
import { toSwiftCode } from "../transaction-codes";
import { toInformationLines, toPlainLines, parseInformation, parseSupplementary } from "./information";
import { joinLines } from "./lines";
import type { Mt940Options } from "./options";

export const tagPosition = (field: string): Position => ({ format: "MT940", field });

/** What stands in a reference field when there is none. */
export const noReference = "NONREF";

/** No reference: it says that there is none, or under which word of :86: it stands. */
const noReferencePattern = /^(?:NONREF|[EPK]REF\+?|MARF\+?)$/;

/** A reference; undefined where the text is none. */
export function parseReference(text = ""): string | undefined {
  const collapsed = collapseWhitespace(text);
  return collapsed === "" || noReferencePattern.test(collapsed) ? undefined : collapsed;
}

/**
 * A reference of at most 16 characters, which neither begins nor ends with a slash nor has two in a row. A longer one is
 * left out, because a part of a reference is a wrong reference.
 */
export function normaliseReference(text = ""): string | undefined {
  const normalised = trimSlashes(toSwiftX(text).replace(/\/{2,}/g, "/"));
  return normalised.length > 16 ? undefined : parseReference(normalised);
}

/** An IBAN stands alone, since it says which bank it is of; other numbers follow the BIC. */
export function formatAccount(account: Account): string {
  const number = removeWhitespace(toSwiftX(account.number));
  const bic = removeWhitespace(toSwiftX(account.bic ?? ""));
  return (isIban(number) || bic === "" ? number : `${bic}/${number}`).slice(0, 35);
}

const bicPattern = "[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?";
const bicPrefixPattern = new RegExp(`^(${bicPattern})/(.+)$`);
const bicOnlyPattern = new RegExp(`^${bicPattern}$`);

/**
 * The account a :25: or :25P: names, the BIC before it or on the next line. Some banks write it in groups, or append the
 * currency to it.
 */
export function parseAccount(lines: readonly string[], currency: string): Account {
  const [first = "", ...others] = lines.map(removeWhitespace);
  const next = others.find((line) => bicOnlyPattern.test(line));
  const [, bic = next, number = first] = bicPrefixPattern.exec(first) ?? [];
  const before = number.endsWith(currency) ? number.slice(0, -currency.length) : number;
  // Only behind a digit: letters may be of the number itself.
  return withoutUndefined<Account>({ number: /\d$/.test(before) ? before : number, currency, bic });
}

/** An entry date is a month and a day, so it is of the year that brings it nearest to the value date. */
function normaliseBookingDate({ bookingDate, valueDate }: Entry, position: Position): string {
  const mmdd = formatYymmdd(bookingDate, position).slice(2);
  if (bookingDate.slice(0, 7) === valueDate.slice(0, 7)) return bookingDate;
  return nearestDate(mmdd, valueDate) === bookingDate ? bookingDate : valueDate;
}

const normaliseSupplementary = (text = "") =>
  truncate(toSwiftX(text).replace(/^[:\- ]+/, ""), 34) || undefined;

/** What a :61: says of an entry. */
export interface StatementLine extends Pick<
  Entry,
  | "bookingDate"
  | "valueDate"
  | "amount"
  | "creditDebit"
  | "reversal"
  | "customerReference"
  | "bankReference"
  | "additionalInformation"
> {
  readonly transactionCode: string;
}

/** The lines of an entry's :86:. Throws for a rate or an amount in it that is none. */
export function checkedInformationLines(entry: Entry, { subTags = false }: Mt940Options): string[] {
  const position = tagPosition(":86:");
  const exchange = normaliseExchange(entry, {
    exchangeRate: position,
    instructedAmount: position,
    charges: position,
  });
  return toInformationLines({ ...entry, ...withoutUndefined<Partial<Entry>>(exchange) }, subTags);
}

/** What :61: carries of an entry. */
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
 * An entry from what its two fields say. What :61: says goes before what the text of :86: repeats, but its supplementary
 * details behind it.
 */
export function toEntry(line: StatementLine, information: readonly string[]): Entry {
  const details = parseSupplementary(line.additionalInformation ?? "");
  const parsedInformation = parseInformation(information);
  const counterparty = { ...details.counterparty, ...parsedInformation.counterparty };
  return {
    ...details,
    ...parsedInformation,
    ...(Object.keys(counterparty).length > 0 && { counterparty }),
    ...line,
  };
}

/** The end of a statement as MT940 carries it. */
export function normaliseTail(tail: StatementTail, currency: string): StatementTail {
  const { closingBalance, availableBalance, forwardBalances = [] } = tail;
  const forward = forwardBalances.map((balance) => normaliseBalance(balance, currency, tagPosition(":65:")));
  return withoutUndefined<StatementTail>({
    closingBalance: normaliseBalance(closingBalance, currency, tagPosition(":62F:")),
    availableBalance: availableBalance && normaliseBalance(availableBalance, currency, tagPosition(":64:")),
    forwardBalances: forward.length > 0 ? forward : undefined,
    information: collapseWhitespace(joinLines(toPlainLines(tail.information ?? ""))) || undefined,
  });
}

/** The beginning of a statement as MT940 carries it. */
export function normaliseHead(statement: StatementHead): StatementHead {
  const { openingBalance } = statement;
  const account = parseAccount([formatAccount(statement.account)], statement.account.currency);
  assertHead(
    { ...statement, account },
    { account: tagPosition(":25:"), currency: tagPosition(":60F:"), number: tagPosition(":28C:") },
  );
  return withoutUndefined<StatementHead>({
    account,
    reference: normaliseReference(statement.reference),
    number: statement.number % 100_000,
    openingBalance: normaliseBalance(openingBalance, account.currency, tagPosition(":60F:")),
  });
}
