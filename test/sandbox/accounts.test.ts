/** Tests accounts, balances and account details. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import type { Sandbox } from "@fxdesk/sandbox";
import { isValidBIC, isValidIBAN } from "ibantools";
import { makeQuote, sampleInput } from "../support/samples";
import { openSandboxAndClient } from "../support/sandboxes";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeEach(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ daysBehind: 90 }));
});

const account = async (currency: string) => (await client.accounts.list({ currencies: currency }))[0]!;

async function balances(currency: string, ...types: string[]): Promise<Record<string, string>> {
  const { account_id } = await account(currency);
  const found = await client.accounts.listBalances({ account_id, balance_types: types as never });
  return Object.fromEntries(found.map(({ type, amount }) => [type, amount.amount]));
}

const makeDefault = (account_details_id: string) => client.accountDetails.makeDefault({ account_details_id });

const details = (filter: Parameters<FxdeskClient["accountDetails"]["list"]>[0]) =>
  client.accountDetails.list(filter);

describe("accounts", () => {
  test.each([
    ["EUR,JPY,CHF", ["EUR", "JPY"]],
    ["EURJPY,USD", ["EUR", "USD", "JPY"]],
  ])("are listed for %s", async (currencies, listed) => {
    const found = await client.accounts.list({ currencies });
    expect(found.map(({ currency }) => currency)).toEqual(listed);
  });

  test("have a UUID, and a number on the simplified list", async () => {
    const { account_id } = await account("GBP");
    expect(await client.accounts.get({ account_id })).toMatchObject({ account_id, currency: "GBP" });
    const simple = await client.accounts.listCurrencyAccounts();
    expect(simple.map(({ currency }) => currency)).toEqual(["EUR", "GBP", "USD", "JPY"]);
    expect(new Set(simple.map(({ account_id: number }) => number)).size).toBe(4);
  });

  test("are funded by currency or by id", async () => {
    const { account_id } = await account("USD");
    const byCurrency = await client.accounts.getFunding({ currency: "USD" });
    expect(byCurrency).toMatchObject({ account_id, currency: "USD", bank_identifier_type: "USABA" });
    expect(await client.accounts.getFunding({ account_id })).toEqual(byCurrency);
    expect(await client.accounts.getFunding({ account_id: account_id.toUpperCase() })).toEqual(byCurrency);
    await expect(client.accounts.getFunding({ currency: "XAF" })).rejects.toMatchObject({
      status: 404,
      service: { code: "funding_account_not_found" },
    });
  });
});

describe("balances", () => {
  test("default to InterimAvailable", async () => {
    const { account_id } = await account("JPY");
    expect(await client.accounts.listBalances({ account_id })).toEqual([
      {
        account_id,
        type: "InterimAvailable",
        credit_debit_indicator: "Credit",
        amount: { currency: "JPY", amount: expect.stringMatching(/^\d+$/) },
        datetime: expect.any(String),
      },
    ]);
  });

  test("include required and incoming funds of a booked trade", async () => {
    const before = { ...(await balances("EUR", "RequiredFunds")), ...(await balances("USD", "Incoming")) };
    const quote_id = await makeQuote(client, { amount: 1500 });
    const { trade_id } = await client.trades.book({ quote_id, reason: "other" });
    const { buy_amount } = await client.trades.get({ trade_id });
    const after = { ...(await balances("EUR", "RequiredFunds")), ...(await balances("USD", "Incoming")) };
    expect(Number(after.RequiredFunds) - Number(before.RequiredFunds)).toBeCloseTo(1500, 2);
    expect(Number(after.Incoming) - Number(before.Incoming)).toBeCloseTo(buy_amount, 2);
  });

  test("require at once only what is due today, and hold the margin of open forwards", async () => {
    const now = await balances("EUR", "RequiredFunds", "RequiredFundsImmediate", "InitialMargin");
    expect(Number(now.RequiredFundsImmediate)).toBeLessThan(Number(now.RequiredFunds));
    expect(Number(now.InitialMargin)).toBeGreaterThan(0);
  });
});

describe("account details", () => {
  test("are check-valid and plainly fake", async () => {
    const all = await client.accountDetails.listAll();
    for (const { iban, bic } of all) {
      expect(isValidBIC(bic!)).toBe(true);
      expect(bic).toMatch(/^TEST/);
      if (iban) expect(isValidIBAN(iban)).toBe(true);
    }
  });

  test("are filtered, paged and counted", async () => {
    const { total, body } = await client.accountDetails.list.response({ page: 2, page_size: 4 });
    expect(total).toBe(11);
    expect(body).toHaveLength(4);
    expect(await details({ account_details_type: "pooled", country: "GB" })).toMatchObject([
      { account_id: null, currency: "GBP", account_details_type: "pooled" },
    ]);
    expect(await details({ alias: "Benelux sales" })).toMatchObject([{ country: "NL" }]);
    const { account_id } = await account("USD");
    expect(await details({ account_id })).toMatchObject([{ currency: "USD", primary: true }]);
  });

  test("take an alias", async () => {
    const [{ account_details_id } = { account_details_id: "" }] = await details({ country: "NL" });
    for (const alias of ["x".repeat(50), "Dutch shops"])
      await client.accountDetails.updateAlias({ account_details_id, alias });
    expect(await details({ alias: "Dutch shops" })).toMatchObject([{ account_details_id }]);
  });

  test("have one default per currency, which provides the numbers of the funding account", async () => {
    const [dutch] = await details({ country: "NL" });
    await makeDefault(dutch!.account_details_id);
    const primary = (await details({ currency: "EUR" })).filter((each) => each.primary);
    expect(primary).toMatchObject([{ country: "NL" }]);
    expect(await client.accounts.getFunding({ currency: "EUR" })).toMatchObject({
      iban: dutch!.international!.account_number,
      swift_code: "TESTNL2A",
    });
  });

  test("have neither numbers nor an account before confirmation", async () => {
    await client.accountDetails.request({ country: "CH", currency: "CHF" });
    expect(await details({ country: "CH" })).toMatchObject([
      { account_id: null, status: "pending", domestic: null, international: null },
    ]);
    const all = await client.accountDetails.listAll();
    const unconfirmed = all.filter(({ status }) => status !== "confirmed");
    const numbers = unconfirmed.flatMap(({ bank_account_number, iban }) => [bank_account_number, iban]);
    expect(new Set(numbers)).toEqual(new Set([null]));
    expect(await client.accounts.list({ currencies: "CHF" })).toEqual([]);
    await expect(client.accounts.getFunding({ currency: "CHF" })).rejects.toMatchObject({ status: 404 });
  });

  const confirm = async (country: string, currency: string) => {
    await client.accountDetails.request({ country, currency });
    sandbox.advance(60_000);
  };
  const assign = (currency: string) => client.accountDetails.assignVirtual({ currency });
  const buy = async (currency: string) =>
    client.trades.book({ quote_id: await makeQuote(client, { buy_currency: currency }), reason: "other" });

  test.each<[string, () => Promise<unknown>]>([
    ["requested", () => confirm("CH", "CHF")],
    ["virtual", () => assign("CHF")],
    ["requested after a trade", () => buy("CHF").then(() => confirm("CH", "CHF"))],
    ["virtual after a trade", () => buy("CHF").then(() => assign("CHF"))],
    ["of a trade alone", () => buy("CHF")],
  ])("have the same number wherever an account is shown: %s", async (_how, open) => {
    await open();
    const { account_id, account_details } = await account("CHF");
    const [number, ...others] = account_details!.map(({ account_number }) => account_number);
    expect(number).toMatch(/^CH\d\d/);
    expect(others).toEqual([]);
    const consented = await sampleInput("openBanking.listAccounts", client);
    const { accounts } = await client.openBanking.listAccounts(consented as never);
    expect(accounts.map(({ iban }) => iban)).toContain(number);
    expect(await client.accounts.getFunding({ currency: "CHF" })).toMatchObject({ account_id, iban: number });
    for (const each of await details({ currency: "CHF" }))
      expect(each).toMatchObject({ account_id, international: { account_number: number } });
    for (const each of (await client.accountDetails.listAll()).filter(({ currency }) => currency === "CHF"))
      expect(each).toMatchObject({ account_id, iban: number });
  });

  test("are requested once, and confirmed after a while", async () => {
    const accountRequest = { country: "LU", currency: "EUR" };
    await client.accountDetails.request(accountRequest);
    await client.accountDetails.request(accountRequest);
    expect(await details({ country: "LU" })).toMatchObject([{ status: "pending" }]);
    sandbox.advance(59_000);
    expect(await details({ country: "LU" })).toMatchObject([{ status: "pending" }]);
    sandbox.advance(1_000);
    expect(await details({ country: "LU" })).toMatchObject([{ status: "confirmed", primary: false }]);
    await client.accountDetails.request(accountRequest);
    expect(await details({ country: "LU" })).toHaveLength(1);
  });

  test("are decided once and can be requested again after a failure", async () => {
    const accountRequest = { country: "SE", currency: "SEK", alias: "Nordics" };
    const decide = (decision: "confirm" | "fail", { account_details_id }: { account_details_id: string }) =>
      sandbox.control.decideAccountDetails({ account_details_id, decision });
    await client.accountDetails.request(accountRequest);
    const [first] = await details({ country: "SE" });
    expect(decide("fail", first!)).toMatchObject({ status: "failed" });
    sandbox.advance(60_000);
    expect(await details({ country: "SE" })).toMatchObject([{ status: "failed", alias: "Nordics" }]);
    await client.accountDetails.request(accountRequest);
    const [, second] = await details({ country: "SE" });
    expect(decide("confirm", second!)).toMatchObject({ status: "confirmed" });
    expect(await details({ country: "SE" })).toMatchObject([
      { status: "failed", primary: false },
      { status: "confirmed", primary: true },
    ]);
    expect(() => decide("fail", second!)).toThrow(expect.objectContaining({ status: 409 }));
    expect(() => decide("fail", { account_details_id: "none" })).toThrow(
      expect.objectContaining({ status: 404 }),
    );
  });

  test.each([
    ["EUR", "ES", true],
    ["PLN", "PL", true],
    ["NZD", "NZ", true],
    ["USD", "DE", false],
    ["MXN", "MX", false],
    ["XAU", "CH", false],
  ])("in %s in %s can be requested: %p", async (currency, country, possible) => {
    const request = client.accountDetails.request({ currency, country });
    if (!possible) {
      await expect(request).rejects.toMatchObject({ status: 409, service: { code: "capability_disabled" } });
      return;
    }
    await request;
    expect(await details({ country })).toMatchObject([
      { currency, country, status: "pending", account_details_type: "dedicated" },
    ]);
  });

  test("are virtual once per currency", async () => {
    const assigned = await client.accountDetails.assignVirtual({ currency: "CHF" });
    expect(assigned).toMatchObject([
      { account_details_type: "virtual", currency: "CHF", status: "confirmed" },
    ]);
    expect(await client.accounts.list({ currencies: "CHF" })).toHaveLength(1);
    await expect(client.accountDetails.assignVirtual({ currency: "CHF" })).rejects.toMatchObject({
      status: 409,
      service: { code: "virtual_account_exists" },
    });
    await expect(client.accountDetails.assignVirtual({ currency: "CNY" })).rejects.toMatchObject({
      status: 403,
    });
  });

  test("are either virtual or requested in a currency; failed ones do not count", async () => {
    const both = { status: 409, service: { code: "virtual_account_exists" } };
    const accountRequest = { currency: "DKK", country: "DK" };
    await client.accountDetails.request(accountRequest);
    await expect(client.accountDetails.assignVirtual({ currency: "DKK" })).rejects.toMatchObject(both);
    const [{ account_details_id } = { account_details_id: "" }] = await details(accountRequest);
    sandbox.control.decideAccountDetails({ account_details_id, decision: "fail" });
    const [virtual] = await client.accountDetails.assignVirtual({ currency: "DKK" });
    expect(virtual).toMatchObject({ account_details_type: "virtual", primary: true, status: "confirmed" });
    await expect(client.accountDetails.request(accountRequest)).rejects.toMatchObject(both);
    await makeDefault(virtual!.account_detail_id!);
    await client.accountDetails.updateAlias({
      account_details_id: virtual!.account_detail_id!,
      alias: "Danes",
    });
    expect(await details({ alias: "Danes" })).toMatchObject([{ country: "DK" }]);
  });

  test("are pooled, virtual and segregated when all of them are listed", async () => {
    await client.accountDetails.assignVirtual({ currency: "SGD" });
    const all = await client.accountDetails.listAll();
    const types = new Set(all.map(({ account_details_type: type }) => type));
    expect(types).toEqual(new Set(["segregated", "pooled", "virtual"]));
    for (const each of all.filter(({ account_details_type: type }) => type === "pooled"))
      expect(each).toMatchObject({ account_id: null, reference_for_payment: "client-demo" });
  });
});
