/** transactions.summarize: totals of transactions per group. */
import { Big } from "big.js";
import { z } from "zod";
import { json } from "../spec/declare";
import { minorUnits } from "../values/values";
import { formatDecimal } from "./decimal";
import {
  type FoundTransaction,
  Gaps,
  SumsByCurrency,
  sumsByCurrency,
  transactionFilters,
  transactionOperations,
  findMatchingTransactions,
} from "./find-transactions";
import { procedure } from "./procedure";
import {
  countField,
  currencyField,
  flagField,
  optionalTextField,
  periodField,
  textField,
} from "./result-fields";

/** The groupings: field of the group, and its value for a transaction. */
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
  currency: currencyField,
  count: countField("Number of transactions."),
  in: textField("Total incoming."),
  out: textField("Total outgoing, negative."),
  net: textField("Net amount."),
};

const Group = z.object({
  account_id: optionalTextField("Account, if grouped by account."),
  direction: z.enum(["in", "out"]).optional().describe("Direction, if grouped by direction: in or out."),
  month: optionalTextField("Month of the value date (YYYY-MM), if grouped by month."),
  counterparty: optionalTextField("Counterparty name, if grouped by counterparty; absent if not given."),
  type: optionalTextField("Transaction type, if grouped by type; absent if not given."),
  ...money,
});

type Group = z.infer<typeof Group>;

export const TransactionSummary = z
  .object({
    period: periodField("First and last value date, UTC."),
    count: countField("Number of transactions."),
    sums: SumsByCurrency,
    groups: z.array(Group).describe("Groups per currency, largest turnover first."),
    other: z
      .array(z.object({ groups: countField("Number of groups."), ...money }))
      .describe("Totals per currency of the groups that `top` omits; empty if none."),
    complete: flagField("True if all transactions of the period were read."),
    gaps: Gaps,
  })
  .meta({ id: "TransactionSummary", description: "Totals of transactions per group." });

/** Groups entries by key, in the order of first use. */
function groupByKey<T>(all: readonly T[], keyOf: (each: T) => string): readonly (readonly T[])[] {
  const members = new Map<string, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const known = members.get(key);
    if (known) known.push(each);
    else members.set(key, [each]);
  }
  return [...members.values()];
}

/** Groups transactions by the given values and always by currency. */
function groupTransactions(found: readonly FoundTransaction[], by: readonly Grouping[]): readonly Group[] {
  const valuesOf = (each: FoundTransaction) => by.map((name) => groupings[name].valueOf(each) ?? null);
  return groupByKey(found, (each) => JSON.stringify([each.currency, ...valuesOf(each)])).map((all) => {
    const values = by.map((name) => [groupings[name].field, groupings[name].valueOf(all[0]!)] as const);
    const given = Object.fromEntries(values.filter(([, value]) => value !== undefined));
    return { ...given, ...sumsByCurrency(all)[0]! };
  });
}

const turnover = ({ in: credited, out }: Group): Big => new Big(credited).minus(out);

const groupNameOf = ({ in: _in, out: _out, net: _net, count: _count, ...values }: Group): string =>
  JSON.stringify(values);

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Orders groups by turnover within a currency, then by name, so that the order is deterministic. */
const largestFirst = (one: Group, other: Group): number =>
  byText(one.currency, other.currency) ||
  turnover(other).cmp(turnover(one)) ||
  byText(groupNameOf(one), groupNameOf(other));

/** Sums groups of one currency. */
function sumGroups(groups: readonly Group[]) {
  const { currency } = groups[0]!;
  const sum = (field: "in" | "out" | "net") =>
    formatDecimal(
      groups.reduce((total, each) => total.plus(each[field]), new Big(0)),
      minorUnits(currency),
    );
  const count = groups.reduce((total, each) => total + each.count, 0);
  return { groups: groups.length, currency, count, in: sum("in"), out: sum("out"), net: sum("net") };
}

/** Returns the groups by turnover: the `top` largest per currency, and one total for the rest. */
export function summarize(found: readonly FoundTransaction[], by: readonly Grouping[], top?: number) {
  const byCurrency = groupByKey(
    groupTransactions(found, by).toSorted(largestFirst),
    ({ currency }) => currency,
  );
  const shown = top ?? Infinity;
  return {
    groups: byCurrency.flatMap((groups) => groups.slice(0, shown)),
    other: byCurrency.filter(({ length }) => length > shown).map((groups) => sumGroups(groups.slice(shown))),
  };
}

const name = "transactions.summarize";

export const summarizeTransactions = procedure({
  name,
  tool: "summarize_transactions",
  title: "Summarise transactions",
  summary:
    "Sums transactions per month, counterparty, account, currency, direction or type. For individual transactions, use transactions.find.",
  notes: "Own transfers and both sides of trades are included.",
  keywords: [
    "turnover",
    "spending",
    "income",
    "cash flow",
    "customers",
    "suppliers",
    "Umsätze",
    "Auswertung",
    "Ausgaben",
    "Einnahmen",
  ],
  effect: "read",
  uses: transactionOperations,
  input: {
    by: z.array(z.enum(names)).min(1).meta({
      title: "By",
      description: "Criteria to group by.",
    }),
    top: z.int().min(1).optional().meta({
      title: "Top",
      description: "Number of largest groups per currency; the others are added up.",
    }),
    ...transactionFilters,
  },
  resultList: "groups",
  output: json(TransactionSummary, "The totals per group."),
  async run(context, { by, top, ...filters }) {
    const { period, transactions, gaps } = await findMatchingTransactions(context, name, filters);
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
