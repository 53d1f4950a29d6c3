/** What became of earlier requests, and lost responses. */
import { task, type Use } from "./task";
import { bookQuote, limits, newTradeIn, placeOrder, releaseOver } from "./order-tasks";
import { invoice, paying, payOne } from "./pay-tasks";

const newestOutcome = async (use: Use) => (await use("find_outcome")).outcomes[0];

export const eurosToSell = { amount: "3500", sell_currency: "EUR", buy_currency: "USD" };

const once = "The connection is bad today: make sure that it is booked only once.";

export const recoverTasks = [
  task("recover-went-through", async ({ desk }) => {
    const release = await desk.order("4500");
    await desk.decide(release, "release");
    const trade = await desk.booked(release);
    return {
      ask: "Did the order over 4,500 EUR from this morning go through? If so, with which trade ID?",
      answer: { went_through: true, trade_id: trade },
      async solve(use) {
        const { state, id } = await newestOutcome(use);
        return { went_through: state === "done", trade_id: id };
      },
    };
  }),
  task("recover-still-waits", async ({ desk }) => {
    const release = await desk.order("4700");
    return {
      ask: "Did the order over 4,700 EUR from this morning go through? If not, which release ID does it have?",
      answer: { went_through: false, release },
      async solve(use) {
        const { state, release: id } = await newestOutcome(use);
        return { went_through: state === "done", release: id };
      },
    };
  }),
  task("recover-was-refused", async ({ desk }) => {
    await desk.decide(await desk.order("4800"), "refuse");
    return {
      ask: "Was the order over 4,800 EUR from this morning booked, and does it still wait for a person?",
      answer: { booked: false, waits: false },
      async solve(use) {
        const { releases } = await use("list_releases", { states: ["waiting", "booked", "refused"] });
        const { state } = releaseOver("4,800", releases);
        return { booked: state === "booked", waits: state === "waiting" };
      },
    };
  }),
  task("recover-lost-booking", ({ desk, books }) => {
    desk.sandbox.control.addFault({ operation: "trades.book", kind: "reset-after" });
    return {
      people: "release",
      ask: `Get a quote for selling 3,500 EUR for dollars, and book that quote for other purposes. ${once} Which trade ID did we get?`,
      answer: newTradeIn(books),
      acts: ["spot sell 3500 EUR for USD"],
      async solve(use) {
        const { trade_id: trade } = await bookQuote(use, eurosToSell);
        return { trade_id: trade ?? (await newestOutcome(use)).id };
      },
    };
  }),
  task("recover-lost-order", ({ desk, books }) => {
    desk.sandbox.control.addFault({ operation: "trades.book", kind: "reset-after" });
    return {
      people: "release",
      ask: `Sell 5,200 EUR for dollars. ${limits} ${once} Which trade ID did we get?`,
      answer: newTradeIn(books),
      acts: ["spot sell 5200 EUR for USD"],
      solve: (use) => placeOrder(use, "5200"),
    };
  }),
  task("recover-lost-payment", ({ desk, books }) => {
    const row = invoice(books, "845.00");
    desk.sandbox.control.addFault({ operation: "payments.initiate", kind: "reset-after" });
    return {
      people: "release",
      ask: `Pay ${row.payee} 845.00 EUR to ${row.iban} for ${row.reference}, once. If you cannot tell whether it was sent, do not send it again. Is its outcome known?`,
      answer: { known: false },
      acts: [paying(row)],
      async solve(use) {
        await payOne(use, row);
        return { known: (await newestOutcome(use)).state !== "unknown" };
      },
    };
  }),
];
