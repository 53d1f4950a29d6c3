/** An invalid row is reported with account, field and value; all other rows are returned. */
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "../../../core";
import { sandboxClient } from "../../support/samples";
import { type Proxy, startAlteringProxy } from "./altering-proxy";

let sandbox: Sandbox;
let proxy: Proxy;
let client: FxdeskClient;
let accounts: readonly string[];
beforeAll(async () => {
  sandbox = await startSandbox();
  proxy = await startAlteringProxy(sandbox.baseUrl);
  client = sandboxClient({ baseUrl: proxy.url, xs2aUrl: sandbox.xs2aUrl });
  accounts = (await client.accounts.list({ currencies: "EUR,GBP" })).map(({ account_id: id }) => id);
});
beforeEach(() => (proxy.alter = () => undefined));
afterAll(async () => {
  await client.close();
  await proxy.close();
  await sandbox.close();
});

/** Changes an incoming transaction of the first account. Returns its ID. */
function alterRow(list: "transactions" | "balances", change: (row: any) => void): { id?: string } {
  const altered: { id?: string } = {};
  proxy.alter = ({ url, body }) => {
    if (!url.pathname.endsWith(`/${accounts[0]}/${list}`) || body.length === 0) return;
    const incoming = body.find((each: any) => each.credit_debit_indicator === "Credit");
    altered.id ??= incoming?.transaction_id;
    const row = list === "balances" ? body[0] : body.find((each: any) => each.transaction_id === altered.id);
    if (row) change(row);
  };
  return altered;
}

const invalidRows: readonly (readonly [name: string, change: (row: any) => void, problem: string])[] = [
  ["an amount in another format", (row) => (row.amount.amount = "1,000.50"), 'amount.amount is "1,000.50"'],
  ["no amount", (row) => (row.amount.amount = "abc"), 'amount.amount is "abc", not a decimal amount.'],
  ["another direction", (row) => (row.credit_debit_indicator = "weird"), 'credit_debit_indicator is "weird"'],
  ["no direction", (row) => delete row.credit_debit_indicator, "credit_debit_indicator is missing"],
  ["no currency", (row) => (row.amount.currency = null), "amount.currency is null"],
];

const invalidTransactions: typeof invalidRows = [
  ...invalidRows,
  ["no time", (row) => (row.value_datetime = "garbage"), 'value_datetime is "garbage", not a date and time.'],
  ["no money", (row) => (row.amount = 7), "amount.amount is missing"],
];

test.each(invalidTransactions)("reports a transaction with %s", async (_, change, problem) => {
  const all = { period: "last 365 days" } as const;
  const whole = await client.transactions.find(all);
  const invalid = alterRow("transactions", change);
  const found = await client.transactions.find(all);
  const gap = {
    account_id: accounts[0],
    reason: expect.stringContaining(`Transaction ${invalid.id}: ${problem}`),
  };
  expect([found.complete, found.gaps]).toEqual([false, [gap]]);
  expect(found.transactions).toEqual(
    whole.transactions.filter(({ transaction_id: id }) => id !== invalid.id),
  );
  expect(await client.transactions.find({ ...all, min_amount: "1" })).toMatchObject({ gaps: [gap] });
  const by = ["month" as const];
  expect(await client.transactions.summarize({ ...all, by })).toMatchObject({ complete: false, gaps: [gap] });
  const items = [{ amount: "10", currency: "EUR", reference: "INV-1" }];
  expect(await client.transactions.reconcile({ ...all, items })).toMatchObject({
    complete: false,
    gaps: [gap],
  });
});

test("does not search fields that are not text", async () => {
  alterRow("transactions", (row) => Object.assign(row, { transaction_information: 7, debtor_name: 7 }));
  const asked = { period: "last 365 days", text: "such", counterparty: "such" };
  expect(await client.transactions.find(asked)).toMatchObject({ count: 0, complete: true });
});

test("reports several invalid transactions as one gap of their account", async () => {
  proxy.alter = ({ url, body }) => {
    if (url.pathname.endsWith(`/${accounts[0]}/transactions`))
      for (const each of body.slice(0, 3)) each.credit_debit_indicator = "weird";
  };
  const { gaps } = await client.transactions.find({ period: "last 365 days" });
  expect(gaps).toEqual([
    {
      account_id: accounts[0],
      reason: expect.stringMatching(/"weird", not Credit or Debit\. \d more are invalid\.$/),
    },
  ]);
});

test.each(invalidRows)("reports a balance with %s", async (_, change, problem) => {
  alterRow("balances", change);
  const { unread, complete, balances } = await client.cash.getPosition({ currencies: "EUR,GBP" });
  expect([complete, unread]).toEqual([
    false,
    [{ account_id: accounts[0], currency: expect.any(String), reason: expect.stringContaining(problem) }],
  ]);
  expect(new Set(balances.map(({ account_id: id }) => id))).toEqual(new Set(accounts.slice(1)));
  const gap = expect.stringContaining(problem);
  expect((await client.exposure.get({ balances: true })).gaps).toContainEqual(gap);
  expect((await client.forwards.list({})).gaps).toContainEqual(gap);
  const { gaps } = await client.accounts.watchBalances.since({ below: "1" }, { consumer: problem });
  expect(gaps).toEqual([gap]);
});

test("reports a forward without a rate and returns the others", async () => {
  const whole = await client.forwards.list({});
  const { trade_id: id } = whole.forwards[0]!;
  proxy.alter = ({ url, body }) => {
    if (!url.pathname.endsWith("/trades")) return;
    for (const each of body) if (each.trade_id === id) each.rate = "abc";
  };
  const { forwards, gaps, complete } = await client.forwards.list({});
  expect([complete, gaps]).toEqual([false, [`Trade ${id} has no rate.`]]);
  expect(forwards).toEqual(whole.forwards.slice(1));
});
