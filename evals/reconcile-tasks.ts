/** Invoices compared with the account. */
import { Big } from "big.js";
import { task, type Use } from "./task";
import type { Entry } from "./world";

interface Invoice {
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
}

const toInvoice = ({ reference, amount, currency }: Entry): Invoice => ({
  reference,
  amount: amount.toFixed(2),
  currency,
});

const unpaid = (currency: string, ...amounts: string[]): Invoice[] =>
  amounts.map((amount, index) => ({ reference: `INV-0000${index}X`, amount, currency }));

const fileOf = (invoices: readonly Invoice[]): string =>
  [
    "reference,amount,currency",
    ...invoices.map((row) => [row.reference, row.amount, row.currency].join()),
  ].join("\n");

const reconcile = (use: Use, items: readonly Invoice[]) =>
  use("reconcile_transactions", { items_csv: fileOf(items), currencies: items[0]!.currency });

export const reconcileTasks = [
  task("reconcile-ten", ({ books }) => {
    const open = unpaid("EUR", "7117.01", "8228.02");
    const items = [...books.invoices("EUR").slice(0, 8).map(toInvoice), ...open];
    return {
      ask: `Which of these invoices did our customers not pay in the last 90 days?\n\n${fileOf(items)}`,
      answer: { unpaid: open.map(({ reference }) => reference) },
      async solve(use) {
        const { open_items: found } = await reconcile(use, items);
        return { unpaid: found.map(({ reference }: Invoice) => reference) };
      },
    };
  }),
  task("reconcile-all-dollars", ({ books }) => {
    const paid = books.invoices("USD").map(toInvoice);
    const items = [...unpaid("USD", "31111.03", "41111.04", "51111.05"), ...paid];
    return {
      ask: `How many of these invoices were paid in the last 90 days, and how many dollars are still open?\n\n${fileOf(items)}`,
      answer: { paid: paid.length, open: "123333.12" },
      async solve(use) {
        const { open_items: open, sums } = await reconcile(use, items);
        return { paid: items.length - open.length, open: sums[0].open };
      },
    };
  }),
  task("reconcile-paid-short", ({ desk, books }) => {
    const [short] = unpaid("EUR", "5000.00") as [Invoice];
    const name = books.suppliers()[0]!.payee;
    desk.sandbox.control.payIn({ ...short, amount: "4400.00", debtor_name: name });
    const items = [...books.invoices("EUR").slice(2, 6).map(toInvoice), short];
    return {
      ask: `One of these invoices was not paid in full. Which one, and how much is missing?\n\n${fileOf(items)}`,
      answer: { reference: short.reference, missing: "600.00" },
      async solve(use) {
        const [{ reference, open: missing }] = (await reconcile(use, items)).open_items;
        return { reference, missing };
      },
    };
  }),
  task("reconcile-paid-twice", ({ desk, books }) => {
    const items = books.invoices("GBP").slice(0, 5);
    const twice = items[3]!;
    desk.sandbox.control.payIn({ ...toInvoice(twice), debtor_name: twice.name });
    return {
      ask: `A customer paid one of these invoices twice. Which one?\n\n${fileOf(items.map(toInvoice))}`,
      answer: { reference: twice.reference },
      async solve(use) {
        const { matched } = await reconcile(use, items.map(toInvoice));
        const { items: found } = matched.find(({ kind }: any) => kind !== "one to one");
        return { reference: found[0].reference };
      },
    };
  }),
  task("reconcile-one-for-three", ({ desk }) => {
    const items = unpaid("EUR", "1111.10", "2222.20", "3333.30");
    const reference = items.map((item) => item.reference).join(" ");
    const amount = items.reduce((total, item) => total.plus(item.amount), new Big(0)).toFixed(2);
    desk.sandbox.control.payIn({
      currency: "EUR",
      amount,
      reference,
      debtor_name: "Alpenblick Maschinen AG",
    });
    return {
      ask: `A customer may have paid these three invoices in one sum. Is any of them still open?\n\n${fileOf(items)}`,
      answer: { open: false },
      solve: async (use) => ({ open: (await reconcile(use, items)).open_items.length > 0 }),
    };
  }),
];
