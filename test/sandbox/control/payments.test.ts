/** Tests payments from trades, from the order to a return. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import type { Sandbox } from "@fxdesk/sandbox";
import { makeQuote } from "../../support/samples";
import { openSandboxAndClient } from "../../support/sandboxes";

const now = new Date("2026-11-20T10:00:00Z");
const second = "contact-second-admin";
const approver = "contact-approver";

let sandbox: Sandbox;
let client: FxdeskClient;
let trade_id: string;
beforeEach(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ now }));
  const quote_id = await makeQuote(client, { operation: "buy", amount: 20_000 });
  ({ trade_id } = await client.trades.book({ quote_id, reason: "other" }));
  sandbox.control.payIn({ currency: "EUR", amount: "30000.00", reference: trade_id });
});

type Order = Partial<Parameters<Sandbox["control"]["allocatePayment"]>[0]>;

const beneficiaries = (currency = "USD") =>
  sandbox.control.listBeneficiaries().filter((each) => each.currency === currency);
const order = (amount = "100.50", more: Order = {}) =>
  sandbox.control.allocatePayment({
    trade_id,
    beneficiary_id: beneficiaries()[0]!.beneficiary_id,
    amount,
    ...more,
  }).payment_id;
const decide = (payment_id: string, contact_id: string, decision: "approve" | "reject" = "approve") =>
  sandbox.control.decidePayment({ payment_id, decision, contact_id }).status;
const setTime = (time: string) => void sandbox.control.setClock({ now: time });

const trade = () => client.trades.get({ trade_id, response_model: "ExtendedBookedTrade" });
const statusOf = async (payment_id: string) =>
  (await trade()).payments!.find((payment) => payment.payment_id === payment_id)!.status;

async function balance(currency: string, type: "InterimAvailable" | "Outgoing" | "MarginCall") {
  const [account] = await client.accounts.list({ currencies: currency });
  const { account_id } = account!;
  const [found] = await client.accounts.listBalances({ account_id, balance_types: [type] });
  return Number(found!.amount.amount);
}

async function newestInDollars() {
  const [account] = await client.accounts.list({ currencies: "USD" });
  const [newest] = await client.transactions.list({ account_id: account!.account_id, page_size: 1 });
  return newest;
}

const refusal = (status: number, text = ""): Error =>
  expect.objectContaining({ status, details: expect.stringContaining(text) as string }) as Error;

test("passes approval, beneficiary validation, its payment date and execution, and returns once", async () => {
  const payment_id = order("1200.50", { payment_date: "2026-11-25" });
  const seen = [await statusOf(payment_id), decide(payment_id, second)];
  expect((await trade()).status).toBe("Funds Out Partially Allocated");
  for (const time of ["2026-11-20T10:05", "2026-11-24T12:00", "2026-11-25T15:01", "2026-11-25T16:01"]) {
    setTime(`${time}:00Z`);
    seen.push(await statusOf(payment_id));
  }
  expect([...seen, (await trade()).status]).toEqual([
    "Payment pending of authorization",
    "Validating beneficiary information",
    "Waiting for payment date",
    "Waiting for payment date",
    "Executing Payment",
    "Payment complete",
    "Closed",
  ]);
  expect(await newestInDollars()).toMatchObject({
    transaction_type: "debit",
    transaction_reference: payment_id,
    amount: { amount: "1200.50" },
  });
  const before = await balance("USD", "InterimAvailable");
  sandbox.control.returnPayment({ payment_id });
  expect(await balance("USD", "InterimAvailable")).toBeCloseTo(before + 1200.5, 2);
  expect(await newestInDollars()).toMatchObject({
    transaction_type: "payment_returned",
    transaction_reference: payment_id,
  });
  expect(() => sandbox.control.returnPayment({ payment_id })).toThrow(refusal(409));
});

test("ends on one rejection by another person, and accepts one decision only", async () => {
  const before = await balance("USD", "Outgoing");
  const payment_id = order();
  expect(await balance("USD", "Outgoing")).toBeCloseTo(before + 100.5, 2);
  expect(() => decide(payment_id, sandbox.demo.contactId)).toThrow(refusal(409));
  expect(() => decide(payment_id, "contact-blocked", "reject")).toThrow(refusal(409));
  expect(() => decide(payment_id, "contact-other")).toThrow(refusal(404));
  expect(decide(payment_id, approver, "reject")).toBe("Payment rejected");
  expect(() => decide(payment_id, second)).toThrow(refusal(409));
  expect(await balance("USD", "Outgoing")).toBeCloseTo(before, 2);
  sandbox.control.advanceClock({ days: 7 });
  expect(await statusOf(payment_id)).toBe("Payment rejected");
});

test("requires two approvals of a large amount", () => {
  const payment_id = order("15000.00");
  expect(decide(payment_id, second)).toBe("Payment pending of authorization");
  expect(() => decide(payment_id, second)).toThrow(refusal(409));
  expect(decide(payment_id, approver)).toBe("Validating beneficiary information");
});

const one = (group: string) => ({ group, approvals: 1 });
const configure = (groups: Readonly<Record<string, readonly string[]>>) =>
  client.approvalsWorkflow.replaceConfig({
    groups: Object.entries(groups).map(([name, members]) => ({ name, members: [...members] })),
    rules: [
      { min_amount: 0, max_amount: null, currency: "EUR", combinations: [Object.keys(groups).map(one)] },
    ],
  });

test("is not decided by contacts outside the groups", async () => {
  await configure({ A: [second] });
  const payment_id = order();
  for (const decision of ["approve", "reject"] as const)
    expect(() => decide(payment_id, approver, decision)).toThrow(refusal(409));
});

test.each([
  [[second], "Payment pending of authorization"],
  [[approver], "Payment pending of authorization"],
  [[second, approver], "Validating beneficiary information"],
])("counts an approver in two groups once: %j", async (approvers, status) => {
  await configure({ A: [second, approver], B: [second] });
  const payment_id = order();
  expect(approvers.map((each) => decide(payment_id, each)).at(-1)).toBe(status);
});

test("needs no approval without an approvals workflow", async () => {
  await client.approvalsWorkflow.updateSettings({ enabled: false, dual_admin: false });
  expect(await statusOf(order())).toBe("Validating beneficiary information");
});

test("asks for the account of a beneficiary without one", async () => {
  const quote_id = await makeQuote(client, { buy_currency: "GBP" });
  ({ trade_id } = await client.trades.book({ quote_id, reason: "other" }));
  const { beneficiary_id } = beneficiaries("GBP").find(({ name }) => name === "Severn Freight plc")!;
  const payment_id = order("100", { beneficiary_id });
  const complete = (iban = "GB21TEST00000012345678") =>
    sandbox.control.completeBeneficiary({ payment_id, iban });
  expect(() => complete()).toThrow(refusal(409));
  expect(() => sandbox.control.returnPayment({ payment_id })).toThrow(refusal(409));
  decide(payment_id, approver);
  sandbox.control.advanceClock({ seconds: 60 });
  expect(await statusOf(payment_id)).toBe("Need more beneficiary information");
  expect(() => complete("GB00")).toThrow(refusal(400));
  complete();
  sandbox.control.advanceClock({ seconds: 60 });
  expect(await statusOf(payment_id)).toBe("Waiting for payment date");
});

test.each<[string, string, Order, number, string]>([
  ["of more than the remainder", "20000.01", {}, 400, "the remaining 20000 USD"],
  ["of zero", "0", {}, 400, "more than zero"],
  ["of a fraction of a cent", "1.0050", {}, 400, "decimals for USD"],
  ["of an amount that can mean two", "10.000", {}, 400, "write 10 or 10000"],
  ["before maturity", "1", { payment_date: "2026-11-23" }, 400, "earliest is 2026-11-24"],
  ["on a Saturday", "1", { payment_date: "2026-11-28" }, 400, "next is 2026-11-30"],
  ["on a holiday", "1", { payment_date: "2026-11-26" }, 400, "next is 2026-11-27"],
  ["from another's trade", "1", { trade_id: "TR0" }, 404, ""],
  ["to an unknown beneficiary", "1", { beneficiary_id: "BN0" }, 404, ""],
  ["by a blocked contact", "1", { contact_id: "contact-blocked" }, 409, ""],
])("is refused %s", (_what, amount, more, status, text) => {
  expect(() => order(amount, more)).toThrow(refusal(status, text));
});

test("is refused to a beneficiary in another currency, by name", () => {
  const [{ beneficiary_id, name } = { beneficiary_id: "", name: "" }] = beneficiaries("EUR");
  expect(() => order("1", { beneficiary_id })).toThrow(refusal(400, name));
});

test("leaves at maturity without a date, or on the next business day if that has passed", async () => {
  const timely = order("1");
  // Keeps the trade open.
  order("1", { payment_date: "2026-12-10" });
  decide(timely, approver);
  setTime("2026-11-24T15:30:00Z");
  expect(await statusOf(timely)).toBe("Executing Payment");
  setTime("2026-11-28T10:00:00Z");
  const late = order("1");
  decide(late, approver);
  setTime("2026-11-30T14:00:00Z");
  expect(await statusOf(late)).toBe("Waiting for payment date");
  setTime("2026-11-30T15:30:00Z");
  expect(await statusOf(late)).toBe("Executing Payment");
});
