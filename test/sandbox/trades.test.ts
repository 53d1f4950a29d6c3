/** Tests quotes and trades. */
import { randomUUID } from "node:crypto";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { makeQuote } from "../support/samples";
import { openSandboxAndClient } from "../support/sandboxes";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeEach(async () => {
  ({ sandbox, client } = await openSandboxAndClient({
    now: new Date("2026-11-20T10:00:00Z"),
    daysBehind: 90,
  }));
});

type Trade = Awaited<ReturnType<FxdeskClient["trades"]["get"]>>;

async function everyTrade(input: Parameters<FxdeskClient["trades"]["list"]>[0] = {}): Promise<Trade[]> {
  const found: Trade[] = [];
  for await (const page of client.trades.list.pages(input)) found.push(...page);
  return found;
}

const quotes = (query: Record<string, string>, body: Record<string, unknown>) =>
  client.request({
    method: "POST",
    path: "/quotes",
    query: { client_id: demo.clientId, ...query },
    body: { operation: "sell", buy_currency: "USD", sell_currency: "EUR", amount: 1000, ...body },
  });

const book = (quote_id: string, reason: "other" | "not_related_to_goods_or_services" = "other") =>
  // Sent individually, so that the service judges each one.
  client.trades.book({ quote_id, reason, reference: "INV-7" }, { key: randomUUID() });

const day = 86_400_000;

describe("quotes", () => {
  test("have a rate by market convention with its inverse, for the fixed side", async () => {
    const { status, body, headers } = await quotes({}, { operation: "buy", amount: 280 });
    expect([status, headers["x-fxdesk-extension"]]).toEqual([201, "true"]);
    const quote = body as Record<string, number | string>;
    expect(quote).toMatchObject({
      quoted_rate_symbol: "EURUSD",
      inverse_rate_symbol: "USDEUR",
      buy_amount: 280,
    });
    expect(Number(quote.inverse_rate)).toBeCloseTo(1 / Number(quote.quoted_rate), 6);
    expect(Number(quote.sell_amount)).toBeCloseTo(280 / Number(quote.quoted_rate), 2);
    expect(quote.book_trade).toBe(`/trades?client_id=client-demo&quote_id=${quote.quote_id}`);
  });

  test("round to the minor units of the currency", async () => {
    const { body } = await quotes({}, { buy_currency: "JPY", amount: "1000.55" });
    expect(Number.isInteger((body as { buy_amount: number }).buy_amount)).toBe(true);
  });

  test("settle in two business days, with a warning if another day was requested", async () => {
    const spot = await quotes({}, {});
    expect(spot.body).toMatchObject({ value_date: "2026-11-24" });
    expect(spot.body).not.toHaveProperty("warning");
    const forward = await quotes(
      { quote_type: "estimate" },
      { trade_type: "forward", value_date: "2026-12-25" },
    );
    expect(forward).toMatchObject({ status: 200, body: { value_date: "2026-12-28" } });
    expect((forward.body as { warning: string }).warning).toContain("2026-12-28");
  });

  test.each([
    [{ buy_currency: "XAU" }, "buy_currency XAU"],
    [{ buy_currency: "EUR" }, "buy_currency and sell_currency must differ"],
    [{ amount: 0 }, "amount"],
    [{ amount: "0.00" }, "amount must be more than zero"],
    [{ sell_currency: "JPY", amount: 1000.5 }, "amount has too many decimals for JPY"],
    [{ operation: "swap" }, "operation"],
    [{ amount: "1000000000000.00" }, "amount must be at most 999999999999.99 EUR"],
    [{ operation: "buy", buy_currency: "JPY", amount: 1e14 }, "amount must be at most 99999999999999 JPY"],
    [{ buy_currency: "JPY", amount: "999999999999.99" }, "amount would buy more"],
    [{ operation: "buy", sell_currency: "JPY", amount: "999999999999.99" }, "amount would sell more"],
    [{ trade_type: "forward", value_date: "2036-11-28" }, "value_date must be at most 2036-11-27"],
    [
      { trade_type: "window_forward", window_start_date: "2027-01-10" },
      "window_start_date 2027-01-10 is after the value_date, 2026-11-24",
    ],
  ])("refuse %j", async (body, details) => {
    await expect(quotes({}, body)).rejects.toMatchObject({
      status: 400,
      service: { details: expect.stringContaining(details) },
    });
  });
});

describe("booking", () => {
  test("returns the receiving account and the due date", async () => {
    const confirmed = await book(await makeQuote(client));
    expect(confirmed).toMatchObject({
      bank_account: { iban: "DE52000000000012345678", swift_code: "TESTDEFF" },
      maturity_date: "2026-11-24",
    });
    expect(confirmed).not.toHaveProperty("initial_margin_amount");
  });

  test("requires an initial margin for a forward", async () => {
    const quote = await makeQuote(client, {
      trade_type: "forward",
      value_date: "2027-03-01",
      amount: 10_000,
    });
    expect(await book(quote)).toMatchObject({
      initial_margin_amount: 500,
      initial_margin_due_date: "2026-11-24",
    });
  });

  test("preserves each digit of the largest amount", async () => {
    const { trade_id } = await book(await makeQuote(client, { operation: "buy", amount: "999999999999.99" }));
    expect(await client.trades.get({ trade_id })).toMatchObject({ buy_amount: 999_999_999_999.99 });
  });

  test("accepts the spot-only reason for spot trades only", async () => {
    const reason = "not_related_to_goods_or_services";
    const forward = await makeQuote(client, { trade_type: "forward", value_date: "2027-03-01" });
    await expect(book(forward, reason)).rejects.toMatchObject({ status: 400 });
    await book(forward);
    await book(await makeQuote(client), reason);
  });
});

describe("a forward", () => {
  const forward = { trade_type: "forward", value_date: "2027-03-01", amount: 10_000 };
  const frame = {
    ...forward,
    trade_type: "window_forward",
    window_start_date: "2026-12-15",
    value_date: "2027-01-29",
  };
  const drawdown = (parent_trade_id: string, amount: number, body: Record<string, unknown> = {}) => ({
    trade_type: "drawdown",
    parent_trade_id,
    amount,
    ...body,
  });
  const bookOne = async (body: Record<string, unknown>) => {
    const { trade_id } = await book(await makeQuote(client, body));
    return client.trades.get({ trade_id });
  };
  const conflict = (details: string) => ({
    status: 409,
    service: { code: "drawdown_not_possible", details: expect.stringContaining(details) },
  });

  test("is drawn at its own rate until nothing remains", async () => {
    const parent = await bookOne(forward);
    const drawn = await bookOne(drawdown(parent.trade_id, 4_000));
    expect(drawn).toMatchObject({
      trade_type: "drawdown",
      parent_trade_id: parent.trade_id,
      rate: parent.rate,
      sell_amount: 4_000,
      maturity_date: "2027-03-01",
    });
    await expect(quotes({}, drawdown(parent.trade_id, 6_000.01))).rejects.toMatchObject(
      conflict("more than is left"),
    );
    const rest = await bookOne(drawdown(parent.trade_id, 6_000));
    expect(Number((drawn.buy_amount + rest.buy_amount).toFixed(2))).toBe(parent.buy_amount);
    const drawdowns = await everyTrade({ parent_trade_id: parent.trade_id });
    expect(drawdowns).toHaveLength(2);
  });

  test("closes when completely drawn and settled", async () => {
    const { trade_id } = await bookOne(frame);
    const draw = (amount: number) => bookOne(drawdown(trade_id, amount, { value_date: "2026-12-15" }));
    const status = async (id = trade_id) => (await client.trades.get({ trade_id: id })).status;
    await draw(4_000);
    sandbox.control.setClock({ now: "2026-12-16T09:00:00Z" });
    expect(await status()).toBe("Created");
    const rest = await draw(6_000);
    expect([rest.maturity_date, await status()]).toEqual(["2026-12-17", "Created"]);
    sandbox.control.setClock({ now: "2026-12-18T09:00:00Z" });
    expect([await status(rest.trade_id), await status()]).toEqual(["Closed", "Closed"]);
    await expect(quotes({}, drawdown(trade_id, 1))).rejects.toMatchObject(conflict("settled or cancelled"));
  });

  test("cannot be overdrawn by two quotes", async () => {
    const { trade_id } = await bookOne(forward);
    const both = [await makeQuote(client, drawdown(trade_id, 6_000))];
    both.push(await makeQuote(client, drawdown(trade_id, 6_000)));
    await book(both[0]!);
    await expect(book(both[1]!)).rejects.toMatchObject(conflict("more than is left"));
  });

  test("is drawn within its window", async () => {
    const { trade_id, trade_type } = await bookOne(frame);
    expect(trade_type).toBe("window_forward");
    const { body } = await quotes({}, drawdown(trade_id, 100, { value_date: "2026-12-01" }));
    expect(body).toMatchObject({ value_date: "2026-12-15", warning: expect.stringContaining("2026-12-15") });
    const inside = await quotes({}, drawdown(trade_id, 100, { value_date: "2027-01-12" }));
    expect(inside.body).toMatchObject({ value_date: "2027-01-12" });
    await expect(quotes({}, drawdown(trade_id, 100, { value_date: "2027-02-01" }))).rejects.toMatchObject(
      conflict("the window ends on 2027-01-29"),
    );
  });

  test("is required for a drawdown", async () => {
    const spot = await bookOne({});
    await expect(quotes({}, drawdown(spot.trade_id, 10))).rejects.toMatchObject(conflict("is not a forward"));
    await expect(quotes({}, drawdown("TR0", 10))).rejects.toMatchObject({ status: 404 });
    await expect(quotes({}, { trade_type: "drawdown" })).rejects.toMatchObject({ status: 400 });
    const { trade_id } = await bookOne(forward);
    await expect(quotes({}, drawdown(trade_id, 10, { sell_currency: "GBP" }))).rejects.toMatchObject({
      status: 400,
      service: { details: expect.stringContaining("sells EUR for USD") },
    });
  });

  test("is called for margin as the market moves, and gets it back as the market recovers", async () => {
    const { rate } = await bookOne({
      ...forward,
      sell_currency: "GBP",
      buy_currency: "USD",
      amount: 100_000,
    });
    const [pounds] = await client.accounts.list({ currencies: "GBP" });
    const { account_id } = pounds!;
    const held = async (type: "InitialMargin" | "MarginCall") => {
      const [balance] = await client.accounts.listBalances({ account_id, balance_types: [type] });
      return Number(balance!.amount.amount) * (balance!.credit_debit_indicator === "Debit" ? -1 : 1);
    };
    const payIn = (amount: string) => sandbox.control.payIn({ currency: "GBP", amount, reference: "FUNDS" });
    const moveMarket = (share: number) =>
      sandbox.control.moveRate({ symbol: "GBPUSD", rate: Number((rate * share).toFixed(6)) });
    payIn("20000.00");
    sandbox.control.setClock({ now: "2026-11-24T16:00:00Z" });
    const deposit = await held("InitialMargin");
    expect(deposit).toBeGreaterThanOrEqual(5_000);
    moveMarket(1.0251);
    expect(await held("MarginCall")).toBe(-2_500);
    payIn("100.00");
    expect([await held("MarginCall"), await held("InitialMargin")]).toEqual([0, deposit + 2_500]);
    moveMarket(0.99);
    expect(await held("InitialMargin")).toBe(deposit);
    const newest = await client.transactions.list({ account_id, page_size: 2 });
    expect(newest.map(({ transaction_type }) => transaction_type)).toEqual(["margin", "margin"]);
  });

  test("without delivery pays the difference at its fixing", async () => {
    const ndf = await bookOne({
      trade_type: "ndf",
      value_date: "2027-01-15",
      sell_currency: "USD",
      buy_currency: "INR",
      amount: 10_000,
    });
    sandbox.control.setClock({ now: "2027-01-13T09:00:00Z" });
    const market = sandbox.control.moveRate({ symbol: "USDINR", rate: ndf.rate * 0.9 }).rate;
    sandbox.control.setClock({ now: "2027-01-13T13:00:00Z" });
    sandbox.control.moveRate({ symbol: "USDINR", rate: ndf.rate * 1.1 });
    sandbox.control.setClock({ now: "2027-01-15T16:00:00Z" });
    const [usd] = await client.accounts.list({ currencies: "USD" });
    const [fee, difference] = await client.transactions.list({ account_id: usd!.account_id, page_size: 2 });
    expect(fee).toMatchObject({ credit_debit_indicator: "Debit", amount: { amount: "2.00" } });
    expect(difference).toMatchObject({
      transaction_reference: ndf.trade_id,
      credit_debit_indicator: "Credit",
      amount: { amount: (ndf.buy_amount / market - 10_000).toFixed(2) },
    });
    expect(await client.trades.get({ trade_id: ndf.trade_id })).toMatchObject({ status: "Closed" });
  });
});

describe("trades", () => {
  test("are paged without a count", async () => {
    const first = await client.trades.list.response({ page_size: 5 });
    const second = await client.trades.list.response({ page_size: 5, page: 2 });
    expect(first.headers).not.toHaveProperty("x-total-count");
    expect([first.body.length, second.body.length]).toEqual([5, 5]);
    expect(second.body[0]).not.toEqual(first.body[0]);
  });

  test("show their payments in the extended model only", async () => {
    const trade = (await everyTrade()).find(({ status }) => status === "Funds Out Partially Allocated")!;
    const { trade_id } = trade;
    expect(await client.trades.get({ trade_id, response_model: "BookedTrade" })).toEqual(trade);
    const { payments, beneficiaries } = await client.trades.get({
      trade_id,
      response_model: "ExtendedBookedTrade",
    });
    expect(payments!.map(({ status }) => status)).toContain("Payment pending of authorization");
    expect(beneficiaries).toEqual(["Lakeside Components Inc"]);
  });

  test("settle on maturity if funded", async () => {
    const { trade_id } = await book(await makeQuote(client));
    expect(await client.trades.get({ trade_id })).toMatchObject({ status: "Created" });
    sandbox.advance(5 * day);
    expect(await client.trades.get({ trade_id })).toMatchObject({ status: "Closed" });
    const [eur] = await client.accounts.list({ currencies: "EUR" });
    const moved = await client.transactions.list({ account_id: eur!.account_id, transaction_type: "debit" });
    expect(moved.filter(({ transaction_reference }) => transaction_reference === trade_id)).toMatchObject([
      { amount: { amount: "1.00" }, transaction_information: `Fee for trade ${trade_id}` },
      { amount: { amount: "1000.00" } },
    ]);
  });

  test("wait for funds", async () => {
    const quote_id = await makeQuote(client, { amount: 50_000_000 });
    const { trade_id } = await client.trades.book({ quote_id, reason: "other" });
    sandbox.advance(5 * day);
    expect(await client.trades.get({ trade_id })).toMatchObject({ status: "Created" });
  });
});
