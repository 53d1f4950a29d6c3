/** trades.watchPayments: payments from the bought amounts of trades. */
import { z } from "zod";
import { optionalText, textField } from "../values/response-fields";
import { json } from "../spec/declare";
import { fetchAllTrades } from "../procedures/fetch-all-trades";
import { readEach, watch } from "./watch";

const TradePayment = z
  .object({
    trade_id: textField("Trade ID."),
    payment_id: optionalText("Payment ID at the service."),
    position: z.int().meta({ description: "Position among the payments of the trade, starting at 1." }),
    beneficiary_name: optionalText("Name of the creditor."),
    amount: optionalText("Decimal amount in buy_currency."),
    buy_currency: textField("Currency that the trade buys, ISO 4217 code."),
    status: optionalText("Payment status."),
  })
  .meta({ id: "TradePayment", description: "A payment of a trade." });

const finalTradeStatuses = new Set(["closed", "cancelled"]);
const finalPaymentStatuses = new Set(["payment complete", "payment rejected", "payment cancelled"]);

export const watchTradePayments = watch({
  name: "trades.watchPayments",
  tool: "watch_trade_payments",
  title: "Watch payments of trades",
  summary: "Reports new payments of trades and changes of their status.",
  keywords: ["alert", "payout", "beneficiary", "Auszahlung", "Geschäfte"],
  uses: ["trades.list", "trades.get"],
  input: {
    trades: z.array(z.string().min(1)).min(1).optional().meta({
      title: "Trades",
      description: "Trade IDs (trade_id); default all open trades.",
    }),
  },
  output: json(TradePayment, "A payment of a trade."),
  defaultStart: "now",
  everyMs: 300_000,
  async read(context, { trades: requestedTrades }, { knownStates }) {
    const { trades, gaps } = await fetchAllTrades(context);
    const unfinished = new Set(
      [...knownStates.values()]
        .filter(({ status }) => !finalPaymentStatuses.has(String(status).toLowerCase()))
        .map((state) => state["trade_id"]),
    );
    const tradesToRead = trades.filter(
      ({ trade_id: id, status }) =>
        (requestedTrades?.includes(id) ?? true) &&
        (!finalTradeStatuses.has(status.toLowerCase()) || unfinished.has(id)),
    );
    const found = await readEach(
      context,
      tradesToRead,
      ({ trade_id: id }) => `Trade ${id}`,
      async ({ trade_id, buy_currency }) => {
        const response = await context.client.trades.get({ trade_id, response_model: "ExtendedBookedTrade" });
        return (response.payments ?? []).map(({ payment_id, beneficiary_name, amount, status }, index) => ({
          trade_id,
          position: index + 1,
          buy_currency,
          ...(payment_id !== undefined && { payment_id }),
          ...(beneficiary_name !== undefined && { beneficiary_name }),
          ...(amount !== undefined && { amount: String(amount) }),
          ...(status !== undefined && { status }),
        }));
      },
    );
    const unknownTrades = (requestedTrades ?? []).filter(
      (id) => !trades.some(({ trade_id: listed }) => listed === id),
    );
    const missing = unknownTrades.map((id) => `Trade ${id} was not found.`);
    return { entries: found.entries, gaps: [...gaps, ...missing, ...found.gaps] };
  },
  identify: ({ trade_id: trade, payment_id: id, position }) => id ?? `${trade} ${position}`,
  state: ({ trade_id, status, amount }) => ({ trade_id, status: status ?? null, amount: amount ?? null }),
});
