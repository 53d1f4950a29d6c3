/** The transactions of accounts in a period, each once, and whether they are all. */
import { FxdeskError } from "../errors";
import { minuteForDay } from "../schema/values";
import type { Account } from "./accounts";
import { mapConcurrent } from "./map-concurrent";
import { findTransactionProblem } from "./row-validation";
import type { Period } from "./period";
import type { Context, ContractClient } from "./procedure";

export type Transaction = Awaited<ReturnType<ContractClient["transactions"]["list"]>>[number];

/** What is missing, and why. */
export interface Gap {
  readonly account_id: string;
  readonly reason: string;
}

export interface FetchedTransactions {
  readonly transactions: readonly Transaction[];
  /** None where all of them are there. */
  readonly gaps: readonly Gap[];
}

interface TransactionQuery {
  readonly period: Period | undefined;
  readonly direction: "in" | "out" | undefined;
}

const pageSize = 200;

/** The service filters by value time, and leaves out the minutes that it is given. */
const toServiceQuery = ({ account_id }: Account, { period, direction }: TransactionQuery) => ({
  account_id,
  page_size: pageSize,
  ...(period && {
    from_value_datetime: minuteForDay(period.from, "before it"),
    to_value_datetime: minuteForDay(period.to, "after it"),
  }),
  ...(direction && { credit_debit_indicator: direction === "in" ? ("credit" as const) : ("debit" as const) }),
});

/** The day of a time in UTC, also where it is written with another zone, or with none. */
function utcDayOf(time: string): string {
  const isZoned = /T.*(Z|[+-]\d{2}:?\d{2})$/i.test(time);
  const parsed = Date.parse(isZoned || !time.includes("T") ? time : `${time}Z`);
  return Number.isNaN(parsed) ? time.slice(0, 10) : new Date(parsed).toISOString().slice(0, 10);
}

/** From which day the money counts; the day of booking where the service does not say. Empty where it says neither. */
export const valueDayOf = ({ value_datetime: value, booking_datetime: booked }: Transaction): string =>
  utcDayOf(value ?? booked ?? "");

/** The service is asked from the last minute before the period on, in which transactions may lie that are not of it. */
const isWithin = ({ value_datetime: value }: Transaction, { from, to }: Period): boolean =>
  !value || (utcDayOf(value) >= from && utcDayOf(value) <= to);

/** The first of them, and how many there are: a service that writes all of them in its own way fills no answer. */
function summarizeProblems([first, ...others]: Iterable<string>): string[] {
  if (first === undefined) return [];
  return [others.length === 0 ? first : `${first} ${others.length} more do not fit.`];
}

/** Bookings that come in between move entries to a later page, where they are seen again: each counts once. */
async function fetchAccountTransactions(
  { client, signal }: Context,
  account: Account,
  query: TransactionQuery,
): Promise<FetchedTransactions> {
  const { account_id } = account;
  const found = new Map<string, Transaction>();
  const problems = new Set<string>();
  let expected = 0;
  const { period } = query;
  const gapsFor = (...reasons: string[]): Gap[] => reasons.map((reason) => ({ account_id, reason }));
  const transactions = () => [...found.values()].filter((each) => !period || isWithin(each, period));
  try {
    const { operations } = client.service;
    const list = operations.find(({ name }) => name === "transactions.list")!;
    for await (const { body, total } of client.pages(list, toServiceQuery(account, query))) {
      for (const each of body as Transaction[]) {
        const problem = findTransactionProblem(each);
        if (problem === undefined) found.set(each.transaction_id, each);
        else problems.add(problem);
      }
      expected = Math.max(expected, total ?? 0);
    }
  } catch (error) {
    if (!(error instanceof FxdeskError) || signal?.aborted) throw error;
    return { transactions: transactions(), gaps: gapsFor(...summarizeProblems(problems), error.message) };
  }
  const receivedCount = found.size + problems.size;
  const missing = `The service counts ${expected} transactions and gave ${receivedCount}.`;
  return {
    transactions: transactions(),
    gaps: gapsFor(...summarizeProblems(problems), ...(receivedCount < expected ? [missing] : [])),
  };
}

/** Account by account, in the order of the accounts; each in the order of the service. */
export async function fetchAllTransactions(
  context: Context,
  accounts: readonly Account[],
  query: TransactionQuery,
): Promise<FetchedTransactions> {
  let done = 0;
  const results = await mapConcurrent(accounts, async (account) => {
    const result = await fetchAccountTransactions(context, account, query);
    done += 1;
    context.progress({ done, total: accounts.length, message: `Transactions in ${account.currency}` });
    return result;
  });
  return {
    transactions: results.flatMap(({ transactions }) => transactions),
    gaps: results.flatMap(({ gaps }) => gaps),
  };
}
