/** Tests the controls for payments from trades. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Sandbox } from "@fxdesk/sandbox";
import { makeQuote, sandboxClient } from "../../support/samples";
import { forkSandbox } from "../support/forks";

let sandbox: Sandbox;
let client: FxdeskClient;
let trade_id: string;
beforeEach(async () => {
  sandbox = await forkSandbox({ now: new Date("2026-03-16T09:00:00Z"), daysBehind: 90 });
  client = sandboxClient(sandbox);
  ({ trade_id } = await client.trades.book({ quote_id: await makeQuote(client), reason: "other" }));
});
afterEach(async () => {
  await client.close();
  await sandbox.close();
});

const beneficiary_id = () =>
  sandbox.control.listBeneficiaries().find(({ currency }) => currency === "USD")!.beneficiary_id;
const order = (amount = "100.50", contact: { contact_id?: string } = {}) =>
  sandbox.control.allocatePayment({ trade_id, beneficiary_id: beneficiary_id(), amount, ...contact });
const decide = (decision: "approve" | "reject", contact_id: string) =>
  sandbox.control.decidePayment({ payment_id: order().payment_id, decision, contact_id });
const payments = async () =>
  (await client.trades.get({ trade_id, response_model: "ExtendedBookedTrade" })).payments!;

test("orders, approves, makes and returns a payment", async () => {
  const { payment_id } = order();
  expect(await payments()).toMatchObject([
    { payment_id, amount: 100.5, status: "Payment pending of authorization" },
  ]);
  sandbox.control.decidePayment({ payment_id, decision: "approve", contact_id: "contact-approver" });
  sandbox.control.advanceClock({ days: 7 });
  expect(await payments()).toMatchObject([{ status: "Payment complete" }]);
  sandbox.control.returnPayment({ payment_id });
  const [usd] = await client.accounts.list({ currencies: "USD" });
  const [newest] = await client.transactions.list({ account_id: usd!.account_id, page_size: 1 });
  expect(newest).toMatchObject({ transaction_type: "payment_returned", transaction_reference: payment_id });
});

test("does not pay a rejected payment", async () => {
  const { payment_id } = order();
  sandbox.control.decidePayment({ payment_id, decision: "reject", contact_id: "contact-approver" });
  sandbox.control.advanceClock({ days: 7 });
  expect(await payments()).toMatchObject([{ status: "Payment rejected" }]);
});

test("refuses to complete or return a pending payment", () => {
  const waiting = { status: 409, code: "payment_state" };
  const { payment_id } = order();
  expect(() => sandbox.control.completeBeneficiary({ payment_id, iban: "GB21TEST00000012345678" })).toThrow(
    expect.objectContaining(waiting),
  );
  expect(() => sandbox.control.returnPayment({ payment_id })).toThrow(expect.objectContaining(waiting));
});

test.each<[string, () => unknown, number]>([
  [
    "no IBAN",
    () => sandbox.control.completeBeneficiary({ payment_id: order().payment_id, iban: "GB00" }),
    400,
  ],
  [
    "another's trade",
    () => sandbox.control.allocatePayment({ trade_id: "TR0", beneficiary_id: "", amount: "1" }),
    404,
  ],
  [
    "an unknown beneficiary",
    () => sandbox.control.allocatePayment({ trade_id, beneficiary_id: "BN0", amount: "1" }),
    404,
  ],
  ["too much", () => order("5000.00"), 400],
  ["no payment", () => sandbox.control.returnPayment({ payment_id: "PM0" }), 404],
  ["a stranger", () => decide("approve", "contact-other"), 404],
  ["approval by a blocked contact", () => decide("approve", "contact-blocked"), 409],
  ["rejection by a blocked contact", () => decide("reject", "contact-blocked"), 409],
  ["an order by a blocked contact", () => order("1.00", { contact_id: "contact-blocked" }), 409],
])("refuses %s", (_what, act, status) => {
  expect(act).toThrow(expect.objectContaining({ status }));
});

test("names the beneficiary without an account in the trade's currency", () => {
  const euros = sandbox.control.listBeneficiaries().find(({ currency }) => currency === "EUR")!;
  const inEuros = { trade_id, beneficiary_id: euros.beneficiary_id, amount: "1" };
  expect(() => sandbox.control.allocatePayment(inEuros)).toThrow(
    expect.objectContaining({ details: expect.stringContaining(euros.name) }),
  );
});

test("calls margin after a rate move and settles it by an incoming payment", async () => {
  const quote_id = await makeQuote(client, {
    trade_type: "forward",
    value_date: "2026-06-15",
    sell_currency: "GBP",
    amount: 100_000,
  });
  const forward = await client.trades.book({ quote_id, reason: "other" });
  const { rate } = await client.trades.get({ trade_id: forward.trade_id });
  const called = async () => {
    const [account] = await client.accounts.list({ currencies: "GBP" });
    const { account_id } = account!;
    const [found] = await client.accounts.listBalances({ account_id, balance_types: ["MarginCall"] });
    return found?.amount?.amount;
  };
  const before = Number(await called());
  sandbox.control.moveRate({ symbol: "GBPUSD", rate: Number((rate * 1.03).toFixed(6)) });
  expect(Number(await called()) - before).toBeGreaterThanOrEqual(2500);
  sandbox.control.payIn({ currency: "GBP", amount: "50000.00" });
  expect(Number(await called())).toBe(0);
});
