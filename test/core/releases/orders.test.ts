/**
 * Orders: requested, released, and booked within their terms or not at all. The outcome of a booking may be found later, by the
 * lease holder at that time.
 */
import * as fc from "fast-check";
import type { FxdeskClient, Interceptor } from "@fxdesk/toolkit";
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { Entry } from "../../../core/journal/entry";
import { type Journal, openJournal } from "../../../core/journal/journal";
import { StoreSession } from "../../../core/store/session";
import { never, transition } from "../../../core/orders/leased-release";
import { type Order as OrderRelease, type Release, ReleaseRefusal } from "../../../core/releases/release";
import { changeReleases, transitionRelease } from "../../../core/releases/repository";
import { ReleaseExecutor, type ReleaseExecutorDependencies } from "../../../core/orders/executor";
import { withStore } from "../../../core/store/open";
import { forgeRows } from "../../support/forged-rows";
import { sealLocation } from "../../../core/store/sealer";
import { eventually } from "../../support/eventually";
import { closeLater } from "../../support/resources";
import { done, intent, longMs, unknown } from "../journal/fixtures";
import { nextSettlementDay } from "@fxdesk/toolkit/calendars";
import { sampleOrder, type ReleaseFixture, createReleaseFixture } from "./release-fixture";

let place: ReleaseFixture;
let store: StoreSession;
let journal: Journal;
beforeAll(async () => {
  place = await createReleaseFixture();
  store = closeLater(new StoreSession(place.store));
  journal = closeLater(await openJournal(place.store));
});

describe("a booked trade that differs from its order", () => {
  let change: object = {};
  let own: ReleaseFixture;
  let client: FxdeskClient;
  beforeAll(async () => {
    own = await createReleaseFixture();
    const alterTrade: Interceptor = async (call, next) => {
      const response = await next();
      if (call.operation.name !== "trades.get") return response;
      return { ...response, body: { ...(response.body as object), ...change } };
    };
    client = own.client({ interceptors: [alterTrade] });
  });

  test.each<[string, object, readonly string[], Parameters<typeof sampleOrder>[0]?]>([
    ["nothing", {}, []],
    ["its type", { trade_type: "forward" }, ["forward"]],
    ["the bought currency", { buy_currency: "GBP" }, ["GBP"]],
    ["the sold currency", { sell_currency: "GBP" }, ["GBP"]],
    ["its reference", { reference: "ANOTHER" }, ["ANOTHER"]],
    ["no reference", { reference: null }, ["null"]],
    ["the amount", { sell_amount: 1001 }, ["1001"]],
    ["an amount beyond the worst rate", { buy_amount: 499.99 }, ["buys 499.99"]],
    ["one beyond it that is sold", { sell_amount: 2000.01 }, ["sells 2000.01"], { fixed_side: "buy" }],
    ["a rate beyond the worst one", { rate: 0.49 }, ["0.49"]],
  ])("is reported with %s", async (title, altered, values, ordered = {}) => {
    change = altered;
    const { release } = await client.orders.order(sampleOrder({ reference: `ALTERED ${title}`, ...ordered }));
    await own.decide(release, "anna");
    const { deviations } = await eventually(
      async () => {
        const report = await client.orders.get(release);
        return report.deviations ? report : undefined;
      },
      { withinMs: 15_000, what: "a verified booking" },
    );
    expect(deviations).toHaveLength(values.length);
    expect(deviations).toEqual(values.map((value) => expect.stringContaining(value) as unknown));
  });
});

describe("the highest fee of an order", () => {
  /** Fees of the next quotes, each in the currency beside it; the service's own fee follows. */
  let fees: (readonly [amount: unknown, currency: unknown])[] = [];
  const quoted = new Map<string, string>();
  let own: ReleaseFixture;
  let client: FxdeskClient;
  beforeAll(async () => {
    const withFee = (operation: Declaration): Declaration =>
      operation.quotes
        ? {
            ...operation,
            quotes: {
              ...operation.quotes,
              responseFields: {
                ...operation.quotes.responseFields,
                fee_amount: "fee_amount",
                fee_currency: "fee_currency",
              },
            },
          }
        : operation;
    own = await createReleaseFixture({
      changeService: (service) => ({ ...service, operations: service.operations.map(withFee) }),
    });
    const alterFee: Interceptor = async (call, next) => {
      const response = await next();
      if (call.operation.name !== "quotes.create") return response;
      const body = response.body as { readonly quote_id: string; readonly fee_amount: unknown };
      const [fee_amount, fee_currency] = fees.shift() ?? [0, "EUR"];
      quoted.set(body.quote_id, `${String(fee_amount)} ${String(fee_currency)}`);
      return { ...response, body: { ...body, fee_amount, fee_currency } };
    };
    client = own.client({ interceptors: [alterFee] });
  });
  afterAll(() => client.close());

  test.each([
    ["0", "EUR"],
    // Three decimals are no group of thousands in a currency that has them.
    ["10.000", "KWD"],
  ])("may be %s %s", async (highest_fee, fee_currency) => {
    await expect(client.orders.check(sampleOrder({ highest_fee, fee_currency }))).resolves.toBeUndefined();
  });

  const misspelt = [
    "10.000",
    "1.250",
    "-5",
    "10,00",
    "10.000,00",
    "10,000.00",
    "1'000",
    "1 000",
    "1e1",
    "+5",
  ];
  test.each([
    ...[...misspelt, ".5", "5.", "10 EUR", "", "0x5", 5].map((fee) => [fee, "EUR"]),
    ["10.000", "JPY"],
  ])("is refused as %j %s", async (highest_fee, fee_currency) => {
    await expect(
      client.orders.order(sampleOrder({ highest_fee, fee_currency } as object)),
    ).rejects.toMatchObject({
      code: "invalid_input",
      outcome: "not-sent",
      violations: [expect.objectContaining({ field: "highest_fee" })],
    });
  });

  test("is never exceeded by a booking, and is reached by one", async () => {
    // The sandbox charges 1 EUR.
    const cents = fc.integer({ min: 100, max: 1_000_000 });
    const text = (amount: number) => (amount / 100).toFixed(2);
    const property = fc.asyncProperty(
      cents,
      fc.array(fc.integer({ min: 1, max: 100_000_000 }), { minLength: 1, maxLength: 3 }),
      async (limit, excesses) => {
        const refused = [
          ...excesses.map((excess): [number, string] => [(limit + excess) / 100, "EUR"]),
          [limit / 100, "USD"] as const,
          [-limit / 100, "EUR"] as const,
          [null, "EUR"] as const,
        ];
        fees = [...refused, [limit / 100, "EUR"]];
        quoted.clear();
        const before = own.sandbox.requests.length;
        const { release } = await client.orders.order(
          sampleOrder({ highest_fee: text(limit), fee_currency: "EUR" }),
        );
        // A preview may have taken a quote.
        fees = [...refused, [limit / 100, "EUR"]];
        await own.decide(release, "anna");
        const { deviations } = await eventually(
          async () => {
            const report = await client.orders.get(release);
            return report.state === "booked" && report.deviations ? report : undefined;
          },
          { withinMs: 10_000, what: `a booking of ${release}` },
        );
        const booked = own.sandbox.requests
          .slice(before)
          .filter(({ method, url }) => method === "POST" && url.startsWith("/trades?"))
          .map(({ url }) => quoted.get(new URLSearchParams(url.split("?")[1]).get("quote_id")!));
        expect([deviations, booked, fees]).toEqual([[], [`${limit / 100} EUR`], []]);
      },
    );
    await fc.assert(property, { numRuns: 4 });
  });
});

describe("an order", () => {
  let client: FxdeskClient;
  beforeAll(() => (client = place.client()));
  // Its worker would process the orders of the other tests.
  afterAll(() => client.close());

  const waitUntilFinal = (id: string) =>
    eventually(
      async () => {
        const report = await client.orders.get(id);
        const isDone =
          report.state === "booked" ? report.deviations : report.state !== "released" && report.remark;
        return isDone ? report : undefined;
      },
      { withinMs: 15_000, what: `an end of ${id}` },
    );

  test("waits for release and is booked once within its terms", async () => {
    const asked = await client.orders.order(sampleOrder({ reference: "INV-1" }));
    expect(asked).toMatchObject({ state: "waiting", operation: "trades.order", requested_by: "desk" });
    await place.decide(asked.release, "anna");
    const booked = await waitUntilFinal(asked.release);
    expect(booked).toMatchObject({ state: "booked", deviations: [] });
    const trades = await client.trades.list({});
    expect(trades.filter(({ reference }) => reference === "INV-1").map(({ trade_id: id }) => id)).toEqual([
      booked.trade_id,
    ]);
  });

  test.each<[string, object]>([
    ["amount", { amount: "1e4" }],
    ["amount", { amount: "1,000" }],
    ["amount", { amount: "10.000" }],
    ["amount", { amount: " 1000" }],
    ["amount", { amount: "٢٠٠٠" }],
    ["amount", { amount: 1_000 }],
    ["amount", { amount: null }],
    ["worst_rate", { worst_rate: "-1" }],
    ["valid_until", { valid_until: "0 hours" }],
    ["valid_until", { valid_until: "1.5 hours" }],
    ["sell_currency", { sell_currency: "eur" }],
    ["fixed_side", { fixed_side: "both" }],
    ["price", { price: "1" }],
  ])("is refused with another %s: %j", async (field, more) => {
    await expect(client.orders.order(sampleOrder(more))).rejects.toMatchObject({
      code: "invalid_input",
      outcome: "not-sent",
      violations: [expect.objectContaining({ field })],
    });
  });

  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const day = (days: number) => nextSettlementDay(inDays(days).slice(0, "2026-01-31".length), ["EUR", "USD"]);

  test.each<[field: string, order: object]>([
    ["sell_currency", { sell_currency: "USD", rate_symbol: "USDUSD" }],
    ["amount", { amount: "0.00" }],
    ["amount", { amount: "10.001" }],
    ["rate_symbol", { rate_symbol: "EURGBP" }],
    ["fee_currency", { highest_fee: "5" }],
    ["highest_fee", { fee_currency: "EUR" }],
    ["latest_value_date", { latest_value_date: day(9) }],
    ["latest_value_date", { value_date: day(9), latest_value_date: day(1) }],
    ["valid_until", { valid_until: inDays(-0.01) }],
    ["valid_until", { valid_until: inDays(93) }],
    ["valid_until", { valid_until: "93 days" }],
    ["value_date", { trade_type: "forward" }],
    ["value_date", { value_date: "2030-12-25" }],
    ["parent_trade_id", { trade_type: "drawdown" }],
    ["parent_trade_id", { parent_trade_id: "00000000-0000-4000-8000-000000000000" }],
    ["window_start_date", { trade_type: "window_forward", value_date: day(40) }],
    ["window_start_date", { window_start_date: day(9) }],
  ])("is refused for its %s alone: %j", async (field, more) => {
    await expect(client.orders.check(sampleOrder(more))).rejects.toMatchObject({
      violations: expect.arrayContaining([expect.objectContaining({ field })]),
    });
  });

  test.each<[string, object]>([
    ["a day for value", { value_date: day(9), latest_value_date: day(9) }],
    ["a range with a day of settlement", { value_date: "2030-12-25", latest_value_date: "2030-12-27" }],
    ["92 days of validity", { valid_until: inDays(91.9) }],
    ["a forward", { trade_type: "forward", value_date: day(40) }],
    ["a window", { trade_type: "window_forward", window_start_date: day(30), value_date: day(40) }],
    ["the inverse pair", { rate_symbol: "USDEUR" }],
  ])("may have %s", async (_, more) => {
    await expect(client.orders.check(sampleOrder(more))).resolves.toBeUndefined();
  });

  test("derives its worst rate from a quote and a distance", async () => {
    const { worst_rate: _rate, rate_symbol: _symbol, ...order } = sampleOrder({ largest_distance: "1" });
    const { release, terms } = await client.orders.order(order);
    expect(terms.rate_symbol).toBe("EURUSD");
    expect(Number(terms.worst_rate) / Number(terms.rate_seen)).toBeCloseTo(0.99, 4);
    await place.decide(release, "anna");
    expect(await waitUntilFinal(release)).toMatchObject({ state: "booked", deviations: [] });
  });

  test("counts a duration from its request, which a repetition under its key does not prolong", async () => {
    const [order, options] = [sampleOrder({ valid_until: "90 minutes" }), { key: "an hour and a half" }];
    const earliest = Date.now() + 5_400_000;
    const asked = await client.orders.order(order, options);
    const until = Date.parse(asked.valid_until);
    expect(until).toBeGreaterThanOrEqual(earliest);
    expect(until).toBeLessThanOrEqual(Date.now() + 5_400_000);
    const again = await client.orders.order(order, options);
    expect(again).toMatchObject({ release: asked.release, valid_until: asked.valid_until });
    await client.orders.cancel(asked.release);
  });

  test("keeps its final state under its key", async () => {
    const [order, options] = [sampleOrder(), { key: "given up" }];
    const { release } = await client.orders.order(order, options);
    await client.orders.cancel(release);
    const again = await client.orders.order(order, options);
    expect(again).toMatchObject({ release, state: "cancelled" });
  });

  test("is looked at beside the market before a person is asked", async () => {
    const { terms, warnings } = await client.orders.order(sampleOrder({ worst_rate: "0.5" }));
    const seen = Number(terms.rate_seen);
    expect(seen).toBeGreaterThan(0.9);
    expect(warnings).toEqual([expect.stringContaining(`${(100 - 50 / seen).toFixed(1)} %`)]);
    const near = await client.orders.order(sampleOrder({ worst_rate: (seen * 0.99).toFixed(4) }));
    expect([Number(near.terms.rate_seen) / seen, near.warnings]).toEqual([expect.closeTo(1, 2), undefined]);
  });

  test("prices currencies without a rate by estimates, and requests nothing for it", async () => {
    const before = (await client.orders.list()).releases.length;
    const { rates: given, into } = { rates: { USD: "0.5" }, into: "EUR" };
    const position = await client.cash.getPosition({ into, rates: given });
    expect(position).toMatchObject({ complete: true, without_rate: [] });
    const estimates = position.estimated_rates!;
    const held = new Set(
      position.totals.filter(({ amount }) => Number(amount) !== 0).map((each) => each.currency),
    );
    expect(new Set(["EUR", "USD", ...estimates.map(({ currency }) => currency)])).toEqual(held);
    const rates = {
      ...given,
      ...Object.fromEntries(estimates.map(({ currency, rate }) => [currency, rate])),
    };
    const again = await client.cash.getPosition({ into, rates });
    expect([again.converted, again.estimated_rates]).toEqual([position.converted, undefined]);
    const exposure = await client.exposure.get({ base_currency: into, balances: true });
    expect(exposure).toMatchObject({ without_rate: [], estimated_rates: expect.any(Array) });
    expect((await client.orders.list()).releases).toHaveLength(before);
  });

  test("refuses release by the requester and by people outside the policy", async () => {
    const asked = await client.orders.order(sampleOrder());
    await expect(place.decide(asked.release, "desk")).rejects.toThrow("desk requested");
    await expect(place.decide(asked.release, "carl")).rejects.toThrow("carl cannot release it");
    await expect(place.decide(asked.release, "eve")).rejects.toThrow("does not list eve");
    expect(await client.orders.cancel(asked.release)).toMatchObject({ state: "cancelled" });
    await expect(place.decide(asked.release, "anna")).rejects.toThrow("is cancelled");
  });

  test("is released once, and may be refused until it is sent", async () => {
    // No quote meets its limit.
    const { release } = await client.orders.order(sampleOrder({ worst_rate: "9" }));
    await place.decide(release, "anna");
    await expect(place.decide(release, "bert")).rejects.toThrow(ReleaseRefusal);
    expect(await place.decide(release, "bert", "refuse")).toMatchObject({ state: "refused" });
    await expect(place.decide(release, "anna")).rejects.toThrow(ReleaseRefusal);
    expect(await client.orders.get(release)).toMatchObject({ state: "refused" });
  });

  test("expires with a reason if no quote meets its limit", async () => {
    const valid_until = new Date(Date.now() + 2_500).toISOString();
    const asked = await client.orders.order(sampleOrder({ worst_rate: "9", valid_until }));
    await place.decide(asked.release, "anna");
    const ended = await waitUntilFinal(asked.release);
    expect(ended.state).toBe("expired");
    expect(ended.remark).toMatch(/outside the terms of the order: its rate is .* worse than 9 EURUSD/);
  });
});

test("an order is refused if the service would refuse the trade, and keeps its state once requested", async () => {
  const { client: open, sandbox } = await createReleaseFixture({ sandbox: { daysBehind: 30 } });
  const client = open();
  const parent = (await client.trades.list({})).find(
    ({ trade_type: type, status }) => type === "forward" && status === "Created",
  )!;
  const drawdown = sampleOrder({
    trade_type: "drawdown",
    parent_trade_id: parent.trade_id,
    buy_currency: parent.buy_currency,
    sell_currency: parent.sell_currency,
    rate_symbol: parent.rate_symbol,
    fixed_side: "buy",
    amount: "100",
    worst_rate: parent.rate_symbol.startsWith(parent.buy_currency) ? "9" : "0.1",
  });
  const before = (await client.orders.list()).releases.length;
  await expect(client.orders.order({ ...drawdown, amount: "9000000" })).rejects.toMatchObject({
    code: "conflict",
    outcome: "not-sent",
    status: 409,
    operation: "trades.order",
  });
  expect((await client.orders.list()).releases).toHaveLength(before);
  const asked = await client.orders.order(drawdown, { key: "drawdown" });
  sandbox.control.addFault({ operation: "quotes.create", kind: "status", status: 400, times: 1 });
  expect(await client.orders.order(drawdown, { key: "drawdown" })).toMatchObject({
    release: asked.release,
  });
  await expect(client.orders.order(drawdown)).rejects.toMatchObject({ status: 400 });
  sandbox.control.addFault({ operation: "quotes.create", kind: "reset-before", times: 1 });
  const { terms, warnings } = await client.orders.order(drawdown);
  expect([terms.rate_seen, warnings]).toEqual([undefined, [expect.any(String)]]);
});

test.each([
  ["its booking was removed with its events", ["details", "events"]],
  ["the row of its booking was removed", []],
])("is not booked again after %s", async (_, removed) => {
  const own = await createReleaseFixture();
  const reference = "TWICE";
  const client = own.client();
  const book = async (order: Parameters<typeof sampleOrder>[0]) => {
    const { release } = await client.orders.order(sampleOrder(order));
    await own.decide(release, "anna");
    await eventually(async () => (await client.orders.get(release)).deviations, {
      withinMs: 15_000,
      what: "a verified booking",
    });
    return release;
  };
  const id = await book({ reference });
  await book({});
  await client.close();
  await withStore(own.store, async (opened) => {
    const { sealer } = opened;
    for (const table of removed) {
      const entries = "SELECT id FROM fxdesk_journal_entries WHERE key LIKE $1";
      const seqs = `SELECT seq FROM fxdesk_journal_events WHERE entry IN (${entries})`;
      await opened.run(`DELETE FROM fxdesk_journal_${table} WHERE seq IN (${seqs})`, [`${id}.%`]);
    }
    await opened.run("DELETE FROM fxdesk_journal_entries WHERE key LIKE $1", [`${id}.%`]);
    await forgeRows(
      opened,
      `UPDATE fxdesk_releases SET state = 'released', entry = NULL, next_at = 0, lease_expires_at = 0, progress = $2
       WHERE id = $1`,
      [id, sealer.seal("{}", sealLocation("fxdesk_releases", "progress", id))],
    );
  });
  const executor = own.client();
  await executor.orders.start();
  const { state } = await eventually(
    async () => {
      const report = await executor.orders.get(id);
      return report.state === "booked" || report.remark ? report : undefined;
    },
    { withinMs: 15_000, what: "an attempt to book again" },
  );
  const trades = await executor.trades.list({});
  await executor.close();
  expect({ state, trades: trades.filter((trade) => trade.reference === reference).length }).toEqual({
    state: "released",
    trades: 1,
  });
});

const run = (sql: string, values: (string | number)[]) =>
  withStore(place.store, (opened) => opened.run(sql, values));

interface Order {
  readonly release: string;
  readonly environment: string;
  readonly entry: Entry;
}

/** Creates an order whose booking has an unknown outcome and which no process holds. */
async function unknownOrder(key: string): Promise<Order> {
  const requester = place.client({ people: "/nowhere/people.json" });
  const { release } = await requester.orders.order(sampleOrder());
  // Its own worker would look at the order as well.
  await requester.close();
  const { sealed } = (await place.service.get(release)).release;
  const { environment } = sealed;
  const { entry } = await journal.claim(intent({ environment, key }), longMs);
  await journal.recordSent(entry);
  await journal.recordOutcome(entry, unknown);
  await store.use((open) =>
    forgeRows(
      open,
      "UPDATE fxdesk_releases SET state = 'unknown', entry = $2, next_at = 0, lease_expires_at = 0 WHERE id = $1",
      [release, entry.id],
    ),
  );
  return { release, environment, entry };
}

/** Starts a worker that cannot read trades; `calls` are the calls it made. */
function startWorker({ environment }: Order, recover: ReleaseExecutorDependencies["recover"]) {
  const calls: string[] = [];
  const desk: Partial<ReleaseExecutorDependencies> = {
    store,
    journal,
    environments: [environment],
    recover,
    canReadPeople: async () => true,
    call: async ({ name }) => {
      calls.push(name);
      throw new Error("There is no such trade.");
    },
    operations: {
      getOperation: { name: "trades.get" },
    } as ReleaseExecutorDependencies["operations"],
  };
  const worker = new ReleaseExecutor(desk as ReleaseExecutorDependencies);
  worker.start();
  return { runner: worker, calls };
}

const recordFound = (entry: Entry) => journal.recordOutcome(entry, { ...done, by: "recovery" });

test("reports a booking that is found late from the current lease holder only", async () => {
  const order = await unknownOrder("late");
  let isFound = false;
  const { runner, calls } = startWorker(order, async () => {
    // Another process acquires the order meanwhile.
    await run("UPDATE fxdesk_releases SET fence = fence + 1, lease_expires_at = $2 WHERE id = $1", [
      order.release,
      Date.now() + longMs,
    ]);
    await recordFound(order.entry);
    isFound = true;
  });
  await eventually(() => isFound, { withinMs: 10_000, what: "the booking" });
  await runner.stop();
  const [row] = await run("SELECT state FROM fxdesk_releases WHERE id = $1", [order.release]);
  expect([row!.state, calls]).toEqual(["unknown", []]);
});

test("removes the remark about an unknown outcome from a booked order", async () => {
  const order = await unknownOrder("found");
  let looks = 0;
  const { runner } = startWorker(order, async () => {
    looks += 1;
    if (looks > 1) await recordFound(order.entry);
  });
  const standing = async () => (await place.service.get(order.release)).release;
  const remarked = await eventually(
    async () => {
      const { state, progress } = await standing();
      return state === "unknown" && progress.remark;
    },
    { withinMs: 10_000, what: "a remark" },
  );
  expect(remarked).toContain("The outcome of a booking is unknown");
  const booked = await eventually(
    async () => {
      const release = await standing();
      return release.state === "booked" && release;
    },
    { withinMs: 10_000, what: "the booking" },
  );
  await runner.stop();
  expect(booked.progress).toMatchObject({ identity: done.identity });
  expect(booked.progress.remark).toBeUndefined();
});

describe("a write", () => {
  const releaseOf = async (id: string): Promise<Release> => (await place.service.get(id)).release;
  const ask = async (): Promise<OrderRelease> => {
    const { release } = await place.client({ people: "/nowhere/people.json" }).orders.order(sampleOrder());
    return (await releaseOf(release)) as OrderRelease;
  };

  test("changes nothing after another process acquired the lease", async () => {
    const order = await ask();
    await run("UPDATE fxdesk_releases SET fence = fence + 1 WHERE id = $1", [order.id]);
    expect(await transition(store, order, { to: "expired", dueInMs: never })).toBeUndefined();
    expect(await releaseOf(order.id)).toEqual({ ...order, fence: order.fence + 1 });
  });

  test("changes nothing after the order was cancelled", async () => {
    const order = await ask();
    const cancelled = await place.service.cancel(order.id, "desk");
    expect(await transition(store, order, { remark: "The quote failed.", dueInMs: 0 })).toBeUndefined();
    expect(await releaseOf(order.id)).toEqual(cancelled);
  });

  test("is refused if the state cannot follow", async () => {
    const order = await ask();
    await expect(transition(store, order, { to: "booked", dueInMs: 0 })).rejects.toThrow(
      `${order.id} is waiting and cannot become booked.`,
    );
    const cancelled = await place.service.cancel(order.id, "desk");
    const reopened = changeReleases(store, (access) =>
      transitionRelease(access, cancelled, "released", { nextAt: 0 }),
    );
    await expect(reopened).rejects.toThrow(`${order.id} is cancelled and cannot become released.`);
    expect(await releaseOf(order.id)).toEqual(cancelled);
  });
});
