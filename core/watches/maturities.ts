/** forwards.watch: forwards and drawdowns that mature soon. */
import { addDays } from "../calendars/days";
import { z } from "zod";
import { formatAmount } from "../files/amount";
import { textField } from "../values/response-fields";
import { json } from "../spec/declare";
import { findOpenTrades, fetchAllTrades } from "../procedures/fetch-all-trades";
import { watch } from "./watch";

const Maturing = z
  .object({
    trade_id: textField("Trade ID of the forward or drawdown."),
    type: textField("forward, window_forward, ndf or drawdown."),
    matures: textField("Maturity date (YYYY-MM-DD)."),
    status: textField("Trade status."),
    buy_currency: textField("ISO 4217 code."),
    buy_amount: textField("Remaining amount bought."),
    sell_currency: textField("ISO 4217 code."),
    sell_amount: textField("Remaining amount sold."),
  })
  .meta({ id: "MaturingTrade", description: "A forward or drawdown that matures soon." });

export const watchMaturities = watch({
  name: "forwards.watch",
  tool: "watch_maturities",
  title: "Watch maturities",
  summary: "Reports forwards and drawdowns a number of days before they mature.",
  keywords: ["alert", "reminder", "maturity", "expire", "Fälligkeit", "Erinnerung"],
  uses: ["trades.list"],
  input: {
    within_days: z.int().min(0).max(366).default(5).meta({
      title: "Within days",
      description: "Number of days before maturity at which a trade is reported.",
    }),
  },
  output: json(Maturing, "The maturing trade."),
  defaultStart: "beginning",
  everyMs: 3_600_000,
  async read(context, { within_days: days }, { today }) {
    const fetched = await fetchAllTrades(context, ["forward", "window_forward", "ndf", "drawdown"]);
    const { open, gaps } = findOpenTrades(fetched.trades, today);
    const last = addDays(today, days);
    const entries = open
      .filter(({ trade }) => trade.maturity_date <= last)
      .map(({ trade, buy, sell }) => ({
        trade_id: trade.trade_id,
        type: trade.trade_type,
        matures: trade.maturity_date,
        status: trade.status,
        buy_currency: trade.buy_currency,
        buy_amount: formatAmount(buy, trade.buy_currency),
        sell_currency: trade.sell_currency,
        sell_amount: formatAmount(sell, trade.sell_currency),
      }));
    return { entries, gaps: [...fetched.gaps, ...gaps] };
  },
  identify: ({ trade_id: id }) => id,
  state: ({ matures }) => ({ matures }),
  time: ({ matures }) => matures,
});
