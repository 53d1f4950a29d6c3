/** transactions.find against the sandbox, compared with the transactions themselves. */
import { Big } from "big.js";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "../../../core";
import { sandboxClient } from "../../support/samples";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = sandboxClient(sandbox);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

const period = "2000-01-01..2100-12-31";

async function allTransactions() {
  const codes = (await client.accounts.listCurrencyAccounts()).map(({ currency }) => currency);
  const accounts = await client.accounts.list({ currencies: codes.join(",") });
  const lists = await Promise.all(
    accounts.map(async ({ account_id }) => {
      const all = [];
      for await (const each of client.transactions.list.all({ account_id })) all.push(each);
      return all;
    }),
  );
  return lists.flat();
}

test("finds every transaction once, with exact sums", async () => {
  const all = await allTransactions();
  const { transactions, sums, count, complete, gaps } = await client.transactions.find({ period });
  expect([complete, gaps, count]).toEqual([true, [], all.length]);
  expect(transactions.map((each) => each.transaction_id).toSorted()).toEqual(
    all.map((each) => each.transaction_id).toSorted(),
  );
  for (const { currency, net, count: some } of sums) {
    const own = all.filter(({ amount }) => amount.currency === currency);
    const sum = own.reduce(
      (total, { amount, credit_debit_indicator: side }) =>
        side === "Debit" ? total.minus(amount.amount) : total.plus(amount.amount),
      new Big(0),
    );
    expect([new Big(net).eq(sum), some]).toEqual([true, own.length]);
  }
});

test("filters by direction, amount and counterparty", async () => {
  const all = await allTransactions();
  const found = await client.transactions.find({ period, direction: "out", min_amount: "1000" });
  const expected = all.filter(
    ({ amount, credit_debit_indicator: side }) => side === "Debit" && new Big(amount.amount).gte(1000),
  );
  expect(found.count).toBe(expected.length);
  expect(found.count).toBeGreaterThan(0);
  const name = all.find(({ debtor_name: debtor }) => debtor)!.debtor_name!;
  const theirs = await client.transactions.find({
    period,
    counterparty: name.toUpperCase(),
    direction: "in",
  });
  expect(theirs.count).toBeGreaterThan(0);
  expect(new Set(theirs.transactions.map(({ counterparty }) => counterparty))).toEqual(new Set([name]));
});

test("marks the result as partial if a page is lost", async () => {
  const failing = sandboxClient(sandbox, {
    interceptors: [
      async (call, next) => {
        if (call.operation.name === "transactions.list" && Number(call.values.page) === 1) {
          const response = await next();
          return { ...response, total: (response.total ?? 0) + 1 };
        }
        return next();
      },
    ],
  });
  const { complete, gaps } = await failing.transactions.find({ period });
  expect(complete).toBe(false);
  expect(gaps.length).toBeGreaterThan(0);
  await failing.close();
});

test("refuses an invalid period", async () => {
  await expect(client.transactions.find({ period: "soon" })).rejects.toThrow(
    /period must be a period, such as/,
  );
});
