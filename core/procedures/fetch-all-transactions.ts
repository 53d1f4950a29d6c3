/** All transactions of accounts in a period, with a completeness check. */
import { FxdeskError } from "../spec/errors";
import { minuteForDay } from "../values/values";
import type { Account } from "./accounts";
import { mapConcurrent } from "./map-concurrent";
import { findTransactionProblem } from "./row-validation";
import type { Period } from "./period";
import type { Context, ContractClient } from "./procedure";

export type Transaction = Awaited<ReturnType<ContractClient["transactions"]["list"]>>[number];

/** A reason why transactions of an account are missing. */
export interface Gap {
  readonly account_id: string;
  readonly reason: string;
}

export interface FetchedTransactions {
  readonly transactions: readonly Transaction[];
  /** Empty if complete. */
  readonly gaps: readonly Gap[];
}

interface TransactionQuery {
  readonly period: Period | undefined;
  readonly direction: "in" | "out" | undefined;
}

const pageSize = 200;

/** Widens the period by a minute on both sides, because the service's bounds are exclusive. */
const toServiceQuery = ({ account_id }: Account, { period, direction }: TransactionQuery) => ({
  account_id,
  page_size: pageSize,
  ...(period && {
    from_value_datetime: minuteForDay(period.from, "before it"),
    to_value_datetime: minuteForDay(period.to, "after it"),
  }),
  ...(direction && { credit_debit_indicator: direction === "in" ? ("credit" as const) : ("debit" as const) }),
});

/** Returns the UTC day of a time in any zone. A time without a zone is read as UTC. */
function utcDayOf(time: string): string {
  const isZoned = /T.*(Z|[+-]\d{2}:?\d{2})$/i.test(time);
  const parsed = Date.parse(isZoned || !time.includes("T") ? time : `${time}Z`);
  return Number.isNaN(parsed) ? time.slice(0, 10) : new Date(parsed).toISOString().slice(0, 10);
}

/** Returns the value date, or the booking date if the service omits it; empty if both are missing. */
export const valueDayOf = ({ value_datetime: value, booking_datetime: booked }: Transaction): string =>
  utcDayOf(value ?? booked ?? "");

/** True if the value date is within the period. The widened query may return others. */
const isWithin = ({ value_datetime: value }: Transaction, { from, to }: Period): boolean =>
  !value || (utcDayOf(value) >= from && utcDayOf(value) <= to);

/** Returns the first problem with the number of others, so that a systematic deviation does not flood the result. */
function summarizeProblems([first, ...others]: Iterable<string>): string[] {
  if (first === undefined) return [];
  return [others.length === 0 ? first : `${first} ${others.length} more are invalid.`];
}

/** Reads all pages of an account. New bookings shift entries to later pages; duplicates are dropped by ID. */
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
  const missing = `The service reports ${expected} transactions but returned ${receivedCount}.`;
  return {
    transactions: transactions(),
    gaps: gapsFor(...summarizeProblems(problems), ...(receivedCount < expected ? [missing] : [])),
  };
}

/** Returns the transactions in the order of the accounts, and per account in the order of the service. */
export async function fetchAllTransactions(
  context: Context,
  accounts: readonly Account[],
  query: TransactionQuery,
): Promise<FetchedTransactions> {
  let done = 0;
  const results = await mapConcurrent(context, accounts, async (account) => {
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
