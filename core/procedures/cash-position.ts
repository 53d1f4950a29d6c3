/** cash.getPosition: the balances of all accounts with totals. */
import { z } from "zod";
import { balanceTypes } from "../contract/accounts";
import { formatAmount } from "../files/amount";
import { json } from "../spec/declare";
import { groupBy } from "../values/lists";
import { Currency } from "../values/values";
import {
  type AccountBalances,
  accountFields,
  accountNameOf,
  accountOperations,
  findMissingAccounts,
  readBalances,
  selectAccounts,
} from "./accounts";
import { convertAmounts, signedAmount, sumBy, Rates } from "./decimal";
import { completeRates, EstimatedRates } from "./estimated-rates";
import { procedure } from "./procedure";
import { currencyField, flagField, optionalTextField, textField } from "./result-fields";

const Amount = textField("Signed decimal amount; negative for a debit balance.");
const BalanceType = textField(
  "Balance type. InterimAvailable can be used now; RequiredFunds are still to be paid for open trades and not deducted from it.",
);

const Total = z.object({ type: BalanceType, currency: currencyField, amount: Amount });

export const CashPosition = z
  .object({
    at: textField("Time at which the balances were read, UTC."),
    balances: z
      .array(
        z.object({
          account_id: textField("The account."),
          account_name: optionalTextField("Account name, if it has one."),
          type: BalanceType,
          currency: currencyField,
          amount: Amount,
        }),
      )
      .describe("One entry per account and balance type."),
    totals: z.array(Total).describe("Totals per balance type and currency."),
    converted: z
      .array(Total)
      .optional()
      .describe("Totals per balance type, converted into the currency `into`. Absent unless complete."),
    estimated_rates: EstimatedRates,
    unread: z
      .array(
        z.object({
          account_id: textField("Account whose balances are missing."),
          currency: currencyField,
          reason: textField("Reason why they could not be read."),
        }),
      )
      .describe("Accounts without balances in this result; empty if complete."),
    complete: flagField("True if all balances were read and converted."),
    without_rate: z
      .array(currencyField)
      .optional()
      .describe("Currencies without a rate, for which `converted` is omitted."),
  })
  .meta({ id: "CashPosition", description: "Balances of all accounts with totals." });

/** Includes required funds and margin, because a position without them looks too good. */
const defaultBalanceTypes = [
  "InterimAvailable",
  "RequiredFunds",
  "RequiredFundsImmediate",
  "InitialMargin",
  "MarginCall",
] as const;

type Balances = z.infer<typeof CashPosition>["balances"];

function toBalances({ account, balances }: AccountBalances): Balances {
  const name = accountNameOf(account);
  return balances.map(({ type, amount, credit_debit_indicator: direction }) => ({
    account_id: account.account_id,
    ...(name !== undefined && { account_name: name }),
    type,
    currency: amount.currency,
    amount: formatAmount(signedAmount(amount.amount, direction), amount.currency),
  }));
}

function totalsOf(balances: Balances) {
  const sums = sumBy(balances, ({ type, currency }) => `${type} ${currency}`);
  return [...sums].map(([key, amount]) => {
    const [type, currency] = key.split(" ") as [string, string];
    return { type, currency, amount };
  });
}

/** Converts the totals of each balance type. */
function convertTotals(totals: ReturnType<typeof totalsOf>, into: string, rates: Rates) {
  const types = [...groupBy(totals, ({ type }) => type)].map(([type, own]) => {
    const { amount, missing } = convertAmounts(own, into, rates);
    return { total: { type, currency: into, amount }, missing };
  });
  return {
    converted: types.map(({ total }) => total),
    without_rate: [...new Set(types.flatMap(({ missing }) => missing))],
  };
}

export const getCashPosition = procedure({
  name: "cash.getPosition",
  tool: "get_cash_position",
  section: { title: "Cash", icon: "accounts.svg", category: "fxdesk cash", daily: ["getPosition"], order: 1 },
  icon: "font-awesome/fa-money",
  title: "Get cash position",
  summary: "Returns the balances of all accounts with totals per currency.",
  notes: "RequiredFunds are still owed, not deducted from InterimAvailable.",
  keywords: [
    "liquidity",
    "treasury",
    "funds",
    "available",
    "balance",
    "how much money",
    "Liquidität",
    "Saldo",
    "Salden",
    "Kontostand",
    "Kassenbestand",
    "Disposition",
  ],
  effect: "read",
  card: "position",
  uses: [...accountOperations, "accounts.listBalances"],
  input: {
    ...accountFields,
    balance_types: z
      .array(z.enum(balanceTypes))
      .min(1)
      .default([...defaultBalanceTypes])
      .meta({ title: "Balance types", description: "Default: available, required, margin." }),
    into: Currency.optional().meta({
      title: "Into",
      description: "Target currency.",
    }),
    rates: Rates.optional().meta({
      title: "Rates",
      description: 'Value of one unit in `into`: { USD: "0.92" }. Default: estimates.',
    }),
  },
  resultList: "balances",
  output: json(CashPosition, "The cash position."),
  async run(context, { accounts, currencies, balance_types: types, into, rates = {} }) {
    const found = await selectAccounts(context.client, { accounts, currencies });
    const read = await readBalances(context, found, types);
    const balances = read.flatMap(toBalances);
    const unread = [
      ...read.flatMap(({ account: { account_id, currency }, unread: reason }) =>
        reason === undefined ? [] : [{ account_id, currency, reason }],
      ),
      ...findMissingAccounts({ accounts, currencies }, found).map((each) => ({ ...each, currency: "" })),
    ];
    const totals = totalsOf(balances);
    const { rates: all, ...estimates } =
      into === undefined ? { rates } : await completeRates(context, totals, into, rates);
    const conversion = into === undefined ? undefined : convertTotals(totals, into, all);
    const complete = unread.length === 0 && !conversion?.without_rate.length;
    return {
      at: new Date().toISOString(),
      balances,
      totals: totals.map((total) => ({ ...total, amount: formatAmount(total.amount, total.currency) })),
      ...(conversion && {
        // A partial sum would look whole.
        ...(complete && { converted: conversion.converted }),
        without_rate: conversion.without_rate,
      }),
      ...estimates,
      unread,
      complete,
    };
  },
});
