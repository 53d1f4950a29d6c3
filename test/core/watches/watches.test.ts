/** Each watch against the sandbox: it reports events once. */
import type { Sandbox } from "@fxdesk/sandbox";
import { setTimeout as wait } from "node:timers/promises";
import type { FxdeskClient } from "../../../core";
import type { SinceOptions, ChangeBatch } from "../../../core/api/watch-options";
import { thresholdSideOf, watchBalances } from "../../../core/watches/balances";
import { makeQuote } from "../../support/samples";
import { openClient, openSandbox } from "../../support/sandboxes";
import { eventually } from "../../support/eventually";

let sandbox: Sandbox;
let client: FxdeskClient;
let consumer = 0;
beforeAll(async () => {
  sandbox = await openSandbox({ daysBehind: 30 });
  client = openClient(sandbox, { psu: { "PSU-IP-Address": "192.0.2.10" } });
});
beforeEach(() => (consumer += 1));

/** Polls a watch with since(). */
function asking<I, E>(
  watch: { since(input: I, options?: SinceOptions): Promise<ChangeBatch<E>> },
  input: I,
  options: SinceOptions = {},
) {
  let cursor: string | undefined;
  return async () => {
    await wait(2);
    const { changes, next } = await watch.since(input, {
      everyMs: 1,
      consumer: String(consumer),
      ...options,
      ...(cursor !== undefined && { cursor }),
    });
    cursor = next;
    return changes;
  };
}

const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Returns the first business day on or after the given number of days. */
function businessDayIn(days: number): string {
  const day = dayIn(days);
  const isWeekend = [0, 6].includes(new Date(day).getUTCDay());
  return isWeekend ? businessDayIn(days + 1) : day;
}

test("transactions: reports incoming money in the watched currency", async () => {
  const ask = asking(client.transactions.watch, { currencies: "EUR", direction: "in" });
  expect(await ask()).toEqual([]);
  const { transaction_id: id } = sandbox.control.payIn({
    currency: "EUR",
    amount: "12.34",
    reference: "INV-1",
  });
  sandbox.control.payIn({ currency: "USD", amount: "1.00" });
  expect(await ask()).toMatchObject([
    {
      kind: "new",
      id,
      repeated: false,
      entry: { transaction_reference: "INV-1", amount: { amount: "12.34" } },
    },
  ]);
  expect(await ask()).toEqual([]);
  const references = ["INV-2", "INV-3", "INV-4"];
  for (const reference of references) sandbox.control.payIn({ currency: "EUR", amount: "1.00", reference });
  expect((await ask()).map(({ entry }) => entry!.transaction_reference)).toEqual(references);
});

test("transactions: reports only those of a counterparty and within amounts", async () => {
  const filter = { counterparty: "lake side", min_amount: "10", max_amount: "20", currencies: "EUR" };
  const ask = asking(client.transactions.watch, filter);
  expect(await ask()).toEqual([]);
  for (const [amount, debtor_name] of [
    ["9.99", "Lakeside Ltd"],
    ["20.00", "Lakeside Ltd"],
    ["20.01", "Lakeside Ltd"],
    ["15.00", "Severn plc"],
  ] as const)
    sandbox.control.payIn({ currency: "EUR", amount, debtor_name });
  expect(await ask()).toMatchObject([
    { kind: "new", entry: { debtor_name: "Lakeside Ltd", amount: { amount: "20.00" } } },
  ]);
  await expect(
    asking(client.transactions.watch, { min_amount: "2", max_amount: "1" })(),
  ).rejects.toMatchObject({ code: "invalid_input" });
});

test("transactions: the iterator ends with its signal", async () => {
  const stop = new AbortController();
  const reported: string[] = [];
  const options = { signal: stop.signal, everyMs: 20, consumer: String(consumer) };
  const statuses: string[] = [];
  const listening = (async () => {
    const onStatus = ({ state }: { state: string }) => statuses.push(state);
    for await (const { entry } of client.transactions.watch({ currencies: "GBP" }, { ...options, onStatus }))
      reported.push(entry!.transaction_reference!);
  })();
  await eventually(() => statuses.includes("waiting"), { withinMs: 20_000, what: "the first read" });
  sandbox.control.payIn({ currency: "GBP", amount: "5.00", reference: "A" });
  await eventually(() => reported.length === 1, { withinMs: 20_000, what: "the first change" });
  sandbox.control.payIn({ currency: "GBP", amount: "5.00", reference: "B" });
  await eventually(() => reported.length === 2, { withinMs: 20_000, what: "the second change" });
  stop.abort();
  await listening;
  expect(reported).toEqual(["A", "B"]);
});

test("reports an unknown account and invalid options at once", async () => {
  const account = "00000000-0000-4000-8000-000000000000";
  await expect(asking(client.transactions.watch, { accounts: [account] })()).rejects.toThrow(
    "Account not found",
  );
  const at = (options: SinceOptions) => client.trades.watch.since({}, options);
  await expect(at({ from: "2026-01-01" })).rejects.toMatchObject({ code: "invalid_input" });
  await expect(at({ everyMs: 0 })).rejects.toThrow("everyMs");
  expect(() => client.accounts.watchBalances({})).toThrow("At least one of below and above must be given");
});

test("trades: reports a booked and a funded trade", async () => {
  const ask = asking(client.trades.watch, {});
  expect(await ask()).toEqual([]);
  const { trade_id: id } = await client.trades.book({ quote_id: await makeQuote(client), reason: "other" });
  expect(await ask()).toMatchObject([{ kind: "new", id, entry: { status: "Created" } }]);
  sandbox.control.payIn({ currency: "EUR", amount: "1000.00", reference: id });
  expect(await ask()).toMatchObject([
    { kind: "changed", id, before: { status: "Created" }, entry: { status: "Funds in Full" } },
  ]);
  expect(await ask()).toEqual([]);
  const booked: string[] = [];
  for (const _ of [1, 2, 3])
    booked.push((await client.trades.book({ quote_id: await makeQuote(client), reason: "other" })).trade_id);
  expect((await ask()).map(({ id: found }) => found)).toEqual(booked);
});

test("payments of trades: reports each payment and status", async () => {
  const { trade_id } = await client.trades.book({ quote_id: await makeQuote(client), reason: "other" });
  const ask = asking(client.trades.watchPayments, { trades: [trade_id] });
  expect(await ask()).toEqual([]);
  const { beneficiary_id } = sandbox.control.listBeneficiaries().find(({ currency }) => currency === "USD")!;
  const { payment_id: id } = sandbox.control.allocatePayment({ trade_id, beneficiary_id, amount: "10.00" });
  expect(await ask()).toMatchObject([{ kind: "new", id, entry: { trade_id, amount: "10" } }]);
  sandbox.control.decidePayment({ payment_id: id, decision: "reject", contact_id: "contact-approver" });
  expect(await ask()).toMatchObject([{ kind: "changed", id, entry: { status: "Payment rejected" } }]);
});

test("a preview is repeatable and acknowledges nothing", async () => {
  const input = { currencies: "EUR", above: "0" };
  const reported = [
    { watch: "accounts.watchBalances", kind: "new", entry: { currency: "EUR" }, repeated: false },
  ];
  for (const _ of [1, 2])
    expect(await client.readInitialChanges(watchBalances, input)).toMatchObject({
      changes: reported,
      gaps: [],
    });
  expect(await client.readInitialChanges(watchBalances, input, { from: "now" })).toMatchObject({
    changes: [],
  });
  expect(await asking(client.accounts.watchBalances, input)()).toMatchObject(reported);
  await expect(client.readInitialChanges(watchBalances, input, { from: "soon" })).rejects.toThrow(
    "from must be",
  );
});

test("a currency without an account is a gap, and the accounts in others are watched", async () => {
  const input = { currencies: "EUR,ISK", above: "0" };
  const { changes, gaps } = await client.readInitialChanges(watchBalances, input);
  expect(changes).toMatchObject([{ entry: { currency: "EUR" } }]);
  expect(gaps).toMatchObject([expect.stringContaining("ISK")]);
});

test("balances: reports a crossed threshold and the recovery", async () => {
  const [account] = await client.accounts.list({ currencies: "JPY" });
  const accounts = [account!.account_id];
  const [balance] = await client.accounts.listBalances({ account_id: accounts[0]! });
  const amount = Number(balance!.amount.amount);
  const ask = asking(client.accounts.watchBalances, { accounts, above: String(amount + 10) });
  expect(await ask()).toEqual([]);
  sandbox.control.payIn({ account_id: accounts[0]!, amount: "10" });
  expect(await ask()).toEqual([]);
  sandbox.control.payIn({ account_id: accounts[0]!, amount: "1" });
  expect(await ask()).toMatchObject([
    { kind: "changed", before: { side: "between" }, entry: { amount: String(amount + 11), currency: "JPY" } },
  ]);
  const low = asking(client.accounts.watchBalances, { accounts, below: String(amount + 500) });
  expect(await low()).toMatchObject([{ kind: "new" }]);
});

test.each([
  ["99.99", undefined, "below"],
  ["100", undefined, "between"],
  ["109.99", "below", "below"],
  ["110", "below", "between"],
  ["200.01", undefined, "above"],
  ["190.01", "above", "above"],
  ["190", "above", "between"],
  ["190.01", "between", "between"],
])("%s after %s is %s", (amount, previous, side) => {
  expect(thresholdSideOf(amount, { below: "100", above: "200", hysteresis: "10" }, previous)).toBe(side);
});

test("margin calls: reports raised and settled calls", async () => {
  const ask = asking(client.accounts.watchMargin, {});
  await ask();
  const quote = await makeQuote(client, {
    trade_type: "forward",
    buy_currency: "USD",
    sell_currency: "GBP",
    amount: 100_000,
    value_date: businessDayIn(60),
  });
  await client.trades.book({ quote_id: quote, reason: "other" });
  await ask();
  const { rate } = sandbox.control.listRates().find(({ symbol }) => symbol === "GBPUSD")!;
  sandbox.control.moveRate({ symbol: "GBPUSD", rate: rate * 1.2 });
  const raised = (await ask()).find(({ entry }) => entry?.currency === "GBP")!;
  expect(raised).toMatchObject({
    kind: expect.stringMatching(/new|changed/),
    entry: { margin_call: expect.stringMatching(/^-?\d+\.\d\d$/) },
  });
  sandbox.control.moveRate({ symbol: "GBPUSD", rate: rate * 0.5 });
  expect(await ask()).toContainEqual(expect.objectContaining({ kind: "gone", id: raised.id }));
});

test("maturities: reports each maturing trade once", async () => {
  const quote = await makeQuote(client, { trade_type: "forward", value_date: businessDayIn(20) });
  const { trade_id: id } = await client.trades.book({ quote_id: quote, reason: "other" });
  const near = asking(client.forwards.watch, { within_days: 2 });
  expect((await near()).map((each) => each.id)).not.toContain(id);
  const ask = asking(client.forwards.watch, { within_days: 30 });
  expect(await ask()).toContainEqual(expect.objectContaining({ kind: "new", id }));
  expect(await ask()).toEqual([]);
});

test("payments: reports each status and stops reading final payments", async () => {
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const iban = account!.account_details!.find((each) => each.account_number_type === "IBAN")!.account_number!;
  const { paymentId } = await client.payments.initiate({
    "payment-service": "payments",
    "payment-product": "sepa-credit-transfers",
    "TPP-Redirect-URI": "https://app.example/done",
    debtorAccount: { iban },
    instructedAmount: { currency: "EUR", amount: "1.50" },
    creditorAccount: { iban: "FR6400000000000000012345697" },
    creditorName: "Ferme Duval SARL",
  });
  const ask = asking(client.payments.watch, { payments: [`payments/sepa-credit-transfers/${paymentId}`] });
  expect(await ask()).toMatchObject([{ kind: "new", entry: { status: "RCVD" } }]);
  const [waiting] = sandbox.control.listAuthorisations().slice(-1);
  const { authorisation_id } = waiting!;
  sandbox.control.decideAuthorisation({ authorisation_id, decision: "refuse" });
  expect(await ask()).toMatchObject([{ kind: "changed", entry: { status: "RJCT" } }]);
  const reads = () => sandbox.control.listRequests().length;
  const before = reads();
  expect(await ask()).toEqual([]);
  expect(reads()).toBe(before);
});

test("account details: reports a request and its confirmation", async () => {
  const ask = asking(client.accountDetails.watch, {});
  expect(await ask()).toEqual([]);
  await client.accountDetails.request({ country: "CH", currency: "CHF", alias: "Zürich" });
  const [requested] = await ask();
  expect(requested).toMatchObject({ kind: "new", entry: { status: "pending", alias: "Zürich" } });
  const { id } = requested!;
  sandbox.control.decideAccountDetails({ account_details_id: id, decision: "confirm" });
  expect(await ask()).toMatchObject([{ kind: "changed", id, entry: { status: "confirmed" } }]);
});

test("consents: reports expiring and ended consents", async () => {
  const { consentId } = await client.consents.create({
    access: { allPsd2: "allAccounts" },
    recurringIndicator: true,
    validUntil: dayIn(10),
    frequencyPerDay: 4,
    combinedServiceIndicator: false,
    "TPP-Redirect-URI": "https://app.example/done",
  });
  const ask = asking(client.consents.watch, { consents: [consentId] });
  expect(await ask()).toEqual([]);
  const [waiting] = sandbox.control.listAuthorisations().slice(-1);
  sandbox.control.decideAuthorisation({ authorisation_id: waiting!.authorisation_id, decision: "approve" });
  expect(await ask()).toMatchObject([
    { kind: "changed", id: consentId, entry: { status: "valid", ends_soon: true } },
  ]);
  await client.consents.delete({ "consent-id": consentId });
  expect(await ask()).toMatchObject([
    { kind: "changed", entry: { status: "terminatedByTpp", ends_soon: false } },
  ]);
  expect(await ask()).toEqual([]);
});

test("statements: reports ready and failed files", async () => {
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const create = async () =>
    (
      await client.statements.createFile({
        account_id: account!.account_id,
        from_value_datetime: `${dayIn(-5)}T00:00`,
      })
    ).url;
  const url = await create();
  sandbox.control.addStatementFault({ decision: "fail" });
  const lost = await create();
  const ask = asking(client.statements.watch, { urls: [url, lost] });
  const reported = new Map<string, string | undefined>();
  await eventually(
    async () => {
      sandbox.control.advanceClock({ seconds: 30 });
      for (const { id, entry } of await ask()) {
        expect(reported.has(id)).toBe(false);
        reported.set(id, entry?.status);
      }
      return reported.size === 2;
    },
    { withinMs: 30_000, what: "both statements" },
  );
  expect(reported).toEqual(
    new Map([
      [url, "Ready"],
      [lost, "Failed"],
    ]),
  );
});
