/**
 * Malformed responses: an invalid row is reported with account, field and value, and all others are returned.
 * FXDESK_RUNS sets the number of random changes per procedure, FXDESK_SEED the changes.
 */
import { type FxdeskClient, FxdeskError } from "../../../core";
import { seededRandom } from "../../chaos/seeded-random";
import { openClient, openSandbox } from "../../support/sandboxes";
import { type Proxy, startAlteringProxy } from "./altering-proxy";

const runs = Number(process.env.FXDESK_RUNS ?? 3);
const seed = Number(process.env.FXDESK_SEED ?? 1);

let proxy: Proxy;
let client: FxdeskClient;
let accounts: readonly string[];
beforeAll(async () => {
  const { baseUrl, xs2aUrl } = await openSandbox();
  proxy = await startAlteringProxy(baseUrl);
  client = openClient({ baseUrl: proxy.url, xs2aUrl });
  accounts = (await client.accounts.list({ currencies: "EUR,GBP" })).map(({ account_id: id }) => id);
});
beforeEach(() => (proxy.alter = () => undefined));

/** Changes an incoming transaction, or the first balance, of the first account. Returns its ID. */
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
  ["another direction", (row) => (row.credit_debit_indicator = "weird"), 'credit_debit_indicator is "weird"'],
  ["no direction", (row) => delete row.credit_debit_indicator, "credit_debit_indicator is missing"],
  ["no currency", (row) => (row.amount.currency = null), "amount.currency is null"],
];

const period = "last 365 days";

test.each([
  ...invalidRows,
  [
    "no time",
    (row: any) => (row.value_datetime = "garbage"),
    'value_datetime is "garbage", not a date and time.',
  ],
  ["no money", (row: any) => (row.amount = 7), "amount.amount is missing"],
] as typeof invalidRows)("reports a transaction with %s", async (_, change, problem) => {
  const whole = await client.transactions.find({ period });
  const invalid = alterRow("transactions", change);
  const found = await client.transactions.find({ period });
  const reason = expect.stringContaining(`Transaction ${invalid.id}: ${problem}`);
  expect([found.complete, found.gaps]).toEqual([false, [{ account_id: accounts[0], reason }]]);
  expect(found.transactions).toEqual(
    whole.transactions.filter(({ transaction_id: id }) => id !== invalid.id),
  );
});

test("every procedure over transactions reports an invalid one", async () => {
  alterRow("transactions", (row) => (row.amount = 7));
  const partial = { complete: false, gaps: [{ account_id: accounts[0] }] };
  const items = [{ amount: "10", currency: "EUR", reference: "INV-1" }];
  expect(await client.transactions.find({ period, min_amount: "1" })).toMatchObject(partial);
  expect(await client.transactions.summarize({ period, by: ["month"] })).toMatchObject(partial);
  expect(await client.transactions.reconcile({ period, items })).toMatchObject(partial);
});

test("does not search fields that are not text", async () => {
  alterRow("transactions", (row) => Object.assign(row, { transaction_information: 7, debtor_name: 7 }));
  const found = await client.transactions.find({ period, text: "such", counterparty: "such" });
  expect(found).toMatchObject({ count: 0, complete: true });
});

test("reports several invalid transactions as one gap of their account", async () => {
  proxy.alter = ({ url, body }) => {
    if (url.pathname.endsWith(`/${accounts[0]}/transactions`))
      for (const each of body.slice(0, 3)) each.credit_debit_indicator = "weird";
  };
  const { gaps } = await client.transactions.find({ period });
  expect(gaps).toEqual([
    { account_id: accounts[0], reason: expect.stringMatching(/"weird".* \d more are invalid\.$/) },
  ]);
});

test.each(invalidRows)("reports a balance with %s", async (_, change, problem) => {
  alterRow("balances", change);
  const { unread, complete, balances } = await client.cash.getPosition({ currencies: "EUR,GBP" });
  const reason = expect.stringContaining(problem);
  expect([complete, unread]).toEqual([
    false,
    [{ account_id: accounts[0], currency: expect.any(String), reason }],
  ]);
  expect(new Set(balances.map(({ account_id: id }) => id))).toEqual(new Set(accounts.slice(1)));
});

test.each([
  ["a balance that is invalid", (body: any) => delete body[0].credit_debit_indicator],
  ["a response that is no list", (body: any) => Object.assign(body, { toJSON: () => 7 })],
])("every procedure and watch over balances reports %s", async (name, change) => {
  proxy.alter = ({ url, body }) => {
    if (url.pathname.endsWith(`/${accounts[0]}/balances`)) change(body);
  };
  const gap = expect.stringContaining(accounts[0]!);
  expect(await client.cash.getPosition()).toMatchObject({ unread: [{ account_id: accounts[0] }] });
  expect((await client.exposure.get({ balances: true })).gaps).toContainEqual(gap);
  expect((await client.forwards.list({})).gaps).toContainEqual(gap);
  const { gaps } = await client.accounts.watchBalances.since({ below: "1" }, { consumer: name });
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
  expect([complete, gaps]).toEqual([false, [expect.stringContaining(id)]]);
  expect(forwards).toEqual(whole.forwards.slice(1));
});

/** Yields all places inside a value. */
function* locationsIn(value: any): Generator<readonly [holder: any, key: string]> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    yield [value, key];
    yield* locationsIn(value[key]);
  }
}

const wrongValues: readonly unknown[] = [null, "?", 7, true, [], {}, [null], undefined];

test.each<readonly [string, object]>([
  ["cash.getPosition", {}],
  ["transactions.find", {}],
  ["transactions.summarize", { by: ["month", "counterparty"] }],
  ["transactions.reconcile", { items: [{ amount: "10", currency: "EUR", reference: "INV-1" }] }],
  ["forwards.list", {}],
  ["exposure.get", { balances: true }],
  ["statements.fetch", { currencies: "EUR", wait_seconds: 0 }],
  ["contract.check", {}],
])("%s returns a result or an error of the family, whatever value is wrong", async (name, input) => {
  const procedure = client.service.procedures!.find((each) => each.name === name)!;
  for (let run = 0; run < runs; run += 1) {
    const chance = seededRandom(seed * 1_000 + run);
    let after = chance.integer(0, 3);
    proxy.alter = (response) => {
      if (after-- !== 0) return;
      const root = { body: response.body };
      const locations = [...locationsIn(root)];
      const [holder, key] = locations[chance.integer(0, locations.length - 1)]!;
      holder[key] = wrongValues[chance.integer(0, wrongValues.length - 1)];
      response.body = root.body ?? null;
    };
    const outcome: unknown = await client.call(procedure, { ...input }).catch((error: unknown) => error);
    if (outcome instanceof Error)
      expect([run, outcome instanceof FxdeskError && outcome.code]).not.toContain("unexpected");
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(FxdeskError);
  }
});
