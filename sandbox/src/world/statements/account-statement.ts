/** Account statements, created from the ledger. */
import type { Balance, Entry } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import type { Account } from "../model/account";
import { bankIn, homeCountryOf, internationalAddress } from "../banks/banks";
import { formatDecimalAmount } from "../money/currencies";
import { addDays, dayOf, daysBetween, startOf } from "@fxdesk/toolkit/calendars";
import { type BookedLine, type Counterparty, type EntryKind, type Exchange } from "../ledger/ledger";
import { availableLines } from "../accounts/accounts";
import type { Client } from "../parties/parties";
import type { AccountStatement, AsOf, Period, StatementOutcome, Statement } from "../model/statement";
import type { World } from "../model/world";

function linesBetween(lines: readonly BookedLine[], { from, to }: Period): BookedLine[] {
  const [begin, end] = [startOf(from), startOf(addDays(to, 1))];
  return lines.filter(({ entry: { bookedAt } }) => begin <= bookedAt && bookedAt < end);
}

export const linesInPeriod = (world: World, account: Account, period: Period): BookedLine[] =>
  linesBetween(availableLines(world, account), period);

const toCreditDebit = (amount: Big, currency: string) => ({
  creditDebit: amount.lt(0) ? ("Debit" as const) : ("Credit" as const),
  amount: formatDecimalAmount(amount.abs(), currency),
});

const toCounterparty = ({ name, iban, accountNumber, bic }: Counterparty) => {
  const account = iban ?? accountNumber;
  return { name, ...(account !== undefined && { account }), ...(bic !== undefined && { bic }) };
};

/** SWIFT transaction type codes. */
export const swiftCodes: Readonly<Record<EntryKind, string>> = {
  transfer: "NTRF",
  return: "NRTI",
  exchange: "NFEX",
  fee: "NCHG",
  interest: "NINT",
  margin: "NMAR",
};

/** Returns the rate of an exchange and the amount of its other side. */
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

const entriesOf = (lines: readonly BookedLine[], currency: string): Iterable<Entry> => ({
  *[Symbol.iterator]() {
    for (const line of lines) yield toEntry(line, currency);
  },
});

const clampDay = (day: string, first: string, last: string) =>
  day < first ? first : day > last ? last : day;

/**
 * Returns the days of the opening and closing balance: the day before the period and its last day, limited to the time
 * between account opening and now. Both are the period's last day if it ends before the account was opened.
 */
function balanceDays(all: readonly BookedLine[], { from, to }: Period, now: Date) {
  const opened = dayOf(all.at(0)?.entry.bookedAt ?? now);
  const eve = addDays(opened, -1);
  const opening = clampDay(addDays(from, -1), eve < to ? eve : to, dayOf(now));
  return { opening, closing: clampDay(to, opening, dayOf(now)) };
}

/** Returns the day of the year, from 1. */
const dayOfYear = (day: string) => 1 + daysBetween(`${day.slice(0, 4)}-01-01`, day);

const maxDaysOfYear = 366;
/** Range of numbers for longer periods, so that all numbers have at most five digits. */
const maxPeriodNumbers = 99_999 - maxDaysOfYear;

/**
 * Numbers daily statements by day of the year, and other periods above that range. Periods longer than a year can share
 * a number; their references still differ.
 */
function statementNumber({ from, to }: Period): number {
  const last = dayOfYear(to);
  if (from === to) return last;
  const first = last - daysBetween(from, to);
  return maxDaysOfYear + ((((last * (last - 1)) / 2 + first - 1 + maxPeriodNumbers) % maxPeriodNumbers) + 1);
}

/** Returns a reference from account, last day and length. At most 16 characters, to fit every format. */
const statementReference = ({ listNumber }: Account, { from, to }: Period) =>
  from === to
    ? `${listNumber}-${to.replaceAll("-", "")}`
    : `${listNumber}${to.slice(2).replaceAll("-", "")}+${daysBetween(from, to).toString(36).toUpperCase()}`;

/** Returns the current position in an account's lines. */
export const asOfNow = (world: World, account: Account): AsOf => ({
  time: world.now,
  lines: availableLines(world, account).length,
});

/** Creates the statement of a period, as of now or an earlier position. */
export function createAccountStatement(
  world: World,
  client: Client,
  account: Account,
  period: Period,
  asOf: AsOf = asOfNow(world, account),
): AccountStatement {
  const { currency, digits } = account;
  const country = homeCountryOf(currency);
  const all = availableLines(world, account).slice(0, asOf.lines);
  const lines = linesBetween(all, period);
  const begin = startOf(period.from);
  const opening = all.findLast(({ entry }) => entry.bookedAt < begin)?.balance ?? new Big(0);
  const closing = lines.at(-1)?.balance ?? opening;
  const days = balanceDays(all, period, asOf.time);
  const covered = { from: clampDay(addDays(days.opening, 1), period.from, days.closing), to: days.closing };
  const balance = (amount: Big, date: string): Balance => ({ ...toCreditDebit(amount, currency), date });
  return {
    account: {
      number: internationalAddress(country, digits).account_number,
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

/** Time to prepare a statement. */
export const preparationMs = 300;

/** Delays or fails a statement as a control has set it. */
export function applyOutcome(
  { now }: World,
  statement: Statement,
  { failed, delayMs }: StatementOutcome,
): void {
  const ready = Math.max(statement.readyAt.getTime(), now.getTime());
  statement.readyAt = new Date(ready + delayMs);
  statement.failed = failed;
}
