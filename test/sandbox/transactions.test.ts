/** Tests the transactions of an account. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { Big } from "big.js";
import { sandboxClient } from "../support/samples";

let sandbox: Sandbox;
let client: FxdeskClient;
let account_id: string;
beforeAll(async () => {
  sandbox = await startSandbox({ now: new Date("2026-11-20T17:00:00Z") });
  client = sandboxClient(sandbox);
  account_id = (await client.accounts.list({ currencies: "EUR" }))[0]!.account_id;
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

type Input = Omit<Parameters<FxdeskClient["transactions"]["list"]>[0], "account_id">;

type Transaction = Awaited<ReturnType<FxdeskClient["transactions"]["get"]>>;

async function all(input: Input = {}): Promise<Transaction[]> {
  const found: Transaction[] = [];
  for await (const page of client.transactions.list.pages({ account_id, ...input })) found.push(...page);
  return found;
}

const amountOf = ({ amount, credit_debit_indicator: side }: Transaction) =>
  new Big(amount.amount).times(side === "Debit" ? -1 : 1);

test("are paged with a count", async () => {
  const { total, body } = await client.transactions.list.response({ account_id });
  expect(body).toHaveLength(50);
  expect(total).toBeGreaterThan(200);
  expect(await all()).toHaveLength(total!);
});

test("sum to the balance and carry the balance after each", async () => {
  const [latest, ...older] = await all();
  const [balance] = await client.accounts.listBalances({ account_id });
  expect(latest!.balance!.amount).toEqual(balance!.amount);
  let running = new Big(0);
  for (const transaction of [latest!, ...older].toReversed()) {
    running = running.plus(amountOf(transaction));
    expect(transaction.balance!.amount.amount).toBe(running.toFixed(2));
  }
});

test("are filtered by side and type", async () => {
  const credits = await all({ credit_debit_indicator: "credit" });
  const debits = await all({ credit_debit_indicator: "debit" });
  expect(new Set(credits.map((each) => each.credit_debit_indicator))).toEqual(new Set(["Credit"]));
  expect(credits.length + debits.length).toBe((await all()).length);
  for (const transaction_type of ["credit", "debit", "incoming", "margin", "payment_returned"]) {
    const found = await all({ transaction_type });
    expect(new Set(found.map((each) => each.transaction_type))).toEqual(new Set([transaction_type]));
  }
});

test.each(["zzz", "incoming,margin", "Incoming", ""])("of type %j are refused", async (transaction_type) => {
  await expect(all({ transaction_type })).rejects.toMatchObject({ status: 400 });
  expect(sandbox.requests.at(-1)!.refusal).toContain(
    "transaction_type must be one of credit, debit, incoming, margin, payment_returned.",
  );
});

test("exclude both bounds of the period", async () => {
  const everything = await all();
  const minutes = [...new Set(everything.map(({ value_datetime: time }) => time!.slice(0, 16)))];
  const [latest, , earliest] = minutes;
  const between = await all({ from_value_datetime: earliest!, to_value_datetime: latest! });
  const expected = everything.filter(({ value_datetime: time }) => time!.startsWith(minutes[1]!));
  expect(between).toEqual(expected);
});

test("are read individually with the counterparty", async () => {
  const [listed] = await all({ transaction_type: "incoming" });
  const { transaction_id } = listed!;
  expect(await client.transactions.get({ account_id, transaction_id })).toEqual(listed);
  expect(listed).toMatchObject({
    debtor_name: expect.any(String),
    debtor_account: { iban: expect.any(String) },
  });
});

test("belong to one account", async () => {
  const [{ transaction_id } = { transaction_id: "" }] = await all();
  const [other] = await client.accounts.list({ currencies: "GBP" });
  await expect(
    client.transactions.get({ account_id: other!.account_id, transaction_id }),
  ).rejects.toMatchObject({
    status: 404,
  });
});
