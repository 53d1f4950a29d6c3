/** Typical treasury tasks of an assistant, solved with the tools alone, in few calls and tokens. */
import { Big } from "big.js";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { Ajv2020 as Ajv } from "ajv/dist/2020";
import type { Tool } from "../../mcp/protocol";
import { people, type ReleaseFixture, createReleaseFixture } from "../core/releases/release-fixture";
import { eventually } from "../support/eventually";
import { approve } from "../support/samples";
import { bearer, type McpClient, revisions, serve, textOf, token } from "./support/clients";

/** Estimates the tokens of a result. */
const tokensIn = (text: string) => Math.ceil(Buffer.byteLength(text) / 4);

let place: ReleaseFixture;
let fxdesk: FxdeskClient;
let host: McpClient;
let tools: readonly Tool[];

const strict = new Ajv({ strict: true });

beforeAll(async () => {
  jest.spyOn(console, "error").mockImplementation();
  place = await createReleaseFixture({
    policy: {
      people: [...people],
      rules: [{ operations: ["trades.order"], from: ["anna"] }],
      quoteEverySeconds: 0.05,
    },
    sandbox: { daysBehind: 90 },
  });
  fxdesk = place.client({ settings: { redirectUri: place.sandbox.demo.redirectUri! } });
  const { url } = await serve({ client: fxdesk, toolsets: ["all"], allow: ["change", "money"], token });
  host = await revisions["2026-07-28"].http(url, bearer());
  ({ tools } = await host.listTools());
});

type CallTool = (tool: string, input?: Record<string, unknown>) => Promise<any>;

interface Limits {
  readonly calls: number;
  readonly tokens: number;
}

/** Tests a task: all calls succeed, within limits of calls and tokens. */
function task(name: string, most: Limits, does: (ask: CallTool) => Promise<void>): void {
  test(name, async () => {
    let [calls, tokens] = [0, 0];
    await does(async (tool, input = {}) => {
      const result = await host.callTool({ name: tool, arguments: input });
      const text = textOf(result);
      expect({ tool, isError: result.isError, ...(result.isError && { text }) }).toEqual({ tool });
      const { outputSchema } = tools.find(({ name: each }) => each === tool)!;
      if (outputSchema) expect(strict.validate(outputSchema, result.structuredContent)).toBe(true);
      calls += 1;
      tokens += tokensIn(text);
      return result.structuredContent;
    });
    expect(calls).toBeLessThanOrEqual(most.calls);
    expect(tokens).toBeLessThanOrEqual(most.tokens);
  });
}

const shortTask: Limits = { calls: 3, tokens: 2_000 };

task("total balance in euros", shortTask, async (ask) => {
  const { totals } = await ask("get_cash_position", { currencies: "EUR" });
  const [account] = await fxdesk.accounts.list({ currencies: "EUR" });
  const balances = await fxdesk.accounts.listBalances({ account_id: account!.account_id });
  const { type, amount } = balances.find((balance) => balance.type === "InterimAvailable")!;
  expect(totals[0]).toEqual({ type, currency: "EUR", amount: new Big(amount.amount).toFixed(2) });
});

task("all accounts, without knowing their currencies", shortTask, async (ask) => {
  const { items } = await ask("list_accounts");
  const known = await fxdesk.accounts.listCurrencyAccounts();
  expect(new Set(items.map(({ currency }: { currency: string }) => currency))).toEqual(
    new Set(known.map(({ currency }) => currency)),
  );
});

task("the last five payments of more than 10,000 EUR", shortTask, async (ask) => {
  const found = await ask("find_transactions", { direction: "out", min_amount: "10000", currencies: "EUR" });
  const five: { date: string; amount: string }[] = found.transactions.slice(0, 5);
  expect(five).toHaveLength(5);
  for (const { amount } of five) expect(Number(amount)).toBeLessThanOrEqual(-10_000);
  const dates = five.map(({ date }) => date);
  expect(dates).toEqual(dates.toSorted().toReversed());
});

task("forwards that mature in the next 30 days, with remaining amounts", shortTask, async (ask) => {
  const { forwards, complete } = await ask("list_forwards", { period: "next 30 days" });
  for (const { days, buy_remaining } of forwards) {
    expect(days).toBeLessThanOrEqual(31);
    expect(buy_remaining).toMatch(/^\d+(\.\d+)?$/);
  }
  expect(complete).toBe(true);
});

task("last month's MT940 of an account", shortTask, async (ask) => {
  const { files, complete } = await ask("fetch_statements", { currencies: "EUR", format: "mt940" });
  const { contents } = await host.readResource({ uri: files[0].uri });
  expect(contents).toMatchObject([{ text: expect.stringMatching(/^:20:[\s\S]+:62F:/) }]);
  expect([files.length, complete]).toEqual([1, true]);
});

task("a drawdown of a forward", shortTask, async (ask) => {
  const { forwards } = await ask("list_forwards");
  const parent = forwards.find(({ type }: { type: string }) => type.endsWith("forward"));
  const { sell_currency, buy_currency, trade_id: parent_trade_id } = parent;
  const { release } = await ask("order_trade", {
    amount: "1000",
    sell_currency,
    buy_currency,
    parent_trade_id,
    trade_type: "drawdown",
    fixed_side: "sell",
    reason: "payment_for_goods",
    worst_rate: "0.0001",
    rate_symbol: `${sell_currency}${buy_currency}`,
    valid_until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await place.decide(release, "anna");
  await eventually(async () => (await fxdesk.orders.get(release)).deviations, {
    withinMs: 15_000,
    what: "the trade",
  });
  const report = await ask("get_release", { release });
  expect(report).toMatchObject({ state: "booked", deviations: [] });
  const booked = await fxdesk.trades.get({ trade_id: report.trade_id });
  expect(booked).toMatchObject({ trade_type: "drawdown", parent_trade_id: parent.trade_id });
});

task("transactions of a newly connected bank account", { calls: 4, tokens: 3_000 }, async (ask) => {
  const asked = await ask("connect_bank_accounts", { wait_seconds: 0 });
  await approve(fxdesk, { href: asked.link });
  const { consent_id } = await ask("connect_bank_accounts", { consent_id: asked.consent_id });
  const { accounts } = await ask("list_open_banking_accounts", { consent_id });
  const date_from = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);
  const which = { consent_id, account_id: accounts[0].resourceId, booking_status: "booked", date_from };
  const { transactions } = await ask("list_open_banking_transactions", which);
  expect(transactions.booked.length).toBeGreaterThan(0);
});

task("ten invoices matched with incoming payments", shortTask, async (ask) => {
  const paid = await fxdesk.transactions.find({ direction: "in", currencies: "EUR" });
  const items = paid.transactions
    .slice(0, 10)
    .map(({ amount, currency, reference }) => ({ amount, currency, reference }));
  const { matched, open_items: open } = await ask("reconcile_transactions", { items, currencies: "EUR" });
  expect(items).toHaveLength(10);
  expect([matched.length + open.length, open.length < 5]).toEqual([10, true]);
});
