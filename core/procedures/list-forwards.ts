/** forwards.list: open forwards with remaining amounts and maturity dates. */
import { Big } from "big.js";
import { z } from "zod";
import { dayOf, daysBetween } from "../calendars/days";
import { formatAmount } from "../files/amount";
import { json } from "../spec/declare";
import {
  type AccountBalances,
  accountOperations,
  readBalances,
  selectAccounts,
  unreadGaps,
} from "./accounts";
import { signedAmount, Sums } from "./decimal";
import { byText } from "../values/lists";
import { parseFuturePeriod, FuturePeriodText, type Period } from "./period";
import { procedure } from "./procedure";
import { isPhysicallyDelivered, type OpenTrade, findOpenTrades, fetchAllTrades } from "./fetch-all-trades";
import { countField, currencyField, flagField, optionalTextField, textField } from "./result-fields";

const amount = (description: string) => textField(`${description}, as decimal text.`);
const days = countField("Days to maturity; negative if overdue.");
const matures = textField("Maturity date, by which the funds must be received, UTC.");

const Forward = z
  .object({
    trade_id: textField("Trade ID, for trades.get."),
    type: textField("forward, window_forward or ndf (cash-settled)."),
    matures,
    days,
    status: textField("Trade status."),
    rate: textField("Booked rate."),
    rate_symbol: textField("Currency pair of the rate: EURUSD is the price of one EUR in USD."),
    buy_currency: currencyField,
    buy_amount: amount("Booked amount bought"),
    buy_drawn: amount("Amount drawn down"),
    buy_remaining: amount("Remaining amount"),
    sell_currency: currencyField,
    sell_amount: amount("Booked amount sold"),
    sell_drawn: amount("Amount drawn down"),
    sell_remaining: amount("Remaining amount"),
    reference: optionalTextField("Additional reference, if any."),
  })
  .meta({ id: "Forward", description: "A forward with its remaining amounts." });

const Drawdown = z
  .object({
    trade_id: textField("Trade ID of the drawdown, for trades.get."),
    parent_trade_id: textField("Trade ID of the forward."),
    matures,
    days,
    status: textField("Trade status."),
    buy_currency: currencyField,
    buy_amount: amount("Amount bought"),
    sell_currency: currencyField,
    sell_amount: amount("Amount sold"),
  })
  .meta({ id: "Drawdown", description: "A drawdown of a forward." });

const sumFields = {
  settlement: z
    .enum(["delivery", "cash"])
    .describe("`cash` for NDFs, which settle a difference; otherwise delivery."),
  currency: currencyField,
  buy: amount("Amount bought"),
  sell: amount("Amount sold"),
};

const month = textField("Month of maturity, YYYY-MM.");

export const Forwards = z
  .object({
    as_of: textField("Date, UTC."),
    period: z
      .object({ from: z.string(), to: z.string() })
      .optional()
      .describe("First and last maturity date of the requested period."),
    forwards: z.array(Forward).describe("Forwards with a remaining amount, by maturity date."),
    drawdowns: z
      .array(Drawdown)
      .describe("Unsettled drawdowns; not included in the remaining amounts of forwards."),
    totals: z
      .array(z.object(sumFields))
      .describe("Remaining amounts of forwards and open drawdowns per currency."),
    months: z.array(z.object({ month, ...sumFields })).describe("The same totals per month of maturity."),
    margin: z
      .array(
        z.object({
          currency: currencyField,
          initial_margin: textField("InitialMargin balance, signed: deposits for forwards."),
          margin_call: textField("MarginCall balance, signed; negative if payable."),
        }),
      )
      .describe("Margin of all forwards per currency; empty if there is none."),
    left_out: countField("Number of open forwards and drawdowns that mature outside the period."),
    complete: flagField("True if all trades and margin balances were read."),
    gaps: z.array(z.string()).describe("What is missing or inconsistent; empty if complete."),
  })
  .meta({ id: "Forwards", description: "Open forwards with remaining amounts and maturity dates." });

function toForward({ trade, buy, sell }: OpenTrade, today: string): z.infer<typeof Forward> {
  const { buy_currency, sell_currency, buy_amount, sell_amount, reference } = trade;
  return {
    trade_id: trade.trade_id,
    type: trade.trade_type,
    matures: trade.maturity_date,
    days: daysBetween(today, trade.maturity_date),
    status: trade.status,
    rate: new Big(trade.rate).toFixed(),
    rate_symbol: trade.rate_symbol,
    buy_currency,
    buy_amount: formatAmount(buy_amount, buy_currency),
    buy_drawn: formatAmount(buy_amount.minus(buy), buy_currency),
    buy_remaining: formatAmount(buy, buy_currency),
    sell_currency,
    sell_amount: formatAmount(sell_amount, sell_currency),
    sell_drawn: formatAmount(sell_amount.minus(sell), sell_currency),
    sell_remaining: formatAmount(sell, sell_currency),
    ...(reference && { reference }),
  };
}

const toDrawdown = ({ trade, buy, sell }: OpenTrade, today: string): z.infer<typeof Drawdown> => ({
  trade_id: trade.trade_id,
  parent_trade_id: trade.parent_trade_id!,
  matures: trade.maturity_date,
  days: daysBetween(today, trade.maturity_date),
  status: trade.status,
  buy_currency: trade.buy_currency,
  buy_amount: formatAmount(buy, trade.buy_currency),
  sell_currency: trade.sell_currency,
  sell_amount: formatAmount(sell, trade.sell_currency),
});

/** Sums bought and sold amounts per group, settlement and currency. */
function sumByGroup(open: readonly OpenTrade[], groupOf: (trade: OpenTrade["trade"]) => string) {
  const [bought, sold] = [new Sums(), new Sums()];
  for (const { trade, buy, sell } of open) {
    const settlement = isPhysicallyDelivered(trade) ? "delivery" : "cash";
    const keyOf = (currency: string) => JSON.stringify([groupOf(trade), settlement, currency]);
    bought.add(keyOf(trade.buy_currency), buy);
    sold.add(keyOf(trade.sell_currency), sell);
  }
  return [...new Set([...bought.keys(), ...sold.keys()])].toSorted(byText).map((key) => {
    const [group, settlement, currency] = JSON.parse(key) as [string, "delivery" | "cash", string];
    const [buy, sell] = [bought, sold].map((sums) => formatAmount(sums.of(key), currency));
    return { group, sums: { settlement, currency, buy: buy!, sell: sell! } };
  });
}

const marginTypes = ["InitialMargin", "MarginCall"] as const;

/** Sums the margin of all trades, which the contract has only per account. */
function sumMargin(read: readonly AccountBalances[]) {
  const sums = new Sums();
  for (const { type, amount: balance, credit_debit_indicator: direction } of read.flatMap(
    ({ balances }) => balances,
  ))
    sums.add(`${balance.currency} ${type}`, signedAmount(balance.amount, direction));
  const currencies = [...new Set([...sums.keys()].map((key) => key.split(" ")[0]!))].toSorted();
  return currencies
    .map((currency) => ({
      currency,
      initial: sums.of(`${currency} InitialMargin`),
      call: sums.of(`${currency} MarginCall`),
    }))
    .filter(({ initial, call }) => !initial.eq(0) || !call.eq(0))
    .map(({ currency, initial, call }) => ({
      currency,
      initial_margin: formatAmount(initial, currency),
      margin_call: formatAmount(call, currency),
    }));
}

const byMaturityDate = ({ trade: one }: OpenTrade, { trade: other }: OpenTrade): number =>
  byText(one.maturity_date, other.maturity_date) || byText(one.trade_id, other.trade_id);

const maturesIn = ({ trade }: OpenTrade, period: Period | undefined): boolean =>
  !period || (trade.maturity_date >= period.from && trade.maturity_date <= period.to);

const hasRate = ({ trade }: OpenTrade): boolean => typeof trade.rate === "number";

export const listForwards = procedure({
  name: "forwards.list",
  tool: "list_forwards",
  section: {
    title: "Forwards",
    icon: "trades.svg",
    category: "fxdesk trades",
    daily: ["list", "watch"],
    order: 7,
  },
  icon: "font-awesome/fa-calendar",
  title: "List forwards",
  summary:
    "Lists open forwards and drawdowns: remaining amounts, rates, maturity dates, margin, totals per currency and month.",
  notes: "Unfunded overdue trades count as open.",
  keywords: ["hedge", "outright", "undrawn", "calendar", "Termingeschäfte", "Fälligkeiten", "Kurssicherung"],
  effect: "read",
  uses: ["trades.list", ...accountOperations, "accounts.listBalances"],
  input: {
    period: FuturePeriodText.optional().meta({
      title: "Maturing",
      description: "Maturity dates: next 30 days, 2026-Q1, 2026-01-01..2026-01-31.",
    }),
  },
  resultList: "forwards",
  output: json(Forwards, "The open forwards and drawdowns with totals."),
  async run(context, { period: periodText }) {
    const now = new Date();
    const today = dayOf(now);
    const period = periodText === undefined ? undefined : parseFuturePeriod(periodText, now);
    const fetched = await fetchAllTrades(context, ["forward", "window_forward", "ndf", "drawdown"]);
    const read = await readBalances(context, await selectAccounts(context.client, {}), marginTypes);
    const { open: all, gaps: misfits } = findOpenTrades(fetched.trades, today);
    const open = all.filter(hasRate);
    const missingRateGaps = all
      .filter((each) => !hasRate(each))
      .map(({ trade }) => `Trade ${trade.trade_id} has no rate.`);
    const shown = open.filter((each) => maturesIn(each, period)).toSorted(byMaturityDate);
    const gaps = [...fetched.gaps, ...misfits, ...missingRateGaps, ...unreadGaps("Margin", read)];
    return {
      as_of: today,
      ...(period && { period }),
      forwards: shown.filter(({ trade }) => !trade.parent_trade_id).map((each) => toForward(each, today)),
      drawdowns: shown.filter(({ trade }) => trade.parent_trade_id).map((each) => toDrawdown(each, today)),
      totals: sumByGroup(shown, () => "").map((each) => each.sums),
      months: sumByGroup(shown, ({ maturity_date: day }) => day.slice(0, "YYYY-MM".length)).map((each) => ({
        month: each.group,
        ...each.sums,
      })),
      margin: sumMargin(read),
      left_out: open.length - shown.length,
      complete: gaps.length === 0,
      gaps,
    };
  },
});
