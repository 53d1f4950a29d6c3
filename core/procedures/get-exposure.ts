/** exposure.get: expected flows per currency and tenor, and the trades that hedge them. */
import { Big } from "big.js";
import { z } from "zod";
import { dayOf, daysBetween } from "../calendars/days";
import { formatAmount } from "../files/amount";
import { json } from "../spec/declare";
import { amountText } from "../values/amount-text";
import { Currency, day } from "../values/values";
import {
  type AccountBalances,
  accountOperations,
  readBalances,
  selectAccounts,
  unreadGaps,
} from "./accounts";
import { headingMatcher, normalizeEntries, parseCsvRows } from "./csv-input";
import { convertAmounts, type CurrencyAmount, signedAmount, sumBy, Rates } from "./decimal";
import { byText } from "../values/lists";
import { completeRates, EstimatedRates } from "./estimated-rates";
import { procedure } from "./procedure";
import {
  isPhysicallyDelivered,
  isFullyFunded,
  type OpenTrade,
  findOpenTrades,
  fetchAllTrades,
} from "./fetch-all-trades";
import { currencyField, flagField, optionalTextField, textField } from "./result-fields";

const SignedDecimal = amountText(
  /^-?\d+(\.\d+)?$/,
  "must be a decimal amount such as 1250.00, or -1250.00 for money out",
);

/** Last day of each tenor, in days from today. */
const tenors = [
  ["overdue", -1],
  ["0-30", 30],
  ["31-90", 90],
  ["91-180", 180],
  ["181-365", 365],
  ["beyond", Infinity],
] as const;

type Tenor = (typeof tenors)[number][0];

function tenorOf(matures: string, today: string): Tenor {
  const days = daysBetween(today, matures);
  return tenors.find(([, last]) => days <= last)![0];
}

/** How positions are grouped in time. */
type Grouping = "tenor" | "month";

/** Returns the tenor or the month of a day. Days before today are overdue in both. */
const timeOf = (matures: string, { by, today }: TimeGrouping): string => {
  const tenor = tenorOf(matures, today);
  return by === "tenor" || tenor === "overdue" ? tenor : matures.slice(0, "YYYY-MM".length);
};

interface TimeGrouping {
  readonly by: Grouping;
  readonly today: string;
}

/** Returns the position of a tenor; months come after `overdue`. */
const rankOf = (time: string): number => {
  const rank = tenors.findIndex(([name]) => name === time);
  return rank === -1 ? tenors.length : rank;
};

/** Orders tenors by length and months by date. */
const byTime = (one: string, other: string): number => rankOf(one) - rankOf(other) || byText(one, other);

interface Flow {
  readonly date: string;
  readonly currency: string;
  readonly amount: string;
}

const amount = (description: string) => textField(`${description}, signed decimal text.`);

const figureFields = {
  expected: amount("Expected flows, plus the balance if balances are included").optional(),
  trades: amount("Open trades: bought minus sold"),
  net: amount("Net open position"),
  covered: optionalTextField(
    "Percentage of the expected flows that trades hedge, rounded to one decimal. Above 100.0, the trades exceed the " +
      "flows; below 0.0, they increase the exposure. Absent without expected flows.",
  ),
};

export const Exposure = z
  .object({
    as_of: textField("Date from which tenors are counted, UTC."),
    positions: z
      .array(
        z.object({
          currency: currencyField,
          tenor: z
            .enum(tenors.map(([name]) => name) as [Tenor, ...Tenor[]])
            .optional()
            .describe("Tenor in days from today, if grouped by tenor; `overdue` is before today."),
          month: optionalTextField(
            "Calendar month (YYYY-MM), if grouped by month; `overdue` is before today.",
          ),
          ...figureFields,
        }),
      )
      .describe("Positions per currency and tenor or month."),
    currencies: z
      .array(z.object({ currency: currencyField, ...figureFields }))
      .describe("Totals per currency."),
    base: z
      .object({
        currency: currencyField,
        net: amount("Net open position of all other currencies at the given rates"),
      })
      .optional()
      .describe("Net open position in the base currency, if one was given. Absent unless complete."),
    without_rate: z
      .array(currencyField)
      .optional()
      .describe("Currencies without a rate, for which `base` is omitted."),
    estimated_rates: EstimatedRates,
    complete: flagField("True if all trades and balances were read and converted."),
    gaps: z.array(z.string()).describe("What is missing or uncertain; empty if complete."),
  })
  .meta({ id: "Exposure", description: "Expected flows and open trades per currency and time." });

/** An expected flow, a balance or a side of a trade, with its tenor or month. */
interface TimedAmount extends CurrencyAmount {
  readonly time: string;
}

const toFlowAmounts = (flows: readonly Flow[], grouping: TimeGrouping): TimedAmount[] =>
  flows.map(({ date, currency, amount: text }) => ({
    currency,
    time: timeOf(date, grouping),
    amount: new Big(text),
  }));

/**
 * Converts trades to signed amounts: bought positive, sold negative. If balances are included, they no longer contain
 * the sold amounts of funded trades, so only the bought amounts count.
 */
const toTradeAmounts = (
  openTrades: readonly OpenTrade[],
  grouping: TimeGrouping,
  includesBalances: boolean,
): TimedAmount[] =>
  openTrades.flatMap(({ trade, buy, sell }) => {
    const time = timeOf(trade.maturity_date, grouping);
    const bought = { currency: trade.buy_currency, time, amount: buy };
    const sold = { currency: trade.sell_currency, time, amount: sell.neg() };
    return includesBalances && isPhysicallyDelivered(trade) && isFullyFunded(trade)
      ? [bought]
      : [bought, sold];
  });

const isPartlyPaid = ({ trade }: OpenTrade): boolean =>
  isPhysicallyDelivered(trade) && trade.status.toLowerCase() === "funds in partially";

/** The contract does not show how much of a partly funded trade was paid. */
const partlyPaidGaps = (open: readonly OpenTrade[]): string[] =>
  open
    .filter(isPartlyPaid)
    .map(
      ({ trade }) =>
        `Trade ${trade.trade_id} is partly funded in ${trade.sell_currency}: the funded part is counted as unpaid.`,
    );

/** Returns available balances as amounts of today. */
const toBalanceAmounts = (read: readonly AccountBalances[], grouping: TimeGrouping): TimedAmount[] =>
  read.flatMap(({ balances }) =>
    balances.map(({ amount: { amount: text, currency }, credit_debit_indicator: direction }) => ({
      currency,
      time: timeOf(grouping.today, grouping),
      amount: signedAmount(text, direction),
    })),
  );

/**
 * Compares expected amounts with trades by a key of currency and optional time. `expected` is undefined if the caller gave
 * neither flows nor balances. The percentage is rounded for people; the sums are exact.
 */
function compareAmounts(
  expected: readonly TimedAmount[] | undefined,
  trades: readonly TimedAmount[],
  keyOf: (each: TimedAmount) => string,
) {
  const [flows, hedges] = [sumBy(expected ?? [], keyOf), sumBy(trades, keyOf)];
  const figures = [...new Set([...flows.keys(), ...hedges.keys()])].map((key) => {
    const [currency = "", time = ""] = key.split(" ");
    const [flow, hedge] = [flows.of(key), hedges.of(key)];
    const net = flow.plus(hedge);
    return {
      currency,
      time,
      amount: net,
      texts: {
        ...(expected && { expected: formatAmount(flow, currency) }),
        trades: formatAmount(hedge, currency),
        net: formatAmount(net, currency),
        ...(!flow.eq(0) && { covered: hedge.neg().times(100).div(flow).toFixed(1) }),
      },
    };
  });
  return figures.toSorted(
    (one, other) => byText(one.currency, other.currency) || byTime(one.time, other.time),
  );
}

const name = "exposure.get";

const ExpectedFlow = z.object({
  date: day("Date", "Due date."),
  currency: Currency,
  amount: SignedDecimal.meta({
    title: "Amount",
    description: "Negative if outgoing.",
  }),
});

const flowColumns = {
  date: { names: ["date", "due date", "value date"], required: true },
  currency: { names: ["currency", "ccy"], required: true },
  amount: { names: ["amount"], required: true },
} as const;

const parseFlowsCsv = (text: string): Flow[] =>
  parseCsvRows(name, "flows_csv", text, flowColumns, (row) => {
    const currency = row.currency("currency");
    return { date: row.day("date"), currency, amount: row.amount("amount", currency) };
  });

export const getExposure = procedure({
  name,
  tool: "get_exposure",
  section: { title: "Exposure", icon: "trades.svg", category: "fxdesk trades", daily: ["get"], order: 8 },
  icon: "font-awesome/fa-pie-chart",
  title: "Get currency exposure",
  summary:
    "Returns expected flows, hedging trades and the net open position per currency and tenor or month. For maturities only, use forwards.list.",
  notes: "Without flows and balances only trades count.",
  keywords: ["FX risk", "hedge ratio", "unhedged", "Währungsrisiko", "Absicherung", "Sicherungsquote"],
  effect: "read",
  card: "position",
  uses: ["trades.list", ...accountOperations, "accounts.listBalances"],
  input: {
    flows: z.array(ExpectedFlow).max(10_000).optional().meta({
      title: "Expected flows",
      description: "Expected payments.",
    }),
    flows_csv: z
      .string()
      .optional()
      .meta({
        title: "Expected flows as CSV",
        description: "More flows as CSV: date,currency,amount.",
        matchHeadings: headingMatcher(flowColumns),
        columnsOf: "flows",
      }),
    by: z.enum(["tenor", "month"]).default("tenor").meta({
      title: "By",
      description: "Days to maturity, or calendar month.",
    }),
    balances: z.boolean().default(false).meta({
      title: "Balances",
      description: "Adds available balances as of today.",
    }),
    base_currency: Currency.optional().meta({
      title: "Base currency",
      description: "Also converts `net`.",
    }),
    rates: Rates.optional().meta({
      title: "Rates",
      description: 'Value of one unit in `base_currency`: { USD: "0.92" }. Default: estimates.',
    }),
  },
  resultList: "positions",
  output: json(Exposure, "The exposure per currency and tenor or month."),
  async run(context, { flows, flows_csv: csv, by, balances, base_currency: base, rates = {} }) {
    const today = dayOf(new Date());
    const grouping = { by, today };
    const given = [
      ...normalizeEntries(name, "flows", flows ?? [], flowColumns, ExpectedFlow),
      ...(csv === undefined ? [] : parseFlowsCsv(csv)),
    ];
    const isExpected = flows !== undefined || csv !== undefined || balances;
    const fetched = await fetchAllTrades(context);
    const { open, gaps: misfits } = findOpenTrades(fetched.trades, today);
    const read = balances
      ? await readBalances(context, await selectAccounts(context.client, {}), ["InterimAvailable"])
      : [];
    const expected = isExpected
      ? [...toFlowAmounts(given, grouping), ...toBalanceAmounts(read, grouping)]
      : undefined;
    const amounts = [expected, toTradeAmounts(open, grouping, balances)] as const;
    const positions = compareAmounts(...amounts, ({ currency, time }) => `${currency} ${time}`);
    const currencies = compareAmounts(...amounts, ({ currency }) => currency);
    const others = currencies.filter(({ currency }) => currency !== base);
    const { rates: all, ...estimates } =
      base === undefined ? { rates } : await completeRates(context, others, base, rates);
    const conversion = base === undefined ? undefined : convertAmounts(others, base, all);
    const gaps = [
      ...fetched.gaps,
      ...misfits,
      ...unreadGaps("Balance", read),
      ...(balances ? partlyPaidGaps(open) : []),
    ];
    const complete = gaps.length === 0 && !conversion?.missing.length;
    return {
      as_of: today,
      positions: positions.map(({ currency, time, texts }) => ({
        currency,
        ...(by === "tenor" ? { tenor: time as Tenor } : { month: time }),
        ...texts,
      })),
      currencies: currencies.map(({ currency, texts }) => ({ currency, ...texts })),
      ...(conversion && {
        ...(complete && { base: { currency: base!, net: conversion.amount } }),
        without_rate: conversion.missing,
      }),
      ...estimates,
      complete,
      gaps,
    };
  },
});
