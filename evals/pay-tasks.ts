/** Payments, single and as a file, which a person releases. */
import { Big } from "big.js";
import type { Facts } from "./desk";
import { settled, task, type Use } from "./task";
import type { Books } from "./world";
import { isAvailable } from "./read-tasks";

interface Row {
  readonly payee: string;
  readonly iban: string;
  readonly amount: string;
  readonly reference: string;
}

/** Returns an invoice of the suppliers in turn for each amount. */
const invoices = (books: Books, ...amounts: string[]): Row[] => {
  const suppliers = books.suppliers();
  return amounts.map((amount, index) => ({
    ...suppliers[index % suppliers.length]!,
    amount,
    reference: `SUP-${7001 + index}`,
  }));
};

export const invoice = (books: Books, amount: string): Row => invoices(books, amount)[0]!;

export const paying = ({ iban, amount }: Row): string => `pay ${amount} EUR to ${iban}`;

const fileOf = (rows: readonly Row[]): string =>
  [
    "payee,iban,amount,reference",
    ...rows.map((row) => [row.payee, row.iban, row.amount, row.reference].join()),
  ].join("\n");

async function ownIban(use: Use): Promise<string> {
  const { items } = await use("list_accounts", { currencies: "EUR" });
  return items[0].account_details.find((each: any) => each.account_number_type === "IBAN").account_number;
}

/** Makes a call that waits for release, and repeats it for its outcome. */
async function pay(use: Use, tool: string, input: Record<string, unknown>): Promise<any> {
  const { release } = await use(tool, input);
  await settled(use, release);
  const { paymentId } = await use(tool, input);
  return { payment_id: paymentId };
}

const sepa = { payment_service: "payments", payment_product: "sepa-credit-transfers" };

export const payOne = async (use: Use, { payee, iban, amount, reference }: Row) =>
  pay(use, "initiate_payment", {
    ...sepa,
    debtor_account: { iban: await ownIban(use) },
    instructed_amount: { currency: "EUR", amount },
    creditor_account: { iban },
    creditor_name: payee,
    remittance_information_unstructured: reference,
    request_key: reference,
  });

export const payFile = async (use: Use, rows: readonly Row[], more = {}) =>
  pay(use, "initiate_payment_run", { rows_csv: fileOf(rows), debtor_iban: await ownIban(use), ...more });

/** Returns the rows that the preparation of a run finds no error in. */
async function payable(use: Use, rows: readonly Row[]): Promise<Row[]> {
  const run = { rows_csv: fileOf(rows), debtor_iban: await ownIban(use) };
  const { findings } = await use("prepare_payment_run", run);
  const errors = findings.filter(({ severity }: any) => severity === "error");
  const wrong = new Set(errors.map(({ row }: any) => row));
  return rows.filter((_, index) => !wrong.has(index + 2));
}

/** Returns the ID of the payment that was initiated last, from the journal. */
const newPayment = ({ entries }: Facts) => ({ payment_id: entries[0]?.ending?.identity });

export const payTasks = [
  task("pay-one", ({ books }) => {
    const row = invoice(books, "1250.40");
    return {
      people: "release",
      ask: `Pay ${row.payee} 1,250.40 EUR to ${row.iban} for ${row.reference}. Which payment ID did we get?`,
      answer: newPayment,
      acts: [paying(row)],
      solve: (use) => payOne(use, row),
    };
  }),
  task("pay-file", ({ books }) => {
    const rows = invoices(books, "1200.50", "880.00", "430.10", "2310.99", "75.25");
    return {
      people: "release",
      ask: `Pay the invoices in this file in euros, as one run. Which payment ID did we get?\n\n${fileOf(rows)}`,
      answer: newPayment,
      acts: rows.map(paying),
      solve: (use) => payFile(use, rows),
    };
  }),
  task("pay-file-with-repetition", ({ books }) => {
    const rows = invoices(books, "640.00", "1280.00", "99.90");
    const given = [...rows, rows[1]!];
    return {
      people: "release",
      ask: `Pay the invoices in this file in euros, as one run, but each invoice only once. Which payment ID did we get?\n\n${fileOf(given)}`,
      answer: newPayment,
      acts: rows.map(paying),
      solve: async (use) => payFile(use, await payable(use, given)),
    };
  }),
  task("pay-file-with-wrong-iban", ({ books }) => {
    const rows = invoices(books, "310.00", "415.00", "520.00");
    const iban = rows[1]!.iban.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
    const given = rows.with(1, { ...rows[1]!, iban });
    return {
      people: "release",
      ask: `Pay this file in euros, as one run, without rows whose account number is wrong. Which references did you leave out?\n\n${fileOf(given)}`,
      answer: { left_out: [rows[1]!.reference] },
      acts: [paying(rows[0]!), paying(rows[2]!)],
      async solve(use) {
        const paid = await payable(use, given);
        await payFile(use, paid);
        const left = given.filter((row) => !paid.includes(row));
        return { left_out: left.map(({ reference }) => reference) };
      },
    };
  }),
  task("pay-where-we-paid-last", ({ books }) => {
    const row = invoice(books, "505.05");
    return {
      people: "release",
      ask: `Pay ${row.payee} 505.05 EUR for ${row.reference}, to the account where we paid them last. Which payment ID did we get?`,
      answer: newPayment,
      acts: [paying(row)],
      async solve(use) {
        const query = { counterparty: row.payee, direction: "out", currencies: "EUR" };
        const [{ account_id, transaction_id }] = (await use("find_transactions", query)).transactions;
        const { creditor_account: account } = await use("get_transaction", { account_id, transaction_id });
        return payOne(use, { ...row, iban: account.iban });
      },
    };
  }),
  task("pay-only-if-covered", ({ books }) => {
    const amount = new Big(books.accounts.EUR!.available).plus(1_000).toFixed(2);
    const row = invoice(books, amount);
    return {
      people: "release",
      ask: `Pay ${row.payee} ${amount} EUR to ${row.iban} for ${row.reference}, but only if our euros cover it. Otherwise request nothing, and tell me how much is missing.`,
      answer: { missing: "1000.00" },
      releases: 0,
      async solve(use) {
        const { totals } = await use("get_cash_position", { currencies: "EUR" });
        return { missing: new Big(amount).minus(totals.find(isAvailable).amount).toFixed(2) };
      },
    };
  }),
  task("pay-status", async ({ desk, books }) => {
    const row = invoice(books, "333.30");
    const payment = {
      "payment-service": "payments",
      "payment-product": "sepa-credit-transfers",
      "TPP-Redirect-URI": "http://127.0.0.1:1880/callback",
      debtorAccount: { iban: books.accounts.EUR!.iban },
      instructedAmount: { currency: "EUR", amount: row.amount },
      creditorAccount: { iban: row.iban },
      creditorName: row.payee,
    } as const;
    const initiate = () => desk.client().payments.initiate(payment, { key: row.reference });
    await initiate().catch(({ release }: { release: string }) => desk.decide(release, "release"));
    const { paymentId: payment_id } = await initiate();
    return {
      ask: `Which status code does our SEPA payment ${payment_id} have?`,
      answer: { status: "RCVD" },
      async solve(use) {
        return { status: (await use("get_payment_status", { ...sepa, payment_id })).transactionStatus };
      },
    };
  }),
];
