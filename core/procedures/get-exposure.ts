/** exposure.get: expected flows per currency and tenor, and the trades that hedge them. */
import { Big } from "big.js";
import { z } from "zod";
import { dayOf, daysBetween } from "../calendars/days";
import { formatAmount } from "../files/amount";
import { json } from "../spec/declare";
import { Currency, day } from "../values/values";
import {
  type AccountBalances,
  accountOperations,
  readBalances,
  selectAccounts,
  unreadGaps,
} from "./accounts";
import { normalizeEntries, parseCsvRows } from "./csv-input";
import { convertAmounts, type CurrencyAmount, signedAmount, sumBy, Rates } from "./decimal";
import { byText } from "../values/lists";
import { procedure } from "./procedure";
import {
  isPhysicallyDelivered,
  isFullyFunded,
  type OpenTrade,
  findOpenTrades,
  fetchAllTrades,
} from "./fetch-all-trades";
import { currencyField, flagField, optionalTextField, textField } from "./result-fields";

const SignedDecimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, "must be a decimal amount such as 1250.00, or -1250.00 for money out");

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

/** Returns the position of a tenor, or -1 for the sum of all tenors. */
const rankOf = (tenor: Tenor): number => tenors.findIndex(([name]) => name === tenor);

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
            .describe("Tenor in days from today; `overdue` is before today."),
          ...figureFields,
        }),
      )
      .describe("Positions per currency and tenor."),
    currencies: z
      .array(z.object({ currency: currencyField, ...figureFields }))
      .describe("Totals over all tenors."),
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
    complete: flagField("True if all trades and balances were read and converted."),
    gaps: z.array(z.string()).describe("What is missing or uncertain; empty if complete."),
  })
  .meta({ id: "Exposure", description: "Expected flows and open trades per currency and tenor." });

/** An expected flow, a balance or a side of a trade. */
interface TenorAmount extends CurrencyAmount {
  readonly tenor: Tenor;
}

const toFlowAmounts = (flows: readonly Flow[], today: string): TenorAmount[] =>
  flows.map(({ date, currency, amount: text }) => ({
    currency,
    tenor: tenorOf(date, today),
    amount: new Big(text),
  }));

/**
 * Converts trades to signed amounts: bought positive, sold negative. If balances are included, they no longer contain
 * the sold amounts of funded trades, so only the bought amounts count.
 */
const toTradeAmounts = (
  openTrades: readonly OpenTrade[],
  today: string,
  includesBalances: boolean,
): TenorAmount[] =>
  openTrades.flatMap(({ trade, buy, sell }) => {
    const tenor = tenorOf(trade.maturity_date, today);
    const bought = { currency: trade.buy_currency, tenor, amount: buy };
    const sold = { currency: trade.sell_currency, tenor, amount: sell.neg() };
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

/** Returns available balances as amounts of the first current tenor. */
const toBalanceAmounts = (read: readonly AccountBalances[]): TenorAmount[] =>
  read.flatMap(({ balances }) =>
    balances.map(({ amount: { amount: text, currency }, credit_debit_indicator: direction }) => ({
      currency,
      tenor: "0-30",
      amount: signedAmount(text, direction),
    })),
  );

/**
 * Compares expected amounts with trades by a key of currency and optional tenor. `expected` is undefined if the caller gave
 * neither flows nor balances. The percentage is rounded for people; the sums are exact.
 */
function compareAmounts(
  expected: readonly TenorAmount[] | undefined,
  trades: readonly TenorAmount[],
  keyOf: (each: TenorAmount) => string,
) {
  const [flows, hedges] = [sumBy(expected ?? [], keyOf), sumBy(trades, keyOf)];
  const figures = [...new Set([...flows.keys(), ...hedges.keys()])].map((key) => {
    const [currency, tenor] = key.split(" ") as [string, Tenor];
    const [flow, hedge] = [flows.of(key), hedges.of(key)];
    const net = flow.plus(hedge);
    return {
      currency,
      tenor,
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
    (one, other) => byText(one.currency, other.currency) || rankOf(one.tenor) - rankOf(other.tenor),
  );
}

const name = "exposure.get";

const ExpectedFlow = z.object({
  date: day("Date", "Date of the flow."),
  currency: Currency,
  amount: SignedDecimal.meta({
    title: "Amount",
    description: "Decimal amount; negative for outgoing money.",
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
    "Returns the currency exposure per tenor: expected flows and balances, the trades that hedge them, and the net open position.",
  notes: "Without flows and balances only the open trades count; NDFs count as hedges.",
  keywords: ["FX risk", "hedge ratio", "unhedged", "Währungsrisiko", "Absicherung", "Sicherungsquote"],
  effect: "read",
  uses: ["trades.list", ...accountOperations, "accounts.listBalances"],
  input: {
    flows: z.array(ExpectedFlow).max(10_000).optional().meta({
      title: "Expected flows",
      description: "Expected incoming and outgoing payments; outgoing amounts are negative.",
    }),
    flows_csv: z.string().optional().meta({
      title: "Expected flows as CSV",
      description: "Flows as CSV text with the header date,currency,amount; added to `flows`.",
    }),
    balances: z.boolean().default(false).meta({
      title: "Balances",
      description: "True to add available balances to the tenor of the next 30 days.",
    }),
    base_currency: Currency.optional().meta({
      title: "Base currency",
      description: "Also returns the net position in this currency (ISO 4217), using `rates`.",
    }),
    rates: Rates.optional().meta({
      title: "Rates",
      description:
        'Price of one unit of each currency, in the currency given as `base_currency`, such as { USD: "0.92" }.',
    }),
  },
  resultList: "positions",
  output: json(Exposure, "The exposure per currency and tenor."),
  async run(context, { flows, flows_csv: csv, balances, base_currency: base, rates = {} }) {
    const today = dayOf(new Date());
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
    const expected = isExpected ? [...toFlowAmounts(given, today), ...toBalanceAmounts(read)] : undefined;
    const amounts = [expected, toTradeAmounts(open, today, balances)] as const;
    const positions = compareAmounts(...amounts, ({ currency, tenor }) => `${currency} ${tenor}`);
    const currencies = compareAmounts(...amounts, ({ currency }) => currency);
    const others = currencies.filter(({ currency }) => currency !== base);
    const conversion = base === undefined ? undefined : convertAmounts(others, base, rates);
    const gaps = [
      ...fetched.gaps,
      ...misfits,
      ...unreadGaps("Balance", read),
      ...(balances ? partlyPaidGaps(open) : []),
    ];
    const complete = gaps.length === 0 && !conversion?.missing.length;
    return {
      as_of: today,
      positions: positions.map(({ currency, tenor, texts }) => ({ currency, tenor, ...texts })),
      currencies: currencies.map(({ currency, texts }) => ({ currency, ...texts })),
      ...(conversion && {
        ...(complete && { base: { currency: base!, net: conversion.amount } }),
        without_rate: conversion.missing,
      }),
      complete,
      gaps,
    };
  },
});
