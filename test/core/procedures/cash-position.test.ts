/** cash.getPosition against the sandbox. */
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

test("returns signed balances of all accounts with totals per currency", async () => {
  const { balances, totals, unread, complete } = await client.cash.getPosition();
  const accounts = await client.accounts.list({ currencies: "EUR,USD,GBP" });
  expect(new Set(balances.map(({ account_id: id }) => id)).size).toBeGreaterThanOrEqual(accounts.length);
  expect([unread, complete]).toEqual([[], true]);
  const [account] = accounts;
  const [own] = await client.accounts.listBalances({ account_id: account!.account_id });
  const same = balances.find(
    ({ account_id: id, type }) => id === account!.account_id && type === "InterimAvailable",
  );
  expect(Number(same!.amount)).toBe(
    Number(own!.amount.amount) * (own!.credit_debit_indicator === "Debit" ? -1 : 1),
  );
  expect(totals.map(({ type }) => type)).toContain("InterimAvailable");
});

test("converts with the given rates and names currencies without one", async () => {
  const types = ["InterimAvailable"] as ["InterimAvailable"];
  const input = { balance_types: types, into: "EUR", rates: { USD: "0.5" } };
  const { totals, converted, without_rate: missing, complete } = await client.cash.getPosition(input);
  const inUse = totals.map(({ currency }) => currency);
  expect(missing).toEqual(inUse.filter((currency) => !["EUR", "USD"].includes(currency)));
  expect(complete).toBe(missing!.length === 0);
  const amountOf = (code: string) => Number(totals.find(({ currency }) => currency === code)!.amount);
  expect(Number(converted![0]!.amount)).toBeCloseTo(amountOf("EUR") + amountOf("USD") / 2, 1);
});

test("names an account that cannot be read and returns the others", async () => {
  const unknown = "00000000-0000-4000-8000-000000000000";
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const { balances, unread, complete } = await client.cash.getPosition({
    accounts: [account!.account_id, unknown],
  });
  expect(new Set(balances.map(({ account_id: id }) => id))).toEqual(new Set([account!.account_id]));
  expect(unread.map(({ account_id: id }) => id)).toEqual([unknown]);
  expect(complete).toBe(false);
});

test("refuses invalid input before any call", async () => {
  const before = sandbox.requests.length;
  await expect(client.cash.getPosition({ into: "euro" })).rejects.toMatchObject({
    code: "invalid_input",
    outcome: "not-sent",
    violations: [{ field: "into" }],
  });
  expect(sandbox.requests).toHaveLength(before);
});

test.each(["0", "0.000", "-1", "1,08", ""])("refuses the rate %j", async (rate) => {
  const wrong = {
    code: "invalid_input",
    outcome: "not-sent",
    violations: [
      {
        field: "rates.USD",
        message: `must be a positive decimal rate such as 1.0832, not ${JSON.stringify(rate)}`,
      },
    ],
  };
  const rates = { USD: rate };
  await expect(client.cash.getPosition({ into: "EUR", rates })).rejects.toMatchObject(wrong);
  await expect(client.exposure.get({ base_currency: "EUR", rates })).rejects.toMatchObject(wrong);
});
