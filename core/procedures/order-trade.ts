/** trades.order: a trade within limits, booked from a fresh quote once a person has said yes to it. */
import { z } from "zod";
import { NewTrade } from "../contract/trades";
import { json } from "../declaration/declare";
import type { OrderInput } from "../releases/input";
import { ReleaseReport } from "../releases/report";
import { Currency, day, DecimalText, id } from "../schema/values";
import { procedure } from "./procedure";

const rate = (title: string, description: string) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,10})?$/, "must be a decimal with a dot, such as 1.0925")
    .refine((text) => /[1-9]/.test(text), "must be more than zero")
    .meta({ title, description });

const moment = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z$/,
    "must be a UTC time, such as 2026-01-31T16:30Z",
  )
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a time that exists");

export const orderTrade = procedure({
  name: "trades.order",
  tool: "order_trade",
  title: "Order trade",
  summary:
    "Places an order to buy or sell currency (FX trade, conversion, hedge) within limits: it is booked from a fresh quote once a person has released it.",
  notes:
    "Answers at once with a release ID and how it stands; releases.get tells it later, releases.cancel takes it back. No " +
    "quote is needed: a fresh one is taken after the yes, and booked only inside the worst rate, the fee and the dates of " +
    "the order. Nothing is booked after valid_until.",
  effect: "money",
  identifiedBy: "release",
  uses: ["trades.book", "trades.get"],
  input: {
    trade_type: z
      .enum(["spot", "forward", "window_forward", "drawdown", "ndf"])
      .default("spot")
      .meta({ title: "Trade type", description: "Kind of trade." }),
    buy_currency: Currency.meta({ title: "Buy currency", description: "Currency to buy, such as USD." }),
    sell_currency: Currency.meta({ title: "Sell currency", description: "Currency to sell, such as EUR." }),
    fixed_side: z
      .enum(["buy", "sell"])
      .meta({ title: "Fixed side", description: "Whether amount is what is bought or what is sold." }),
    amount: DecimalText.meta({ title: "Amount", description: "In the currency of the fixed side." }),
    worst_rate: rate(
      "Worst rate",
      "No trade at a worse rate than this, of the pair in rate_symbol.",
    ).optional(),
    rate_symbol: z
      .string()
      .regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD")
      .optional()
      .meta({
        title: "Rate symbol",
        description: "Pair of worst_rate: EURUSD is the price of one EUR in USD.",
      }),
    largest_distance: z
      .string()
      .regex(/^\d{1,2}(\.\d{1,4})?$/, "must be a number of percent below 100, such as 0.5")
      .optional()
      .meta({
        title: "Largest distance",
        description:
          "In place of worst_rate: percent by which the rate may be worse than that of a quote taken now.",
      }),
    highest_fee: DecimalText.optional().meta({
      title: "Highest fee",
      description: "No trade with a higher fee, in fee_currency; only where quotes tell their fee.",
    }),
    fee_currency: Currency.optional().meta({
      title: "Fee currency",
      description: "Currency of highest_fee.",
    }),
    value_date: day("Value date", "Day on which it settles; of a window, the last one.").optional(),
    latest_value_date: day(
      "Latest value date",
      "Where the value date may be later than value_date: until this day.",
    ).optional(),
    window_start_date: day("Window start date", "Window forwards only: first day of the window.").optional(),
    parent_trade_id: id("Parent trade ID", "Drawdowns only: the forward to draw from.").optional(),
    reason: NewTrade.shape.reason,
    reference: z
      .string()
      .min(1)
      .optional()
      .meta({ title: "Reference", description: "Of the trade, such as an invoice number." }),
    valid_until: moment.meta({
      title: "Valid until",
      description: "UTC time after which nothing is booked, such as 2026-01-31T16:30Z.",
    }),
  },
  rules: [
    {
      kind: "exactly-one",
      fields: ["worst_rate", "largest_distance"],
      description: "Give worst_rate with rate_symbol, or largest_distance.",
    },
  ],
  output: json(ReleaseReport, "The order, and how it stands."),
  // What is left out is not there, rather than undefined.
  run: ({ client }, input) => client.orders.order(input as OrderInput),
});
