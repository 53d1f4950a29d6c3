/** All transactions of accounts in a period, with a completeness check. */
import { dayOf } from "../calendars/days";
import { InvalidResponse } from "../spec/errors";
import { minuteForDay } from "../values/values";
import type { Account } from "./accounts";
import { attempt, mapConcurrent, type Context, type ContractClient } from "./procedure";
import { findRowProblem } from "./row-validation";
import type { Period } from "./period";

export type Transaction = Awaited<ReturnType<ContractClient["transactions"]["list"]>>[number];

/** A reason why transactions of an account are missing. */
export interface Gap {
  readonly account_id: string;
  readonly reason: string;
}

interface FetchedTransactions<T = Transaction> {
  readonly transactions: readonly T[];
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
  return Number.isNaN(parsed) ? time.slice(0, 10) : dayOf(parsed);
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

/** The pages of one account, read once. */
interface Reading {
  readonly transactions: readonly Transaction[];
  /** Reasons why transactions are missing; empty if complete. */
  readonly reasons: readonly string[];
  /** True if transactions moved to other pages meanwhile, so that reading again may give a complete result. */
  readonly hasMoved: boolean;
}

/** Reads all pages of an account once. Transactions that are received twice are dropped by ID. */
async function readPages(context: Context, account: Account, query: TransactionQuery): Promise<Reading> {
  const { client } = context;
  const found = new Map<string, Transaction>();
  const problems = new Set<string>();
  const totals = new Set<number>();
  let hasDuplicates = false;
  let pages = 0;
  const reading = (hasMoved: boolean, ...reasons: string[]): Reading => ({
    transactions: [...found.values()],
    reasons: [...summarizeProblems(problems), ...reasons],
    hasMoved,
  });
  const list = client.service.operations.find(({ name }) => name === "transactions.list")!;
  const failure = await attempt(context, async () => {
    for await (const { body, total } of client.pages(list, toServiceQuery(account, query))) {
      pages += 1;
      if (total !== undefined) totals.add(total);
      for (const each of body as Transaction[]) {
        const problem = findRowProblem("Transaction", each);
        if (problem !== undefined) problems.add(problem);
        else if (found.has(each.transaction_id)) hasDuplicates = true;
        else found.set(each.transaction_id, each);
      }
    }
  });
  // After the first page, the cause is a page that repeats an earlier one, or an empty page before the end.
  if (failure) return reading(pages > 0 && failure instanceof InvalidResponse, failure.message);
  const expected = Math.max(0, ...totals);
  const receivedCount = found.size + problems.size;
  if (receivedCount < expected)
    return reading(true, `The service reports ${expected} transactions but returned ${receivedCount}.`);
  if (hasDuplicates || totals.size > 1)
    return reading(true, "The transactions changed each time they were read, so some may be missing.");
  return reading(false);
}

/** Maximum number of times that the pages of an account are read again. */
const maxRereads = 3;

/** Reads all pages of an account, and reads them again if transactions moved between the pages meanwhile. */
async function fetchAccountTransactions(
  context: Context,
  account: Account,
  query: TransactionQuery,
): Promise<FetchedTransactions> {
  const { period } = query;
  let reading = await readPages(context, account, query);
  for (let rereads = 0; reading.hasMoved && rereads < maxRereads; rereads += 1)
    reading = await readPages(context, account, query);
  return {
    transactions: reading.transactions.filter((each) => !period || isWithin(each, period)),
    gaps: reading.reasons.map((reason) => ({ account_id: account.account_id, reason })),
  };
}

/**
 * Reads the transactions of accounts side by side and applies `select` to those of each account, so that only what it returns
 * is kept in memory. The order is that of the accounts, and per account that of the service.
 */
export async function fetchTransactions<T>(
  context: Context,
  accounts: readonly Account[],
  query: TransactionQuery,
  select: (transactions: readonly Transaction[]) => readonly T[],
): Promise<FetchedTransactions<T>> {
  let done = 0;
  const results = await mapConcurrent(context, accounts, async (account) => {
    const { transactions, gaps } = await fetchAccountTransactions(context, account, query);
    done += 1;
    context.progress({ done, total: accounts.length, message: `Transactions in ${account.currency}` });
    return { transactions: select(transactions), gaps };
  });
  return {
    transactions: results.flatMap(({ transactions }) => transactions),
    gaps: results.flatMap(({ gaps }) => gaps),
  };
}

/** Returns all transactions in the order of the accounts, and per account in the order of the service. */
export const fetchAllTransactions = (
  context: Context,
  accounts: readonly Account[],
  query: TransactionQuery,
): Promise<FetchedTransactions> => fetchTransactions(context, accounts, query, (all) => all);
