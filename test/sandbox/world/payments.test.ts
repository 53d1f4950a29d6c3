/** Payments from trades, from the order to a return. */
import { Big } from "big.js";
import { Outbox } from "../../../sandbox/src/world/model/outbox";
import { findOrOpenAccount, availableBalance } from "../../../sandbox/src/world/accounts/accounts";
import { isApproved } from "../../../sandbox/src/world/parties/approvals";
import { createSteppedClock } from "../../../sandbox/src/world/common/clock";
import { dayMs } from "@fxdesk/toolkit/calendars";
import { balanceAccount } from "../../../sandbox/src/world/ledger/ledger";
import { createOffer } from "../../../sandbox/src/world/trades/pricing";
import { demo } from "../../../sandbox/src/world/parties/parties";
import {
  completeBeneficiary,
  decidePayment,
  orderPayment,
  type PaymentOrder,
  returnPayment,
} from "../../../sandbox/src/world/trades/payments";
import { seedDemoWorld } from "../../../sandbox/src/world/seed/demo-world";
import { statusOf, type Trade, type TradePayment } from "../../../sandbox/src/world/model/trade";
import { bookTrade, fundTrade } from "../../../sandbox/src/world/trades/trading";
import { createWorld } from "../../../sandbox/src/world/create-world";
import type { World } from "../../../sandbox/src/world/model/world";

let world: World;
let trade: Trade;

const minute = 60_000;
const advance = (milliseconds: number) => {
  world.clock.advance(milliseconds);
  world.runDueEvents();
};
const beneficiary = () => world.beneficiaries.find(({ currency }) => currency === "USD")!;
const order = (amount: string, more: Partial<PaymentOrder> = {}): TradePayment =>
  orderPayment(world, trade, {
    beneficiary: beneficiary(),
    amount: new Big(amount),
    contactId: demo.contactId,
    ...more,
  });
const decide = (payment: TradePayment, contactId: string, approve = true) =>
  decidePayment(world, trade, payment, { contactId, approve });
/** Matches an error by a part of its details. */
const errorWithDetails = (text: string): Error =>
  expect.objectContaining({ details: expect.stringContaining(text) as string }) as Error;
const usd = () => findOrOpenAccount(world, demo, "USD");

beforeEach(() => {
  world = createWorld({
    clock: createSteppedClock(new Date("2026-11-20T10:00:00Z")),
    seed: "payments",
    outbox: new Outbox(),
  });
  seedDemoWorld(world);
  const { terms } = createOffer(world, {
    clientId: demo.clientId,
    type: "spot",
    buyCurrency: "USD",
    sellCurrency: "EUR",
    fixed: "buy",
    amount: new Big(20_000),
    valueDate: undefined,
  });
  trade = bookTrade(world, { ...terms, reference: undefined });
  fundTrade(world, trade, trade.sell.amount);
});

test("a payment passes approval, beneficiary validation, its payment date and execution", () => {
  const payment = order("1200.50", { date: "2026-11-25" });
  const seen = [payment.status];
  decide(payment, "contact-second-admin");
  seen.push(payment.status);
  advance(minute);
  seen.push(payment.status);
  expect(statusOf(trade)).toBe("Funds Out Partially Allocated");
  advance(4 * dayMs);
  seen.push(payment.status);
  world.clock.advance(Date.parse("2026-11-25T15:00:00Z") - world.clock.now().getTime());
  world.runDueEvents();
  seen.push(payment.status);
  advance(60 * minute);
  expect([...seen, payment.status, statusOf(trade)]).toEqual([
    "Payment pending of authorization",
    "Validating beneficiary information",
    "Waiting for payment date",
    "Waiting for payment date",
    "Executing Payment",
    "Payment complete",
    "Closed",
  ]);
  const { entry, amount } = world.ledger.lines(balanceAccount(usd(), "InterimAvailable")).at(-1)!;
  expect([entry.reference, entry.type, amount.toFixed(2)]).toEqual([payment.paymentId, "debit", "-1200.50"]);
});

test("refuses approval by the requester, ends a payment on one rejection, and accepts one decision only", () => {
  const payment = order("100");
  expect(() => decide(payment, demo.contactId)).toThrow("cannot decide");
  decide(payment, "contact-approver", false);
  expect(payment.status).toBe("Payment rejected");
  expect(() => decide(payment, "contact-second-admin")).toThrow("is not waiting for approval");
  expect(world.ledger.balance(balanceAccount(usd(), "Outgoing")).toFixed()).toBe(
    outgoingWithout(payment).toFixed(),
  );
});

test("refuses approvals and rejections by contacts outside the groups", () => {
  const approvals = world.approvals.get(demo.clientId)!;
  const [groupA] = approvals.config.groups;
  approvals.config = { ...approvals.config, groups: [groupA!] };
  const payment = order("100");
  for (const approve of [true, false])
    expect(() => decide(payment, "contact-approver", approve)).toThrow("is not in a group");
  expect(payment.status).toBe("Payment pending of authorization");
});

const outgoingWithout = (payment: TradePayment) =>
  [...world.trades.values()]
    .filter(({ ended, buy }) => !ended && buy.currency === "USD")
    .flatMap(({ payments }) => payments)
    .filter((each) => each !== payment && /^(Need|Validating|Waiting|Payment pending)/.test(each.status))
    .reduce((sum, { amount }) => sum.plus(amount), new Big(0));

test("requires two approvals for a large payment", () => {
  const payment = order("15000");
  decide(payment, "contact-second-admin");
  expect(payment.status).toBe("Payment pending of authorization");
  expect(() => decide(payment, "contact-second-admin")).toThrow("already");
  decide(payment, "contact-approver");
  expect(payment.status).toBe("Validating beneficiary information");
});

test("asks for the account of a beneficiary without one", () => {
  const { beneficiaryId, clientId, name, currency, bic } = beneficiary();
  const payment = order("100", { beneficiary: { beneficiaryId, clientId, name, currency, bic } });
  decide(payment, "contact-approver");
  advance(minute);
  expect(payment.status).toBe("Need more beneficiary information");
  completeBeneficiary(world, trade, payment, { accountNumber: "12345678" });
  advance(minute);
  expect(payment.status).toBe("Waiting for payment date");
});

test("credits a returned payment once", () => {
  const payment = order("100");
  expect(() => returnPayment(world, trade, payment)).toThrow("is not complete, or was already returned");
  decide(payment, "contact-approver");
  advance(5 * dayMs);
  const before = availableBalance(world, usd());
  returnPayment(world, trade, payment);
  expect(availableBalance(world, usd()).minus(before).toFixed()).toBe("100");
  const { entry } = world.ledger.lines(balanceAccount(usd(), "InterimAvailable")).at(-1)!;
  expect([entry.type, entry.reference]).toEqual(["payment_returned", payment.paymentId]);
  expect(() => returnPayment(world, trade, payment)).toThrow("is not complete, or was already returned");
});

test.each<[string, Partial<PaymentOrder> & { amount?: Big }, string]>([
  ["more than the remainder", { amount: new Big(20_000.01) }, "the remaining 20000 USD"],
  ["zero", { amount: new Big(0) }, "more than zero"],
  ["a fraction of a cent", { amount: new Big("1.005") }, "too many decimals for USD"],
  [
    "before maturity",
    { date: "2026-11-23" },
    "payment_date 2026-11-23 is too early: the earliest is 2026-11-24",
  ],
  [
    "on a Saturday",
    { date: "2026-11-28" },
    "payment_date 2026-11-28 is not a business day: the next is 2026-11-30",
  ],
  [
    "on a holiday",
    { date: "2026-11-26" },
    "payment_date 2026-11-26 is not a business day: the next is 2026-11-27",
  ],
])("refuses a payment: %s", (_what, changes, message) => {
  expect(() => order("1", changes)).toThrow(errorWithDetails(message));
});

test("sends a payment without a date at maturity, or on the next business day if that has passed", () => {
  expect(order("1", { date: undefined }).date).toBe("2026-11-24");
  order("1", { date: "2026-12-10" });
  advance(8 * dayMs);
  expect(order("1").date).toBe("2026-11-30");
});

test("refuses a beneficiary in another currency", () => {
  const inEuro = world.beneficiaries.find(({ currency }) => currency === "EUR")!;
  expect(() => order("1", { beneficiary: inEuro })).toThrow(errorWithDetails("is not a beneficiary in USD"));
});

test("needs no approval without an approvals workflow", () => {
  const approvals = world.approvals.get(demo.clientId)!;
  approvals.settings = { ...approvals.settings, enabled: false };
  expect(order("1").status).toBe("Validating beneficiary information");
});

describe("an approver in two groups", () => {
  const config = {
    groups: [
      { name: "A", members: ["ada", "bob"] },
      { name: "B", members: ["ada"] },
    ],
    rules: [
      {
        min_amount: 0,
        max_amount: null,
        currency: "EUR",
        combinations: [
          [
            { group: "A", approvals: 1 },
            { group: "B", approvals: 1 },
          ],
        ],
      },
    ],
  };
  test.each([
    [["ada"], false],
    [["bob"], false],
    [["ada", "bob"], true],
  ])("counts once: %j", (approvers, enough) => {
    expect(isApproved(config, new Big(5), approvers)).toBe(enough);
  });
});
