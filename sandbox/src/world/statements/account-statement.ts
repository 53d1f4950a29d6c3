/** The statement of an account, read from the books. */
import type { Balance, Entry } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import type { Account } from "../accounts/account";
import { bankIn, homeCountryOf, internationalAddress } from "../accounts/banks";
import { formatDecimalAmount } from "../money/currencies";
import { addDays, dayOf, daysBetween, startOf } from "../calendar/days";
import {
  type BookedLine,
  balanceAccount,
  type Counterparty,
  type EntryKind,
  type Exchange,
  type BookedLines,
} from "../ledger/ledger";
import type { Client } from "../parties/parties";
import type { AccountStatement, AsOf, Period } from "./statement";
import type { World } from "../world";

const availableAccount = (account: Account) => balanceAccount(account, "InterimAvailable");

const linesBetween = (lines: BookedLines, { from, to }: Period): BookedLines =>
  lines.between(startOf(from), startOf(addDays(to, 1)));

export const linesInPeriod = ({ ledger }: World, account: Account, period: Period): BookedLines =>
  linesBetween(ledger.lines(availableAccount(account)), period);

const toCreditDebit = (amount: Big, currency: string) => ({
  creditDebit: amount.lt(0) ? ("Debit" as const) : ("Credit" as const),
  amount: formatDecimalAmount(amount.abs(), currency),
});

const toCounterparty = ({ name, iban, accountNumber, bic }: Counterparty) => {
  const account = iban ?? accountNumber;
  return { name, ...(account !== undefined && { account }), ...(bic !== undefined && { bic }) };
};

/** SWIFT transaction types. */
export const swiftCodes: Readonly<Record<EntryKind, string>> = {
  transfer: "NTRF",
  return: "NRTI",
  exchange: "NFEX",
  fee: "NCHG",
  interest: "NINT",
  margin: "NMAR",
};

/** The rate of an exchange, and what stands on its other side. */
const toExchangeFields = ({ rate, sold, bought }: Exchange, currency: string) => ({
  exchangeRate: rate,
  instructedAmount: sold.currency === currency ? bought : sold,
});

function toEntry({ lineId, entry, amount }: BookedLine, currency: string): Entry {
  const { bookedAt, valueAt, kind, reference, endToEnd, information, additionalInformation, counterparty } =
    entry;
  return {
    bookingDate: dayOf(bookedAt),
    valueDate: dayOf(valueAt),
    ...toCreditDebit(amount, currency),
    transactionCode: swiftCodes[kind],
    ...(entry.exchange && toExchangeFields(entry.exchange, currency)),
    ...(endToEnd ? { endToEndId: reference } : { customerReference: reference }),
    bankReference: lineId,
    remittance: information,
    ...(counterparty && { counterparty: toCounterparty(counterparty) }),
    ...(additionalInformation !== undefined && { additionalInformation }),
  };
}

const entriesOf = (lines: BookedLines, currency: string): Iterable<Entry> => ({
  *[Symbol.iterator]() {
    for (const line of lines) yield toEntry(line, currency);
  },
});

const clampDay = (day: string, first: string, last: string) =>
  day < first ? first : day > last ? last : day;

/**
 * The days of the balances: the evening before the period and its last; neither before the account was opened nor ahead.
 * Of a period before all that, both are its last day.
 */
function balanceDays(all: BookedLines, { from, to }: Period, now: Date) {
  const opened = dayOf(all.at(0)?.entry.bookedAt ?? now);
  const eve = addDays(opened, -1);
  const opening = clampDay(addDays(from, -1), eve < to ? eve : to, dayOf(now));
  return { opening, closing: clampDay(to, opening, dayOf(now)) };
}

/** From 1 in every year. */
const dayOfYear = (day: string) => 1 + daysBetween(`${day.slice(0, 4)}-01-01`, day);

const maxDaysOfYear = 366;
/** Numbers of longer periods, which fit into five digits. */
const maxPeriodNumbers = 99_999 - maxDaysOfYear;

/**
 * Daily statements count up within a year. Behind them there is a number for every other period of the year; one that is
 * longer than a year shares its number with others, and has a reference of its own all the same.
 */
function statementNumber({ from, to }: Period): number {
  const last = dayOfYear(to);
  if (from === to) return last;
  const first = last - daysBetween(from, to);
  return maxDaysOfYear + ((((last * (last - 1)) / 2 + first - 1 + maxPeriodNumbers) % maxPeriodNumbers) + 1);
}

/** Which account, until which day, and how many days of it: 16 characters at most, so that every format has room. */
const statementReference = ({ listNumber }: Account, { from, to }: Period) =>
  from === to
    ? `${listNumber}-${to.replaceAll("-", "")}`
    : `${listNumber}${to.slice(2).replaceAll("-", "")}+${daysBetween(from, to).toString(36).toUpperCase()}`;

/** What is booked on an account now. */
export const asOfNow = ({ ledger, now: time }: World, account: Account): AsOf => ({
  time,
  lines: ledger.lines(availableAccount(account)).length,
});

/** What is booked on an account in a period, or was at some time. */
export function createAccountStatement(
  world: World,
  client: Client,
  account: Account,
  period: Period,
  asOf: AsOf = asOfNow(world, account),
): AccountStatement {
  const { currency, digits } = account;
  const country = homeCountryOf(currency);
  const all = world.ledger.lines(availableAccount(account)).first(asOf.lines);
  const lines = linesBetween(all, period);
  const opening = all.between(new Date(0), startOf(period.from)).at(-1)?.balance ?? new Big(0);
  const closing = lines.at(-1)?.balance ?? opening;
  const days = balanceDays(all, period, asOf.time);
  const covered = { from: clampDay(addDays(days.opening, 1), period.from, days.closing), to: days.closing };
  const balance = (amount: Big, date: string): Balance => ({ ...toCreditDebit(amount, currency), date });
  return {
    account: {
      number: internationalAddress(country, digits).accountNumber,
      currency,
      bic: bankIn(country).bic,
      holder: client.name,
    },
    reference: statementReference(account, covered),
    number: statementNumber(covered),
    openingBalance: balance(opening, days.opening),
    closingBalance: balance(closing, days.closing),
    entries: entriesOf(lines, currency),
    period,
    holder: client,
    writtenAt: asOf.time,
  };
}
