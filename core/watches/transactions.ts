/** transactions.watch: money that came and went. */
import { z } from "zod";
import { TransactionData } from "../contract/transactions";
import { json } from "../declaration/declare";
import { minorUnits } from "../schema/currency";
import {
  type Account,
  accountFields,
  accountOperations,
  accountsOf,
  missingAccounts,
} from "../procedures/accounts";
import { decimalText, signed } from "../procedures/decimal";
import { valueDay, walkTransactions } from "../procedures/walk-transactions";
import { daysBefore } from "./days";
import { watch } from "./watch";

/** Value days may lie ahead: further than that nothing is booked. */
const daysAhead = 400;

export const accountGaps = (
  input: Parameters<typeof missingAccounts>[0],
  accounts: readonly Account[],
): string[] =>
  missingAccounts(input, accounts).map(({ account_id: id, reason }) => `Account ${id}: ${reason}`);

export const watchTransactions = watch({
  name: "transactions.watch",
  tool: "watch_transactions",
  title: "Watch transactions",
  summary: "Reports new, changed and removed transactions, such as incoming payments and fees.",
  notes: "Entries booked up to 14 days late are found.",
  keywords: ["alert", "notify", "receipts", "Umsätze", "Zahlungseingang", "Benachrichtigung"],
  uses: [...accountOperations, "transactions.list"],
  input: {
    ...accountFields,
    direction: z
      .enum(["in", "out"])
      .optional()
      .meta({ title: "Direction", description: "Only incoming or only outgoing." }),
  },
  output: json(TransactionData, "A transaction."),
  begins: "now",
  everyMs: 60_000,
  overlapDays: 14,
  tellsGone: true,
  async read(context, { direction, ...which }, { from, today }) {
    const accounts = await accountsOf(context.client, which);
    const period = from === undefined ? undefined : { from, to: daysBefore(today, -daysAhead) };
    const { transactions, gaps } = await walkTransactions(context, accounts, { period, direction });
    return {
      entries: transactions,
      gaps: [
        ...accountGaps(which, accounts),
        ...gaps.map(({ account_id: id, reason }) => `Account ${id}: ${reason}`),
      ],
    };
  },
  identify: ({ transaction_id: id }) => id,
  state: ({ account_id: account, amount, credit_debit_indicator: direction, ...rest }) => ({
    account_id: account,
    amount: decimalText(signed(amount.amount, direction), minorUnits(amount.currency)),
    currency: amount.currency,
    status: rest.status ?? null,
    booked: rest.booking_datetime ?? null,
    value: rest.value_datetime ?? null,
    reference: rest.transaction_reference ?? null,
    information: rest.transaction_information ?? null,
  }),
  day: valueDay,
});
