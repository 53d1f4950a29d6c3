/** The statement of an account, read from the books. Every format is written from it. */
import { type Balance, type Entry, type StatementHead, type StatementTail } from "@fxdesk/toolkit/formats";
import type { Big } from "big.js";
import type { Account } from "../world/accounts";
import { bankIn, homeOf, internationalAddress } from "../world/banks";
import { written } from "../world/currencies";
import { addDays, dayMs, dayOf, startOf } from "../world/days";
import {
  type BookedLine,
  bucketOf,
  type Counterparty,
  type Lines,
  type TransactionType,
} from "../world/ledger";
import type { Client } from "../world/parties";
import type { World } from "../world/world";

/** Days of a statement, the first and the last included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export interface AccountStatement extends StatementHead, StatementTail {
  /** Made anew whenever they are read, so that any number of them takes no memory. */
  readonly entries: Iterable<Entry>;
  /** As it was asked for. */
  readonly period: Period;
  readonly holder: Client;
  readonly writtenAt: Date;
}

const books = (account: Account) => bucketOf(account, "InterimAvailable");

export const linesIn = ({ ledger }: World, account: Account, { from, to }: Period): Lines =>
  ledger.lines(books(account)).between(startOf(from), startOf(addDays(to, 1)));

const sided = (amount: Big, currency: string) => ({
  creditDebit: amount.lt(0) ? ("Debit" as const) : ("Credit" as const),
  amount: written(amount.abs(), currency),
});

const counterpartyFrom = ({ name, iban, accountNumber, bic }: Counterparty) => {
  const account = iban ?? accountNumber;
  return { name, ...(account !== undefined && { account }), ...(bic !== undefined && { bic }) };
};

/** SWIFT transaction types of what is not simply a transfer. */
const codes: Readonly<Partial<Record<TransactionType, string>>> = {
  incoming: "NTRF",
  payment_returned: "NRTI",
};

function entryFrom({ lineId, entry, amount }: BookedLine, currency: string): Entry {
  const { bookedAt, valueAt, type, reference, endToEnd, information, additionalInformation, counterparty } =
    entry;
  return {
    bookingDate: dayOf(bookedAt),
    valueDate: dayOf(valueAt),
    ...sided(amount, currency),
    transactionCode: codes[type] ?? (counterparty ? "NTRF" : "NMSC"),
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

const within = (day: string, first: string, last: string) => (day < first ? first : day > last ? last : day);

/**
 * The days of the balances: the evening before the period and its last; neither before the account was opened nor ahead.
 * Of a period before all that, both are its last day.
 */
function balanceDays({ ledger, now }: World, account: Account, { from, to }: Period) {
  const opened = dayOf(ledger.lines(books(account)).at(0)?.entry.bookedAt ?? now);
  const eve = addDays(opened, -1);
  const opening = within(addDays(from, -1), eve < to ? eve : to, dayOf(now));
  return { opening, closing: within(to, opening, dayOf(now)) };
}

/** From 1, so that daily statements count up within a year. */
const dayOfYear = (day: string) =>
  1 + (startOf(day).getTime() - startOf(`${day.slice(0, 4)}-01-01`).getTime()) / dayMs;

/** What was booked on an account in a period: what is booked later does not change it. */
export function accountStatement(
  world: World,
  client: Client,
  account: Account,
  period: Period,
): AccountStatement {
  const { currency, listNumber, digits } = account;
  const country = homeOf(currency);
  const lines = linesIn(world, account, period);
  const opening = world.ledger.balanceBefore(books(account), startOf(period.from));
  const closing = lines.at(-1)?.balance ?? opening;
  const days = balanceDays(world, account, period);
  const balance = (amount: Big, date: string): Balance => ({ ...sided(amount, currency), date });
  return {
    account: {
      number: internationalAddress(country, digits).accountNumber,
      currency,
      bic: bankIn(country).bic,
      holder: client.name,
    },
    reference: `${listNumber}-${days.closing.replaceAll("-", "")}`,
    number: dayOfYear(days.closing),
    openingBalance: balance(opening, days.opening),
    closingBalance: balance(closing, days.closing),
    entries: entriesOf(lines, currency),
    period,
    holder: client,
    writtenAt: world.now,
  };
}
