/** The statement of an account, read from the books. */
import type { Balance, Entry } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import type { Account } from "../accounts/account";
import { bankIn, homeOf, internationalAddress } from "../accounts/banks";
import { written } from "../money/currencies";
import { addDays, dayOf, daysBetween, startOf } from "../calendar/days";
import {
  type BookedLine,
  bucketOf,
  type Counterparty,
  type EntryKind,
  type Exchange,
  type Lines,
} from "../ledger/ledger";
import type { Client } from "../parties/parties";
import type { AccountStatement, AsOf, Period } from "./statement";
import type { World } from "../world";

const books = (account: Account) => bucketOf(account, "InterimAvailable");

const within = (lines: Lines, { from, to }: Period): Lines =>
  lines.between(startOf(from), startOf(addDays(to, 1)));

export const linesIn = ({ ledger }: World, account: Account, period: Period): Lines =>
  within(ledger.lines(books(account)), period);

const sided = (amount: Big, currency: string) => ({
  creditDebit: amount.lt(0) ? ("Debit" as const) : ("Credit" as const),
  amount: written(amount.abs(), currency),
});

const counterpartyFrom = ({ name, iban, accountNumber, bic }: Counterparty) => {
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
const exchangeFrom = ({ rate, sold, bought }: Exchange, currency: string) => ({
  exchangeRate: rate,
  instructedAmount: sold.currency === currency ? bought : sold,
});

function entryFrom({ lineId, entry, amount }: BookedLine, currency: string): Entry {
  const { bookedAt, valueAt, kind, reference, endToEnd, information, additionalInformation, counterparty } =
    entry;
  return {
    bookingDate: dayOf(bookedAt),
    valueDate: dayOf(valueAt),
    ...sided(amount, currency),
    transactionCode: swiftCodes[kind],
    ...(entry.exchange && exchangeFrom(entry.exchange, currency)),
    ...(endToEnd ? { endToEndId: reference } : { customerReference: reference }),
    bankReference: lineId,
    remittance: information,
    ...(counterparty && { counterparty: counterpartyFrom(counterparty) }),
    ...(additionalInformation !== undefined && { additionalInformation }),
  };
}

const entriesOf = (lines: Lines, currency: string): Iterable<Entry> => ({
  *[Symbol.iterator]() {
    for (const line of lines) yield entryFrom(line, currency);
  },
});

const clamped = (day: string, first: string, last: string) => (day < first ? first : day > last ? last : day);

/**
 * The days of the balances: the evening before the period and its last; neither before the account was opened nor ahead.
 * Of a period before all that, both are its last day.
 */
function balanceDays(all: Lines, { from, to }: Period, now: Date) {
  const opened = dayOf(all.at(0)?.entry.bookedAt ?? now);
  const eve = addDays(opened, -1);
  const opening = clamped(addDays(from, -1), eve < to ? eve : to, dayOf(now));
  return { opening, closing: clamped(to, opening, dayOf(now)) };
}

/** From 1 in every year. */
const dayOfYear = (day: string) => 1 + daysBetween(`${day.slice(0, 4)}-01-01`, day);

const mostDays = 366;
/** Numbers of longer periods, which fit into five digits. */
const mostPeriods = 99_999 - mostDays;

/**
 * Daily statements count up within a year. Behind them there is a number for every other period of the year; one that is
 * longer than a year shares its number with others, and has a reference of its own all the same.
 */
function numberOf({ from, to }: Period): number {
  const last = dayOfYear(to);
  if (from === to) return last;
  const first = last - daysBetween(from, to);
  return mostDays + ((((last * (last - 1)) / 2 + first - 1 + mostPeriods) % mostPeriods) + 1);
}

/** Which account, until which day, and how many days of it: 16 characters at most, so that every format has room. */
const referenceOf = ({ listNumber }: Account, { from, to }: Period) =>
  from === to
    ? `${listNumber}-${to.replaceAll("-", "")}`
    : `${listNumber}${to.slice(2).replaceAll("-", "")}+${daysBetween(from, to).toString(36).toUpperCase()}`;

/** What is booked on an account now. */
export const asOfNow = ({ ledger, now: time }: World, account: Account): AsOf => ({
  time,
  lines: ledger.lines(books(account)).length,
});

/** What is booked on an account in a period, or was at some time. */
export function accountStatement(
  world: World,
  client: Client,
  account: Account,
  period: Period,
  asOf: AsOf = asOfNow(world, account),
): AccountStatement {
  const { currency, digits } = account;
  const country = homeOf(currency);
  const all = world.ledger.lines(books(account)).first(asOf.lines);
  const lines = within(all, period);
  const opening = all.between(new Date(0), startOf(period.from)).at(-1)?.balance ?? new Big(0);
  const closing = lines.at(-1)?.balance ?? opening;
  const days = balanceDays(all, period, asOf.time);
  const covered = { from: clamped(addDays(days.opening, 1), period.from, days.closing), to: days.closing };
  const balance = (amount: Big, date: string): Balance => ({ ...sided(amount, currency), date });
  return {
    account: {
      number: internationalAddress(country, digits).accountNumber,
      currency,
      bic: bankIn(country).bic,
      holder: client.name,
    },
    reference: referenceOf(account, covered),
    number: numberOf(covered),
    openingBalance: balance(opening, days.opening),
    closingBalance: balance(closing, days.closing),
    entries: entriesOf(lines, currency),
    period,
    holder: client,
    writtenAt: asOf.time,
  };
}
