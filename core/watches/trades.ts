/** trades.watch: new trades and changes of their status. */
import { BookedTrade } from "../contract/trades";
import { json } from "../spec/declare";
import { fetchAllTrades } from "../procedures/fetch-all-trades";
import { watch } from "./watch";

export const watchTrades = watch({
  name: "trades.watch",
  tool: "watch_trades",
  title: "Watch trades",
  summary: "Reports new trades and changes of their status.",
  keywords: ["alert", "deals", "booked", "funded", "Geschäfte", "Devisengeschäft"],
  uses: ["trades.list"],
  input: {},
  output: json(BookedTrade, "A trade."),
  defaultStart: "now",
  everyMs: 60_000,
  async read(context) {
    const { trades, gaps } = await fetchAllTrades(context);
    const entries = trades.map((trade) => ({
      ...trade,
      buy_amount: trade.buy_amount.toNumber(),
      sell_amount: trade.sell_amount.toNumber(),
    }));
    return { entries, gaps };
  },
  identify: ({ trade_id: id }) => id,
  time: ({ order_date: day }) => day,
  state: ({ status, maturity_date: matures, buy_amount: buy, sell_amount: sell, reference }) => ({
    status,
    maturity_date: matures,
    buy_amount: buy,
    sell_amount: sell,
    reference: reference ?? null,
  }),
});
