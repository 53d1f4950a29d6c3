/** Currency orders, which a person releases or refuses. */
import type { Facts } from "./desk";
import { settled, task, type Use } from "./task";
import type { Books } from "./world";

/** Returns the ID of the trade that the books did not have. */
export const newTradeIn = ({ trades }: Books) => {
  const known = new Set(trades.map(({ trade_id: id }) => id));
  return (facts: Facts) => ({ trade_id: facts.trades.find(({ trade_id: id }) => !known.has(id))?.trade_id });
};

/** Returns the terms of an order that sells euros for dollars, or with other terms. */
export const orderTerms = (amount: string, more = {}): Record<string, unknown> => ({
  sell_currency: "EUR",
  buy_currency: "USD",
  amount,
  fixed_side: "sell",
  largest_distance: "1",
  reason: "payment_for_goods",
  valid_until: new Date(Date.now() + 3_600_000).toISOString(),
  ...more,
});

export const limits =
  "The rate may be 1 % worse than now at most; the order holds for an hour and pays for goods.";

export const placeOrder = async (use: Use, amount: string, more = {}) =>
  settled(use, (await use("order_trade", orderTerms(amount, more))).release);

/** Books a quote under its own key, and reads the outcome after its release. */
export async function bookQuote(use: Use, quote: object): Promise<any> {
  const { body } = await use("create_quote", { operation: "sell", ...quote });
  const booking = { quote_id: body.quote_id, reason: "other" };
  await settled(use, (await use("book_trade", booking)).release);
  return use("book_trade", booking);
}

/** Returns the listed release over an amount of euros. */
export const releaseOver = (amount: string, releases: readonly { readonly what: string }[]): any =>
  releases.find(({ what }) => what.includes(`${amount} EUR`));

export const dollarsToSell = { amount: "2500", sell_currency: "USD", buy_currency: "EUR" };

export const orderTasks = [
  task("order-spot", ({ books }) => ({
    people: "release",
    ask: `Sell 5,000 EUR for dollars. ${limits} Which trade ID did we get?`,
    answer: newTradeIn(books),
    acts: ["spot sell 5000 EUR for USD"],
    solve: (use) => placeOrder(use, "5000"),
  })),
  task("order-buy-exactly", ({ books }) => ({
    people: "release",
    ask: `We owe 12,000.50 GBP: buy exactly that with euros. ${limits} Which trade ID did we get?`,
    answer: newTradeIn(books),
    acts: ["spot buy 12000.5 GBP for EUR"],
    solve: (use) => placeOrder(use, "12000.50", { buy_currency: "GBP", fixed_side: "buy" }),
  })),
  task("order-draw-the-rest", ({ books }) => ({
    people: "release",
    ask: `Draw everything that is left of our forward FRAME-1. ${limits} Which trade ID did we get?`,
    answer: newTradeIn(books),
    acts: [`drawdown sell ${books.frame().left} EUR for USD of ${books.frame().id}`],
    async solve(use) {
      const { forwards } = await use("list_forwards");
      const forward = forwards.find(({ reference }: any) => reference === "FRAME-1");
      const more = { trade_type: "drawdown", parent_trade_id: forward.trade_id };
      return placeOrder(use, forward.sell_remaining, more);
    },
  })),
  task("order-from-a-quote", ({ books }) => ({
    people: "release",
    ask: "Get a quote for selling 2,500 USD for euros, and book that quote for other purposes. Which trade ID did we get?",
    answer: newTradeIn(books),
    acts: ["spot sell 2500 USD for EUR"],
    solve: (use) => bookQuote(use, dollarsToSell),
  })),
  task("order-refused", () => ({
    people: "refuse",
    ask: `Sell 7,000 EUR for dollars. ${limits} Wait until a person has decided. Was it refused?`,
    answer: { refused: true },
    solve: async (use) => ({ refused: (await placeOrder(use, "7000")).state === "refused" }),
  })),
  task("order-undecided", () => ({
    ask: `Place an order to sell 6,000 EUR for dollars. ${limits} Do not wait for its release. Is it booked already, and which release ID does it have?`,
    answer: ({ releases }) => ({ booked: false, release: releases[0]?.id }),
    releases: 1,
    async solve(use) {
      const { release, state } = await use("order_trade", orderTerms("6000"));
      return { release, booked: state === "booked" };
    },
  })),
  task("order-cancel", async ({ desk }) => {
    const [kept, cancelled] = [await desk.order("3000"), await desk.order("4000")];
    return {
      ask: "Two of our orders wait for release. Cancel the one over 4,000 EUR, and nothing else. Which release did you cancel?",
      answer: { release: cancelled },
      releases: { [kept]: "waiting", [cancelled]: "cancelled" },
      async solve(use) {
        const { releases } = await use("list_releases");
        return use("cancel_release", { release: releaseOver("4,000", releases).release });
      },
    };
  }),
];
