/** transactions.find: finds transactions across accounts by period, amount, counterparty or text. */
import { Big } from "big.js";
import { z } from "zod";
import { formatAmount } from "../files/amount";
import { withoutUndefined } from "../files/statement";
import { json } from "../spec/declare";
import type { ProcedureValues } from "../spec/procedure";
import {
  type Account,
  accountFields,
  accountOperations,
  selectAccounts,
  findMissingAccounts,
} from "./accounts";
import { checkBounds, signedAmount, sumBy } from "./decimal";
import { amountText } from "../values/amount-text";
import { groupBy } from "../values/lists";
import { type Period, parsePeriod, PeriodText } from "./period";
import { type Context, procedure } from "./procedure";
import { compactText } from "./reconcile/names";
import { type Gap, type Transaction, valueDayOf, fetchTransactions } from "./fetch-all-transactions";
import {
  countField,
  currencyField,
  flagField,
  optionalTextField,
  periodField,
  textField,
} from "./result-fields";

const PositiveDecimal = amountText(/^\d+(\.\d+)?$/, "must be a positive decimal amount such as 1250.00");

/** Input fields that select transactions by amount and counterparty. */
export const amountFilters = {
  min_amount: PositiveDecimal.optional().meta({
    title: "At least",
    description: "Unsigned amount.",
  }),
  max_amount: PositiveDecimal.optional().meta({
    title: "At most",
    description: "Unsigned amount.",
  }),
  counterparty: z.string().min(1).optional().meta({
    title: "Counterparty",
    description: "Part of name or account.",
  }),
};

/** Input fields that select transactions. */
export const transactionFilters = {
  ...accountFields,
  period: PeriodText.default("last 90 days").meta({
    title: "Period",
    description: "Value dates: this month, 2026-Q1, 2026-01-01..2026-01-31.",
  }),
  direction: z.enum(["in", "out"]).optional().meta({ title: "Direction", description: "Default: both." }),
  ...amountFilters,
  text: z.string().min(1).optional().meta({
    title: "Text",
    description: "Part of reference, text or names.",
  }),
};

export const FoundTransaction = z
  .object({
    date: textField("Value date, UTC."),
    amount: textField("Signed decimal amount; negative for outgoing money."),
    currency: currencyField,
    counterparty: optionalTextField("Name of the counterparty, if given."),
    text: optionalTextField("Remittance information."),
    reference: optionalTextField("Transaction reference."),
    type: optionalTextField("Transaction type."),
    account_id: textField("The account."),
    transaction_id: textField("Transaction ID, for transactions.get."),
  })
  .meta({ id: "FoundTransaction", description: "A transaction in short form." });

export type FoundTransaction = z.infer<typeof FoundTransaction>;

export const Gaps = z
  .array(
    z
      .object({
        account_id: textField("Account whose transactions are missing."),
        reason: textField("Why."),
      })
      .meta({ id: "TransactionGap", description: "An account that could not be read completely." }),
  )
  .describe("Accounts that could not be read; empty if complete.");

const isIncoming = (direction: string | null | undefined) => direction?.toLowerCase() !== "debit";

/** Returns the debtor of incoming and the creditor of outgoing money. */
const counterpartyOf = (each: Transaction) =>
  isIncoming(each.credit_debit_indicator)
    ? { name: each.debtor_name, account: each.debtor_account }
    : { name: each.creditor_name, account: each.creditor_account };

export function toFoundTransaction(each: Transaction): FoundTransaction {
  const { amount, currency } = each.amount;
  const { name: counterparty } = counterpartyOf(each);
  const { transaction_information: text, transaction_reference: reference, transaction_type: type } = each;
  return {
    date: valueDayOf(each),
    amount: formatAmount(signedAmount(amount, each.credit_debit_indicator), currency),
    currency,
    ...withoutUndefined({
      counterparty: counterparty ?? undefined,
      text: text ?? undefined,
      reference: reference ?? undefined,
      type: type ?? undefined,
    }),
    account_id: each.account_id,
    transaction_id: each.transaction_id,
  };
}

/** Ignores separators: "INV 2041" is part of "Payment INV-2041". A part of separators alone is compared as it is. */
function containsText(part: string, texts: readonly unknown[]): boolean {
  const wanted = compactText(part);
  const [normalize, sought] = wanted === "" ? [String, part] : [compactText, wanted];
  return texts.some((text) => typeof text === "string" && normalize(text).includes(sought));
}

type Filter = Partial<
  Pick<ProcedureValues<typeof transactionFilters>, "min_amount" | "max_amount" | "counterparty" | "text">
>;

/** Applies the filters that the service does not support. */
export function matchesFilter(
  each: Transaction,
  { min_amount, max_amount, counterparty, text }: Filter,
): boolean {
  const amount = new Big(each.amount.amount);
  const { name, account } = counterpartyOf(each);
  return (
    (min_amount === undefined || amount.gte(min_amount)) &&
    (max_amount === undefined || amount.lte(max_amount)) &&
    (counterparty === undefined ||
      containsText(counterparty, [name, account?.iban, account?.account_number])) &&
    (text === undefined ||
      containsText(text, [
        each.transaction_reference,
        each.transaction_information,
        each.additional_transaction_information,
        each.creditor_name,
        each.debtor_name,
      ]))
  );
}

/** Result fields of the totals of one currency. */
export const sumFields = {
  currency: currencyField,
  count: countField("Number of transactions."),
  in: textField("Total incoming."),
  out: textField("Total outgoing, negative."),
  net: textField("Net amount."),
};

export const SumsByCurrency = z
  .array(z.object(sumFields).meta({ id: "CurrencySums", description: "Exact totals of one currency." }))
  .describe("Exact totals per currency.");

/** Sums signed amounts per currency. */
export const sumsByCurrency = (found: readonly FoundTransaction[]): z.infer<typeof SumsByCurrency> =>
  [...groupBy(found, ({ currency }) => currency)].map(([currency, all]) => {
    const sums = sumBy(all, ({ amount }) => (amount.startsWith("-") ? "out" : "in"));
    const format = (amount: Big) => formatAmount(amount, currency);
    return {
      currency,
      count: all.length,
      in: format(sums.of("in")),
      out: format(sums.of("out")),
      net: format(sums.of("in").plus(sums.of("out"))),
    };
  });

const FoundTransactions = z
  .object({
    period: periodField("First and last value date, UTC."),
    count: countField("Number of transactions found."),
    sums: SumsByCurrency,
    complete: flagField("True if all transactions of the period were read."),
    gaps: Gaps,
    transactions: z.array(FoundTransaction).describe("Transactions, newest first."),
  })
  .meta({ id: "FoundTransactions", description: "Transactions found." });

/** The operations that `findMatchingTransactions` calls. */
export const transactionOperations = [...accountOperations, "transactions.list"] as const;

/** Returns the matching transactions, in the order of accounts and service, and the gaps. */
export async function findMatchingTransactions(
  context: Context,
  operation: string,
  {
    period: periodText,
    direction,
    accounts,
    currencies,
    ...filter
  }: ProcedureValues<typeof transactionFilters>,
): Promise<{
  readonly period: Period;
  readonly transactions: readonly FoundTransaction[];
  readonly accounts: readonly Account[];
  readonly gaps: readonly Gap[];
}> {
  checkBounds(operation, ["min_amount", filter.min_amount], ["max_amount", filter.max_amount]);
  const period = parsePeriod(periodText)!;
  const selectedAccounts = await selectAccounts(context.client, { accounts, currencies });
  const { transactions, gaps } = await fetchTransactions(
    context,
    selectedAccounts,
    { period, direction },
    (all) => all.filter((each) => matchesFilter(each, filter)).map(toFoundTransaction),
  );
  return {
    period,
    transactions,
    accounts: selectedAccounts,
    gaps: [...findMissingAccounts({ accounts, currencies }, selectedAccounts), ...gaps],
  };
}

const newestFirst = (one: FoundTransaction, other: FoundTransaction): number =>
  other.date.localeCompare(one.date);

const name = "transactions.find";

export const findTransactions = procedure({
  name,
  tool: "find_transactions",
  title: "Find transactions",
  summary:
    "Finds transactions by period, amount, counterparty or text, with totals per currency. To match invoices, use transactions.reconcile.",
  icon: "font-awesome/fa-search",
  keywords: [
    "search",
    "incoming",
    "outgoing",
    "customer",
    "supplier",
    "invoice",
    "fees",
    "suchen",
    "Umsatz",
    "Umsätze",
    "Buchungen",
    "Eingänge",
    "Ausgänge",
  ],
  effect: "read",
  uses: transactionOperations,
  input: transactionFilters,
  resultList: "transactions",
  output: json(FoundTransactions, "The transactions, newest first, with totals."),
  async run(context, input) {
    const { period, transactions, gaps } = await findMatchingTransactions(context, name, input);
    const found = transactions.toSorted(newestFirst);
    return {
      period,
      count: found.length,
      sums: sumsByCurrency(found),
      complete: gaps.length === 0,
      gaps: [...gaps],
      transactions: found,
    };
  },
});
