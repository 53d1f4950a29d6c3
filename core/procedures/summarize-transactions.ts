/** transactions.summarize: what came in and went out, by whatever a person asks for. */
import { Big } from "big.js";
import { z } from "zod";
import { json } from "../declaration/declare";
import { minorUnits } from "../schema/currency";
import { decimalText } from "./decimal";
import {
  type FoundTransaction,
  Gaps,
  SumsByCurrency,
  sumsByCurrency,
  transactionFilters,
  transactionOperations,
  transactionsFor,
} from "./find-transactions";
import { procedure } from "./procedure";

/** What transactions can be grouped by: the field of a group, and how a transaction gets its value. */
const groupings = {
  account: { field: "account_id", valueOf: ({ account_id: id }: FoundTransaction) => id },
  currency: { field: "currency", valueOf: ({ currency }: FoundTransaction) => currency },
  direction: {
    field: "direction",
    valueOf: ({ amount }: FoundTransaction) => (amount.startsWith("-") ? "out" : "in"),
  },
  month: { field: "month", valueOf: ({ date }: FoundTransaction) => date.slice(0, "YYYY-MM".length) },
  counterparty: { field: "counterparty", valueOf: ({ counterparty }: FoundTransaction) => counterparty },
  type: { field: "type", valueOf: ({ type }: FoundTransaction) => type },
} as const;

type Grouping = keyof typeof groupings;

const names = Object.keys(groupings) as [Grouping, ...Grouping[]];

const money = {
  currency: z.string().meta({ description: "ISO 4217 code." }),
  count: z.int().meta({ description: "How many transactions." }),
  in: z.string().meta({ description: "Sum of money in." }),
  out: z.string().meta({ description: "Sum of money out, negative." }),
  net: z.string().meta({ description: "Both together." }),
};

const Group = z.object({
  account_id: z.string().optional().meta({ description: "By account: the account." }),
  direction: z.enum(["in", "out"]).optional().meta({ description: "By direction: money in or money out." }),
  month: z.string().optional().meta({ description: "By month: that of the value date, YYYY-MM." }),
  counterparty: z
    .string()
    .optional()
    .meta({ description: "By counterparty: name of the other side; not there where it is not given." }),
  type: z
    .string()
    .optional()
    .meta({ description: "By type: what moved the money; not there where it is not given." }),
  ...money,
});

type Group = z.infer<typeof Group>;

export const TransactionSummary = z
  .object({
    period: z
      .object({ from: z.string(), to: z.string() })
      .meta({ description: "First and last value date, UTC." }),
    count: z.int().meta({ description: "How many transactions are summed." }),
    sums: SumsByCurrency,
    groups: z
      .array(Group)
      .meta({ description: "Currency by currency, those with most money in and out together first." }),
    other: z
      .array(z.object({ groups: z.int().meta({ description: "How many groups it stands for." }), ...money }))
      .meta({
        description: "Sums of the groups that `top` leaves out, by currency; empty where there are none.",
      }),
    complete: z.boolean().meta({ description: "Whether all transactions of the period were looked at." }),
    gaps: Gaps,
  })
  .meta({ id: "TransactionSummary", description: "Sums of transactions by what was asked for." });

/** The entries by a key, in the order in which the keys came. */
function byKey<T>(all: readonly T[], keyOf: (each: T) => string): readonly (readonly T[])[] {
  const members = new Map<string, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const known = members.get(key);
    if (known) known.push(each);
    else members.set(key, [each]);
  }
  return [...members.values()];
}

/** Transactions with the same values of what is asked for. They have one currency: amounts of several have no sum. */
function grouped(found: readonly FoundTransaction[], by: readonly Grouping[]): readonly Group[] {
  const valuesOf = (each: FoundTransaction) => by.map((name) => groupings[name].valueOf(each) ?? null);
  return byKey(found, (each) => JSON.stringify([each.currency, ...valuesOf(each)])).map((all) => {
    const values = by.map((name) => [groupings[name].field, groupings[name].valueOf(all[0]!)] as const);
    const given = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    return { ...given, ...sumsByCurrency(all)[0]! };
  });
}

const turnover = ({ in: credited, out }: Group): Big => new Big(credited).minus(out);

const nameOf = ({ in: _in, out: _out, net: _net, count: _count, ...values }: Group): string =>
  JSON.stringify(values);

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Sizes compare within a currency; of the same size, the name decides, so that the order is always the same. */
const largestFirst = (one: Group, other: Group): number =>
  byText(one.currency, other.currency) ||
  turnover(other).cmp(turnover(one)) ||
  byText(nameOf(one), nameOf(other));

/** The sums of groups of one currency. */
function together(groups: readonly Group[]) {
  const { currency } = groups[0]!;
  const sum = (field: "in" | "out" | "net") =>
    decimalText(
      groups.reduce((total, each) => total.plus(each[field]), new Big(0)),
      minorUnits(currency),
    );
  const count = groups.reduce((total, each) => total + each.count, 0);
  return { groups: groups.length, currency, count, in: sum("in"), out: sum("out"), net: sum("net") };
}

/** The groups of transactions by size; of each currency the first `top`, and the rest in one sum. */
export function summarize(found: readonly FoundTransaction[], by: readonly Grouping[], top?: number) {
  const byCurrency = byKey(grouped(found, by).toSorted(largestFirst), ({ currency }) => currency);
  const shown = top ?? Infinity;
  return {
    groups: byCurrency.flatMap((groups) => groups.slice(0, shown)),
    other: byCurrency.filter(({ length }) => length > shown).map((groups) => together(groups.slice(shown))),
  };
}

const name = "transactions.summarize";

export const summarizeTransactions = procedure({
  name,
  tool: "summarize_transactions",
  title: "Summarise transactions",
  summary:
    "Sums (breaks down) transactions per month, by counterparty, type and more: monthly totals of money in and out (income, expenses, charges), how much each top (largest) customer paid or supplier (payee) received, turnover, spending, cash flow.",
  notes:
    "Currencies are never added together. Transfers between own accounts and both sides of trades count, too.",
  effect: "read",
  uses: transactionOperations,
  input: {
    by: z.array(z.enum(names)).min(1).meta({
      title: "By",
      description: "One or more: month and counterparty sum each counterparty in each month.",
    }),
    top: z.int().min(1).optional().meta({
      title: "Top",
      description: "Only the largest groups of each currency; the rest is one sum.",
    }),
    ...transactionFilters,
  },
  rows: "groups",
  output: json(TransactionSummary, "The sums, and whether they are all."),
  async run(context, { by, top, ...filters }) {
    const { period, transactions, gaps } = await transactionsFor(context, name, filters);
    return {
      period,
      count: transactions.length,
      sums: sumsByCurrency(transactions),
      ...summarize(transactions, [...new Set(by)], top),
      complete: gaps.length === 0,
      gaps: [...gaps],
    };
  },
});
