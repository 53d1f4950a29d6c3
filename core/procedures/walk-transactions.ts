/** The transactions of accounts in a period, each once, and whether they are all. */
import { FxdeskError } from "../errors";
import { minuteOf } from "../schema/values";
import type { Account } from "./accounts";
import { sideBySide } from "./at-once";
import { flawOfTransaction } from "./odd-rows";
import type { Period } from "./period";
import type { Context, ContractClient } from "./procedure";

export type Transaction = Awaited<ReturnType<ContractClient["transactions"]["list"]>>[number];

/** What is missing, and why. */
export interface Gap {
  readonly account_id: string;
  readonly reason: string;
}

export interface Walk {
  readonly transactions: readonly Transaction[];
  /** None where all of them are there. */
  readonly gaps: readonly Gap[];
}

interface Wanted {
  readonly period: Period | undefined;
  readonly direction: "in" | "out" | undefined;
}

const pageSize = 200;

/** The service filters by value time, and leaves out the minutes that it is given. */
const queryOf = ({ account_id }: Account, { period, direction }: Wanted) => ({
  account_id,
  page_size: pageSize,
  ...(period && {
    from_value_datetime: minuteOf(period.from, "before it"),
    to_value_datetime: minuteOf(period.to, "after it"),
  }),
  ...(direction && { credit_debit_indicator: direction === "in" ? ("credit" as const) : ("debit" as const) }),
});

/** The day of a time in UTC, also where it is written with another zone, or with none. */
function dayIn(time: string): string {
  const isZoned = /T.*(Z|[+-]\d{2}:?\d{2})$/i.test(time);
  const parsed = Date.parse(isZoned || !time.includes("T") ? time : `${time}Z`);
  return Number.isNaN(parsed) ? time.slice(0, 10) : new Date(parsed).toISOString().slice(0, 10);
}

/** From which day the money counts; the day of booking where the service does not say. Empty where it says neither. */
export const valueDay = ({ value_datetime: value, booking_datetime: booked }: Transaction): string =>
  dayIn(value ?? booked ?? "");

/** The service is asked from the last minute before the period on, in which transactions may lie that are not of it. */
const isWithin = ({ value_datetime: value }: Transaction, { from, to }: Period): boolean =>
  !value || (dayIn(value) >= from && dayIn(value) <= to);

/** The first of them, and how many there are: a service that writes all of them in its own way fills no answer. */
function inOne([first, ...others]: Iterable<string>): string[] {
  if (first === undefined) return [];
  return [others.length === 0 ? first : `${first} ${others.length} more do not fit.`];
}

/** Bookings that come in between move entries to a later page, where they are seen again: each counts once. */
async function walkAccount({ client, signal }: Context, account: Account, wanted: Wanted): Promise<Walk> {
  const { account_id } = account;
  const found = new Map<string, Transaction>();
  const flaws = new Set<string>();
  let expected = 0;
  const { period } = wanted;
  const gapsFor = (...reasons: string[]): Gap[] => reasons.map((reason) => ({ account_id, reason }));
  const transactions = () => [...found.values()].filter((each) => !period || isWithin(each, period));
  try {
    const { operations } = client.service;
    const list = operations.find(({ name }) => name === "transactions.list")!;
    for await (const { body, total } of client.pages(list, queryOf(account, wanted))) {
      for (const each of body as Transaction[]) {
        const flaw = flawOfTransaction(each);
        if (flaw === undefined) found.set(each.transaction_id, each);
        else flaws.add(flaw);
      }
      expected = Math.max(expected, total ?? 0);
    }
  } catch (error) {
    if (!(error instanceof FxdeskError) || signal?.aborted) throw error;
    return { transactions: transactions(), gaps: gapsFor(...inOne(flaws), error.message) };
  }
  const given = found.size + flaws.size;
  const missing = `The service counts ${expected} transactions and gave ${given}.`;
  return {
    transactions: transactions(),
    gaps: gapsFor(...inOne(flaws), ...(given < expected ? [missing] : [])),
  };
}

/** Account by account, in the order of the accounts; each in the order of the service. */
export async function walkTransactions(
  context: Context,
  accounts: readonly Account[],
  wanted: Wanted,
): Promise<Walk> {
  let done = 0;
  const walks = await sideBySide(accounts, async (account) => {
    const walk = await walkAccount(context, account, wanted);
    done += 1;
    context.progress({ done, total: accounts.length, message: `Transactions in ${account.currency}` });
    return walk;
  });
  return {
    transactions: walks.flatMap(({ transactions }) => transactions),
    gaps: walks.flatMap(({ gaps }) => gaps),
  };
}
