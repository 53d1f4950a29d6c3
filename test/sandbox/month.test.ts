/** Simulates a month of business; all books must agree to the cent. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import type { Sandbox } from "@fxdesk/sandbox";
import { Big } from "big.js";
import { makeQuote } from "../support/samples";
import { openSandboxAndClient } from "../support/sandboxes";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ now: new Date("2026-03-02T09:00:00Z") }));
});

const until = (now: string) => sandbox.control.setClock({ now });

async function book(body: Record<string, unknown>) {
  const quote_id = await makeQuote(client, body);
  const { trade_id } = await client.trades.book({ quote_id, reason: "other" });
  return client.trades.get({ trade_id, response_model: "ExtendedBookedTrade" });
}

const trade = (trade_id: string) => client.trades.get({ trade_id, response_model: "ExtendedBookedTrade" });
const status = async (trade_id: string) => (await trade(trade_id)).status;

async function accountIn(currency: string): Promise<string> {
  return (await client.accounts.list({ currencies: currency }))[0]!.account_id;
}

async function balance(
  currency: string,
  type: "InterimAvailable" | "InitialMargin" | "MarginCall",
): Promise<Big> {
  const account_id = await accountIn(currency);
  const [found] = await client.accounts.listBalances({ account_id, balance_types: [type] });
  return signed(found!);
}

/** In chronological order. */
async function transactionsIn(currency: string) {
  const account_id = await accountIn(currency);
  const pages = client.transactions.list.pages({ account_id, page_size: 100 });
  const all: Awaited<ReturnType<FxdeskClient["transactions"]["list"]>> = [];
  for await (const page of pages) all.push(...page);
  return all.toReversed();
}

const sum = (amounts: readonly Big[]) => amounts.reduce((total, amount) => total.plus(amount), new Big(0));

interface Sided {
  readonly amount: { readonly amount: string };
  readonly credit_debit_indicator: string;
}

const signed = ({ amount: { amount }, credit_debit_indicator: side }: Sided) =>
  new Big(amount).times(side === "Debit" ? -1 : 1);

test("runs a month of business", async () => {
  const spot = await book({ sell_currency: "EUR", buy_currency: "USD", amount: 20_000 });
  const forward = await book({
    trade_type: "forward",
    value_date: "2026-03-25",
    sell_currency: "GBP",
    buy_currency: "USD",
    amount: 100_000,
  });
  const frame = await book({
    trade_type: "window_forward",
    window_start_date: "2026-03-09",
    value_date: "2026-03-27",
    amount: 40_000,
  });
  const ndf = await book({
    trade_type: "ndf",
    value_date: "2026-03-20",
    sell_currency: "USD",
    buy_currency: "INR",
    amount: 10_000,
  });
  expect([spot, forward, frame, ndf].map(({ status: first }) => first)).toEqual(Array(4).fill("Created"));

  // The spot trade is paid for in two parts, and pays a supplier.
  const payIn = (currency: string, amount: string, reference: string) =>
    sandbox.control.payIn({ currency, amount, reference });
  payIn("EUR", "5000.00", spot.trade_id);
  expect(await status(spot.trade_id)).toBe("Funds In Partially");
  payIn("EUR", "15000.00", spot.trade_id);
  expect(await status(spot.trade_id)).toBe("Funds in Full");
  const { beneficiary_id } = sandbox.control.listBeneficiaries().find(({ currency }) => currency === "USD")!;
  const { payment_id } = sandbox.control.allocatePayment({
    trade_id: spot.trade_id,
    beneficiary_id,
    amount: "5000.25",
  });
  expect(await status(spot.trade_id)).toBe("Funds Out Partially Allocated");
  sandbox.control.decidePayment({ payment_id, decision: "approve", contact_id: "contact-approver" });

  // It matures, is paid out, and the payment comes back.
  until("2026-03-05T09:00:00Z");
  expect(await trade(spot.trade_id)).toMatchObject({
    status: "Closed",
    payments: [{ payment_id, amount: 5000.25, status: "Payment complete" }],
  });
  sandbox.control.returnPayment({ payment_id });
  const returned = (await transactionsIn("USD")).at(-1)!;
  expect([returned.transaction_type, returned.transaction_reference]).toEqual([
    "payment_returned",
    payment_id,
  ]);

  // The pound rises by more than the threshold: margin is called, paid from what comes in, and returned.
  payIn("GBP", "20000.00", "FUNDS");
  until("2026-03-05T15:00:00Z");
  expect((await balance("GBP", "InitialMargin")).gte(5_000)).toBe(true);
  const before = await balance("GBP", "InitialMargin");
  const market = (share: string) =>
    sandbox.control.moveRate({
      symbol: "GBPUSD",
      rate: new Big(forward.rate).times(share).round(6).toNumber(),
    });
  market("1.0251");
  expect((await balance("GBP", "MarginCall")).toFixed(2)).toBe("-2500.00");
  payIn("GBP", "100.00", "FUNDS");
  expect((await balance("GBP", "MarginCall")).toFixed(2)).toBe("0.00");
  expect((await balance("GBP", "InitialMargin")).minus(before).toFixed(2)).toBe("2500.00");
  market("0.9999");
  expect((await balance("GBP", "InitialMargin")).toFixed(2)).toBe(before.toFixed(2));
  const margins = (await transactionsIn("GBP")).slice(-2);
  expect(margins.map(({ transaction_type }) => transaction_type)).toEqual(["margin", "margin"]);

  // Part of the forward is drawn; the rest settles at maturity, as do the other trades.
  const drawdown = await book({
    trade_type: "drawdown",
    parent_trade_id: frame.trade_id,
    value_date: "2026-03-10",
    amount: 15_000,
  });
  expect(drawdown).toMatchObject({ rate: frame.rate, parent_trade_id: frame.trade_id });
  payIn("GBP", "100000.00", forward.trade_id);
  expect(await status(forward.trade_id)).toBe("Funds in Full");
  until("2026-03-31T18:00:00Z");
  const booked = [spot, forward, frame, drawdown, ndf].map(({ trade_id }) => trade_id);
  expect(await Promise.all(booked.map(status))).toEqual(booked.map(() => "Closed"));
  const dollars = await transactionsIn("USD");
  const proceeds = (trade_id: string) =>
    sum(
      dollars.filter(({ transaction_reference: reference }) => reference === trade_id).map(signed),
    ).toNumber();
  expect(proceeds(forward.trade_id)).toBe(forward.buy_amount);
  expect(new Big(proceeds(frame.trade_id)).plus(proceeds(drawdown.trade_id)).toNumber()).toBe(
    frame.buy_amount,
  );

  // All books agree.
  for (const currency of ["EUR", "GBP", "USD", "JPY"]) {
    let running = new Big(0);
    for (const transaction of await transactionsIn(currency)) {
      running = running.plus(signed(transaction));
      expect(signed(transaction.balance!).toFixed()).toBe(running.toFixed());
    }
    expect((await balance(currency, "InterimAvailable")).toFixed()).toBe(running.toFixed());
  }
});
