/** The fields of a statement as MT940 has room for them, and what those of a file say. */
import { checkedIndicator, normalAmount, normalBalance, normalExchange } from "../amount";
import { compact, cut, squeeze, swiftX, withoutSlashes } from "../charset";
import { nearest, yymmdd } from "../dates";
import type { Place } from "../error";
import { isIban } from "../identifiers";
import {
  type Account,
  checkHead,
  type Entry,
  given,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { swiftCode } from "../transaction-codes";
import { informationLines, plainLines, readInformation, readSupplementary } from "./information";
import { joinedLines } from "./lines";
import type { Mt940Options } from "./options";

export const inTag = (field: string): Place => ({ format: "MT940", field });

/** What stands in a reference field when there is none. */
export const noReference = "NONREF";

/** No reference: it says that there is none, or under which word of :86: it stands. */
const saysNoReference = /^(?:NONREF|[EPK]REF\+?|MARF\+?)$/;

/** A reference; undefined where the text is none. */
export function knownReference(text = ""): string | undefined {
  const known = squeeze(text);
  return known === "" || saysNoReference.test(known) ? undefined : known;
}

/**
 * A reference of at most 16 characters, which neither begins nor ends with a slash nor has two in a row. A longer one is
 * left out, because a part of a reference is a wrong reference.
 */
export function reference(text = ""): string | undefined {
  const fitting = withoutSlashes(swiftX(text).replace(/\/{2,}/g, "/"));
  return fitting.length > 16 ? undefined : knownReference(fitting);
}

/** An IBAN stands alone, since it says which bank it is of; other numbers follow the BIC. */
export function accountText(account: Account): string {
  const number = compact(swiftX(account.number));
  const bic = compact(swiftX(account.bic ?? ""));
  return (isIban(number) || bic === "" ? number : `${bic}/${number}`).slice(0, 35);
}

const bicPattern = "[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?";
const bicBefore = new RegExp(`^(${bicPattern})/(.+)$`);
const isBic = new RegExp(`^${bicPattern}$`);

/**
 * The account a :25: or :25P: names, the BIC before it or on the next line. Some banks write it in groups, or append the
 * currency to it.
 */
export function accountFrom(lines: readonly string[], currency: string): Account {
  const [first = "", ...others] = lines.map(compact);
  const next = others.find((line) => isBic.test(line));
  const [, bic = next, number = first] = bicBefore.exec(first) ?? [];
  const before = number.endsWith(currency) ? number.slice(0, -currency.length) : number;
  // Only behind a digit: letters may be of the number itself.
  return given<Account>({ number: /\d$/.test(before) ? before : number, currency, bic });
}

/** An entry date is a month and a day, so it is of the year that brings it nearest to the value date. */
function sayableBookingDate({ bookingDate, valueDate }: Entry, place: Place): string {
  const mmdd = yymmdd(bookingDate, place).slice(2);
  if (bookingDate.slice(0, 7) === valueDate.slice(0, 7)) return bookingDate;
  return nearest(mmdd, valueDate) === bookingDate ? bookingDate : valueDate;
}

const supplementary = (text = "") => cut(swiftX(text).replace(/^[:\- ]+/, ""), 34) || undefined;

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
export function checkedInformation(entry: Entry, { subTags = false }: Mt940Options): string[] {
  const place = inTag(":86:");
  const exchange = normalExchange(entry, { exchangeRate: place, instructedAmount: place, charges: place });
  return informationLines({ ...entry, ...given<Partial<Entry>>(exchange) }, subTags);
}

/** What :61: carries of an entry. */
export function normalLine(entry: Entry, currency: string): StatementLine {
  const place = inTag(":61:");
  return given<StatementLine>({
    bookingDate: sayableBookingDate(entry, place),
    valueDate: entry.valueDate,
    amount: normalAmount(entry.amount, currency, place),
    creditDebit: checkedIndicator(entry, place),
    reversal: entry.reversal || undefined,
    transactionCode: swiftCode(entry),
    customerReference: reference(entry.customerReference),
    bankReference: reference(entry.bankReference),
    additionalInformation: supplementary(entry.additionalInformation),
  });
}

/**
 * An entry from what its two fields say. What :61: says goes before what the text of :86: repeats, but its supplementary
 * details behind it.
 */
export function entryFrom(line: StatementLine, information: readonly string[]): Entry {
  const details = readSupplementary(line.additionalInformation ?? "");
  const said = readInformation(information);
  const counterparty = { ...details.counterparty, ...said.counterparty };
  return {
    ...details,
    ...said,
    ...(Object.keys(counterparty).length > 0 && { counterparty }),
    ...line,
  };
}

/** The end of a statement as MT940 carries it. */
export function normalTail(tail: StatementTail, currency: string): StatementTail {
  const { closingBalance, availableBalance, forwardBalances = [] } = tail;
  const forward = forwardBalances.map((balance) => normalBalance(balance, currency, inTag(":65:")));
  return given<StatementTail>({
    closingBalance: normalBalance(closingBalance, currency, inTag(":62F:")),
    availableBalance: availableBalance && normalBalance(availableBalance, currency, inTag(":64:")),
    forwardBalances: forward.length > 0 ? forward : undefined,
    information: squeeze(joinedLines(plainLines(tail.information ?? ""))) || undefined,
  });
}

/** The beginning of a statement as MT940 carries it. */
export function normalHead(statement: StatementHead): StatementHead {
  const { openingBalance } = statement;
  const account = accountFrom([accountText(statement.account)], statement.account.currency);
  checkHead(
    { ...statement, account },
    { account: inTag(":25:"), currency: inTag(":60F:"), number: inTag(":28C:") },
  );
  return given<StatementHead>({
    account,
    reference: reference(statement.reference),
    number: statement.number % 100_000,
    openingBalance: normalBalance(openingBalance, account.currency, inTag(":60F:")),
  });
}
