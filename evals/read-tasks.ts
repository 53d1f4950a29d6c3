/** Questions that only read. */
import { Big } from "big.js";
import { task } from "./task";
import { currencies, daysAgo } from "./world";

export const isAvailable = ({ type }: { readonly type: string }): boolean => type === "InterimAvailable";

const since = (days: number) => `${daysAgo(days)}..${daysAgo(0)}`;
const absolute = (amount: string) => new Big(amount).abs().toFixed();

/** Last month as YYYY-MM. */
const lastMonth = daysAgo(new Date().getUTCDate()).slice(0, 7);

export const readTasks = [
  task("read-euros-to-spend", ({ books }) => ({
    ask: "What can we spend in euros today?",
    answer: { amount: books.accounts.EUR!.available },
    solve: async (use) => (await use("get_cash_position", { currencies: "EUR" })).totals.find(isAvailable),
  })),
  task("read-cash-by-currency", ({ books }) => ({
    ask: "How much cash is available in each currency?",
    answer: Object.fromEntries(currencies.map((currency) => [currency, books.accounts[currency]!.available])),
    async solve(use) {
      const { totals } = await use("get_cash_position", { balance_types: ["InterimAvailable"] });
      return Object.fromEntries(totals.map(({ currency, amount }: any) => [currency, amount]));
    },
  })),
  task("read-invoice-paid", ({ books }) => {
    const { reference, amount, date } = books.invoices("USD")[0]!;
    return {
      ask: `Did the customer pay invoice ${reference}? If so, how much and when (value date)?`,
      answer: { paid: true, amount: amount.toFixed(2), date },
      async solve(use) {
        const { transactions } = await use("find_transactions", { text: reference });
        return { paid: transactions.length > 0, ...transactions[0] };
      },
    };
  }),
  task("read-invoice-with-space", ({ books }) => {
    const { reference, amount } = books.invoices("EUR")[1]!;
    const spoken = reference.replace("-", " ");
    return {
      ask: `What amount did we receive for ${spoken}?`,
      answer: { amount: amount.toFixed(2) },
      solve: async (use) => (await use("find_transactions", { text: spoken })).transactions[0],
    };
  }),
  task("read-invoice-unpaid", () => ({
    ask: "Did anybody pay invoice INV-00001X in the last 90 days?",
    answer: { paid: false },
    solve: async (use) => ({ paid: (await use("find_transactions", { text: "INV-00001X" })).count > 0 }),
  })),
  task("read-fees-last-month", ({ books: { entries } }) => {
    const fees = entries.filter(({ text, date }) => text === "Account fee" && date.startsWith(lastMonth));
    return {
      ask: `What were the account fees in ${lastMonth}, for each currency?`,
      answer: Object.fromEntries(fees.map(({ currency, amount }) => [currency, amount.abs().toFixed()])),
      async solve(use) {
        const { sums } = await use("find_transactions", { text: "account fee", period: lastMonth });
        return Object.fromEntries(sums.map(({ currency, out }: any) => [currency, absolute(out)]));
      },
    };
  }),
  task("read-all-receipts", ({ books }) => {
    const received = books.select("EUR", 1, daysAgo(89));
    const total = received.reduce((sum, { amount }) => sum.plus(amount), new Big(0));
    return {
      ask: `How many transactions brought euros in since ${daysAgo(89)}, and how much in total?`,
      answer: { count: received.length, total: total.toFixed(2) },
      async solve(use) {
        const query = { direction: "in", currencies: "EUR", period: since(89) };
        const { count, sums } = await use("find_transactions", query);
        return { count, total: sums[0].in };
      },
    };
  }),
  task("read-largest-payment", ({ books }) => {
    const paid = books.select("GBP", -1, daysAgo(59));
    const [largest] = paid.toSorted((one, other) => one.amount.cmp(other.amount));
    return {
      ask: `What is our largest outgoing transaction in pounds since ${daysAgo(59)}?`,
      answer: { amount: largest!.amount.abs().toFixed(), reference: largest!.reference },
      async solve(use) {
        const query = { direction: "out", currencies: "GBP", period: since(59) };
        const { transactions } = await use("find_transactions", query);
        const [first] = transactions.toSorted(
          (one: any, other: any) => Number(one.amount) - Number(other.amount),
        );
        return { amount: absolute(first.amount), reference: first.reference };
      },
    };
  }),
  task("read-forward-left", ({ books }) => ({
    ask: "How many euros can we still sell under our window forward with the reference FRAME-1?",
    answer: { remaining: books.frame().left },
    async solve(use) {
      const { forwards } = await use("list_forwards");
      return { remaining: forwards.find(({ reference }: any) => reference === "FRAME-1").sell_remaining };
    },
  })),
  task("read-approvals-needed", () => ({
    ask: "How many people must approve a payment of 50,000 EUR at least?",
    answer: { approvals: 2 },
    async solve(use) {
      const { rules } = await use("get_approvals_config");
      const { combinations } = rules.find(({ max_amount: most }: any) => most === null);
      const counts = combinations.map((each: any[]) =>
        each.reduce((total, { approvals }) => total + approvals, 0),
      );
      return { approvals: Math.min(...counts) };
    },
  })),
];
