/** trades.order: an order with limits, booked from a fresh quote after a person has released it. */
import { z } from "zod";
import { NewTrade, TradeType } from "../contract/trades";
import { ValidUntil } from "../orders/valid-until";
import { json } from "../spec/declare";
import type { OrderInput } from "../releases/terms";
import { ReleaseReport } from "../releases/report";
import { Currency, day, DecimalText, id } from "../values/values";
import { procedure } from "./procedure";

const rateField = (title: string, description: string) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,10})?$/, "must be a decimal with a dot, such as 1.0925")
    .refine((text) => /[1-9]/.test(text), "must be more than zero")
    .meta({ title, description });

export const orderTrade = procedure({
  name: "trades.order",
  tool: "order_trade",
  title: "Order trade",
  summary:
    "Places an FX order with limits, booked from a fresh quote after a person has released it. For an existing quote, use trades.book.",
  notes: "Returns a release ID at once; check the order with releases.get or cancel it with releases.cancel.",
  icon: "font-awesome/fa-handshake-o",
  keywords: [
    "deal",
    "buy currency",
    "sell currency",
    "convert",
    "exchange",
    "spot",
    "forward",
    "limit order",
    "Auftrag",
    "Devisengeschäft",
    "Kassageschäft",
    "Termingeschäft",
    "Dollar kaufen",
    "Dollar verkaufen",
  ],
  effect: "money",
  card: "order",
  identifiedBy: "release",
  uses: ["trades.book", "trades.get"],
  input: {
    trade_type: TradeType.default("spot").meta({ title: "Trade type", description: "Trade type." }),
    buy_currency: Currency.meta({
      title: "Buy currency",
      description: "Currency to buy, ISO 4217 code such as USD.",
    }),
    sell_currency: Currency.meta({
      title: "Sell currency",
      description: "Currency to sell, ISO 4217 code such as EUR.",
    }),
    fixed_side: z
      .enum(["buy", "sell"])
      .meta({ title: "Fixed side", description: "Side whose amount is fixed: buy or sell." }),
    amount: DecimalText.meta({
      title: "Amount",
      description: "Decimal amount in the currency of the fixed side.",
    }),
    worst_rate: rateField("Worst rate", "Worst acceptable rate for the pair in rate_symbol.").optional(),
    rate_symbol: z
      .string()
      .regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD")
      .optional()
      .meta({
        title: "Rate symbol",
        description: "Currency pair of worst_rate: EURUSD is the price of one EUR in USD.",
        pairOf: { buy: "buy_currency", sell: "sell_currency", rate: "worst_rate" },
      }),
    largest_distance: z
      .string()
      .regex(/^\d{1,2}(\.\d{1,4})?$/, "must be a percentage below 100, such as 0.5")
      .optional()
      .meta({
        title: "Largest distance",
        description:
          "Instead of worst_rate: percentage by which the rate may be worse than a quote taken now.",
      }),
    highest_fee: DecimalText.optional().meta({
      title: "Highest fee",
      description: "Highest acceptable fee, in fee_currency; only if quotes state their fee.",
    }),
    fee_currency: Currency.optional().meta({
      title: "Fee currency",
      description: "Currency of highest_fee, ISO 4217 code.",
    }),
    value_date: day("Value date", "Value date; for a window forward, the last day of the window.").optional(),
    latest_value_date: day(
      "Latest value date",
      "Latest acceptable value date. Defaults to `value_date`.",
    ).optional(),
    window_start_date: day("Window start date", "Window forwards only: first day of the window.").optional(),
    parent_trade_id: id("Parent trade ID", "Drawdowns only: trade ID of the forward.").optional(),
    reason: NewTrade.shape.reason,
    reference: z
      .string()
      .min(1)
      .optional()
      .meta({ title: "Reference", description: "Your reference for the trade, such as an invoice number." }),
    valid_until: ValidUntil,
  },
  rules: [
    {
      kind: "exactly-one",
      fields: ["worst_rate", "largest_distance"],
      description: "Give worst_rate with rate_symbol, or largest_distance.",
    },
    {
      kind: "needed-unless",
      fields: ["rate_symbol"],
      unless: { largest_distance: "given" },
      description: "rate_symbol is required with worst_rate.",
    },
  ],
  output: json(ReleaseReport, "The order and its state."),
  check: (client, input) => client.orders.check(input as OrderInput),
  // Omitted fields are absent, not undefined.
  run: ({ client }, input) => client.orders.order(input as OrderInput),
});
