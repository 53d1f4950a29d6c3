/** transactions.summarize: totals of transactions per group. */
import { Big } from "big.js";
import { z } from "zod";
import { json } from "../spec/declare";
import {
  type FoundTransaction,
  Gaps,
  sumFields,
  SumsByCurrency,
  sumsByCurrency,
  transactionFilters,
  transactionOperations,
  findMatchingTransactions,
} from "./find-transactions";
import { accountNameOf } from "./accounts";
import { byText, groupBy } from "../values/lists";
import { procedure } from "./procedure";
import { countField, flagField, optionalTextField, periodField } from "./result-fields";

const Group = z.object({
  account_id: optionalTextField("Account, if grouped by account."),
  account_name: optionalTextField("Name of the account, if it has one."),
  direction: z.enum(["in", "out"]).optional().describe("Direction, if grouped by direction: in or out."),
  month: optionalTextField("Month of the value date (YYYY-MM), if grouped by month."),
  counterparty: optionalTextField("Counterparty name, if grouped by counterparty; absent if not given."),
  type: optionalTextField("Transaction type, if grouped by type; absent if not given."),
  ...sumFields,
});

type Group = z.infer<typeof Group>;

/** The fields by which each criterion groups. */
const groupings = {
  account: ({ account_id }) => ({ account_id }),
  currency: ({ currency }) => ({ currency }),
  direction: ({ amount }) => ({ direction: amount.startsWith("-") ? "out" : "in" }),
  month: ({ date }) => ({ month: date.slice(0, "YYYY-MM".length) }),
  counterparty: ({ counterparty }) => ({ counterparty }),
  type: ({ type }) => ({ type }),
} as const satisfies Readonly<
  Record<string, (each: FoundTransaction) => { [F in keyof Group]?: Group[F] | undefined }>
>;

type Grouping = keyof typeof groupings;

const criteria = Object.keys(groupings) as [Grouping, ...Grouping[]];

const TransactionSummary = z
  .object({
    period: periodField("First and last value date, UTC."),
    count: countField("Number of transactions."),
    sums: SumsByCurrency,
    groups: z.array(Group).describe("Groups per currency, largest turnover first."),
    other: z
      .array(z.object({ groups: countField("Number of groups."), ...sumFields }))
      .describe("Totals per currency of the groups that `top` omits; empty if none."),
    complete: flagField("True if all transactions of the period were read."),
    gaps: Gaps,
  })
  .meta({ id: "TransactionSummary", description: "Totals of transactions per group." });

/** A group of transactions of one currency, with its own fields as JSON. */
interface TransactionGroup {
  readonly key: string;
  readonly members: readonly FoundTransaction[];
  readonly sums: ReturnType<typeof sumsByCurrency>[number];
}

const turnover = ({ sums }: TransactionGroup): Big => new Big(sums.in).minus(sums.out);

/** Orders groups by turnover within a currency, then by name, so that the order is deterministic. */
const largestFirst = (one: TransactionGroup, other: TransactionGroup): number =>
  byText(one.sums.currency, other.sums.currency) ||
  turnover(other).cmp(turnover(one)) ||
  byText(one.key, other.key);

/** Returns the groups by turnover: the `top` largest per currency, and one total for the rest. */
function summarize(found: readonly FoundTransaction[], by: readonly Grouping[], top = Infinity) {
  const keyOf = (each: FoundTransaction) =>
    JSON.stringify({
      ...Object.fromEntries(by.flatMap((name) => Object.entries(groupings[name](each)))),
      currency: each.currency,
    });
  const groups = [...groupBy(found, keyOf)]
    .map(([key, members]) => ({ key, members, sums: sumsByCurrency(members)[0]! }))
    .toSorted(largestFirst);
  const currencies = [...groupBy(groups, ({ sums }) => sums.currency).values()];
  return {
    groups: currencies
      .flatMap((all) => all.slice(0, top))
      .map(({ key, sums }) => ({ ...(JSON.parse(key) as Partial<Group>), ...sums })),
    other: currencies
      .map((all) => all.slice(top))
      .filter((rest) => rest.length > 0)
      .map((rest) => ({
        groups: rest.length,
        ...sumsByCurrency(rest.flatMap(({ members }) => members))[0]!,
      })),
  };
}

const name = "transactions.summarize";

export const summarizeTransactions = procedure({
  name,
  tool: "summarize_transactions",
  title: "Summarise transactions",
  summary:
    "Sums transactions per month, counterparty, account or other criteria. For single ones, use transactions.find.",
  notes: "Includes transfers between own accounts and both sides of trades.",
  icon: "font-awesome/fa-bar-chart",
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
    by: z.array(z.enum(criteria)).min(1).meta({
      title: "By",
      description: "Grouping criteria.",
    }),
    top: z.int().min(1).optional().meta({
      title: "Top",
      description: "Largest groups per currency; others are added up.",
    }),
    ...transactionFilters,
  },
  resultList: "groups",
  output: json(TransactionSummary, "The totals per group."),
  async run(context, { by, top, ...filters }) {
    const { period, transactions, accounts, gaps } = await findMatchingTransactions(context, name, filters);
    const names = new Map(accounts.map((account) => [account.account_id, accountNameOf(account)]));
    const { groups, other } = summarize(transactions, [...new Set(by)], top);
    return {
      period,
      count: transactions.length,
      sums: sumsByCurrency(transactions),
      groups: groups.map(({ account_id: id, ...rest }) => {
        const accountName = id === undefined ? undefined : names.get(id);
        return {
          ...(id !== undefined && { account_id: id }),
          ...(accountName !== undefined && { account_name: accountName }),
          ...rest,
        };
      }),
      other,
      complete: gaps.length === 0,
      gaps: [...gaps],
    };
  },
});
