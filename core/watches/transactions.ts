/** transactions.watch: new, changed and removed transactions. */
import { addDays } from "../calendars/days";
import { z } from "zod";
import { TransactionData } from "../contract/transactions";
import { formatAmount } from "../files/amount";
import { json } from "../spec/declare";
import {
  type Account,
  accountFields,
  accountOperations,
  selectAccounts,
  findMissingAccounts,
} from "../procedures/accounts";
import { checkBounds, signedAmount } from "../procedures/decimal";
import { amountFilters, matchesFilter } from "../procedures/find-transactions";
import { valueDayOf, fetchAllTransactions } from "../procedures/fetch-all-transactions";
import type { Context } from "../procedures/procedure";
import { watch } from "./watch";

/** Value dates may be in the future, but not further than this. */
const maxDaysAhead = 400;

/** Selects the accounts of a watch. What is missing is a gap: an account that is closed must not end the watch of others. */
export async function selectWatched(
  { client }: Pick<Context, "client">,
  selection: Parameters<typeof selectAccounts>[1],
): Promise<{ readonly accounts: readonly Account[]; readonly gaps: readonly string[] }> {
  const gaps: string[] = [];
  const accounts = await selectAccounts(client, selection, (missing) =>
    gaps.push(...missing.map((currency) => `There is no account in ${currency}.`)),
  );
  for (const { account_id: id, reason } of findMissingAccounts(selection, accounts))
    gaps.push(`Account ${id}: ${reason}`);
  return { accounts, gaps };
}

const name = "transactions.watch";

export const watchTransactions = watch({
  name,
  tool: "watch_transactions",
  title: "Watch transactions",
  summary: "Reports new, changed and removed transactions, such as incoming payments.",
  notes: "Finds entries booked up to 14 days late.",
  keywords: [
    "alert",
    "notify",
    "receipts",
    "money received",
    "Umsätze",
    "Zahlungseingang",
    "Benachrichtigung",
  ],
  uses: [...accountOperations, "transactions.list"],
  input: {
    ...accountFields,
    direction: z.enum(["in", "out"]).optional().meta({ title: "Direction", description: "Default: both." }),
    ...amountFilters,
  },
  output: json(TransactionData, "A transaction."),
  defaultStart: "now",
  everyMs: 60_000,
  overlapDays: 14,
  reportsGone: true,
  async read(context, { direction, min_amount, max_amount, counterparty, ...which }, { from, today }) {
    checkBounds(name, ["min_amount", min_amount], ["max_amount", max_amount]);
    const { accounts, gaps: missing } = await selectWatched(context, which);
    const period = from === undefined ? undefined : { from, to: addDays(today, maxDaysAhead) };
    const { transactions, gaps } = await fetchAllTransactions(context, accounts, { period, direction });
    return {
      entries: transactions.filter((each) => matchesFilter(each, { min_amount, max_amount, counterparty })),
      gaps: [...missing, ...gaps.map(({ account_id: id, reason }) => `Account ${id}: ${reason}`)],
    };
  },
  identify: ({ transaction_id: id }) => id,
  state: ({ account_id: account, amount, credit_debit_indicator: direction, ...rest }) => ({
    account_id: account,
    amount: formatAmount(signedAmount(amount.amount, direction), amount.currency),
    currency: amount.currency,
    status: rest.status ?? null,
    booked: rest.booking_datetime ?? null,
    value: rest.value_datetime ?? null,
    reference: rest.transaction_reference ?? null,
    information: rest.transaction_information ?? null,
  }),
  day: valueDayOf,
  time: ({ booking_datetime: booked, value_datetime: value }) => booked ?? value ?? "",
});
