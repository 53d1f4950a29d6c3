/** Procedures agree with the ledger of the sandbox to the last digit. */
import { Big } from "big.js";
import * as fc from "fast-check";
import { type Books, type Movement, openBooks } from "../../support/books";
import { findOrOpenAccount, availableBalance } from "../../../sandbox/src/world/accounts/accounts";
import { roundAmount } from "../../../sandbox/src/world/money/currencies";
import { createOffer, createDrawdownOffer } from "../../../sandbox/src/world/trades/pricing";
import { demo } from "../../../sandbox/src/world/parties/parties";
import { outstandingFunds, remainingAmount, type Trade } from "../../../sandbox/src/world/model/trade";
import { bookTrade, cancelTrade, fundTrade } from "../../../sandbox/src/world/trades/trading";
import type { World } from "../../../sandbox/src/world/model/world";

const runs = Number(process.env.FXDESK_RUNS ?? 25);

/** In the morning, before the trades of the day settle. */
const now = new Date(`${new Date().toISOString().slice(0, 10)}T09:00:00Z`);
const today = now.toISOString().slice(0, 10);

const dayMs = 86_400_000;
const dayFrom = (days: number) => new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10);

let books: Books;
beforeAll(async () => {
  books = await openBooks({ now });
});

const sumOf = (amounts: readonly Big[]) => amounts.reduce((sum, each) => sum.plus(each), new Big(0));

const everything = "2000-01-01..2100-12-31";

describe("transactions.find and transactions.summarize", () => {
  const dimensions = {
    account: ["account_id", ({ account }: Movement) => account],
    currency: ["currency", ({ currency }: Movement) => currency],
    direction: ["direction", ({ amount }: Movement) => (amount.lt(0) ? "out" : "in")],
    month: ["month", ({ valueDay }: Movement) => valueDay.slice(0, 7)],
    counterparty: ["counterparty", ({ counterparty }: Movement) => counterparty],
    type: ["type", ({ type }: Movement) => type],
  } as const;
  type Dimension = keyof typeof dimensions;

  const filter = () =>
    fc.record(
      {
        accounts: fc.subarray(
          books.accounts.map(({ accountId }) => accountId),
          { minLength: 1 },
        ),
        currencies: fc.subarray(["EUR", "USD", "GBP", "JPY"], { minLength: 1 }).map((all) => all.join(",")),
        days: fc.tuple(fc.integer({ min: -45, max: 1 }), fc.integer({ min: 0, max: 30 })),
        direction: fc.constantFrom("in" as const, "out" as const),
        min_amount: fc.constantFrom("0.01", "100", "2500.00"),
        max_amount: fc.constantFrom("150", "5000.5", "100000"),
        counterparty: fc.constantFrom(
          ...new Set(books.movements.map(({ counterparty: name }) => name ?? "None")),
        ),
        text: fc.constantFrom("INV", "trade", "a", "Nothing has this"),
      },
      { requiredKeys: [] },
    );
  type Filter = ReturnType<typeof filter> extends fc.Arbitrary<infer T> ? T : never;

  function wanted({ days, ...filters }: Filter) {
    const [start, length] = days ?? [-3_000, 6_000];
    const [from, to] = [dayFrom(start), dayFrom(start + length)];
    const own = (each: Movement) =>
      (filters.accounts?.includes(each.account) ?? true) &&
      (filters.currencies?.split(",").includes(each.currency) ?? true) &&
      each.valueDay >= from &&
      each.valueDay <= to &&
      (filters.direction === undefined || (filters.direction === "out") === each.amount.lt(0)) &&
      (filters.min_amount === undefined || each.amount.abs().gte(filters.min_amount)) &&
      (filters.max_amount === undefined || each.amount.abs().lte(filters.max_amount)) &&
      (filters.counterparty === undefined ||
        (each.counterparty?.toLowerCase().includes(filters.counterparty.toLowerCase()) ?? false)) &&
      (filters.text === undefined ||
        each.texts.some((text) => text.toLowerCase().includes(filters.text!.toLowerCase())));
    return { input: { ...filters, period: `${from}..${to}` }, movements: books.movements.filter(own) };
  }

  const everyDimension = Object.keys(dimensions) as Dimension[];

  test("agree with the ledger for any filter", async () => {
    await fc.assert(
      fc.asyncProperty(
        filter(),
        fc.shuffledSubarray(everyDimension, { minLength: 1 }),
        fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        async (filters, by, top) => {
          const { input, movements } = wanted(filters);
          const found = await books.client.transactions.find(input);
          const summary = await books.client.transactions.summarize({ ...input, by, top });
          const missing = (filters.accounts ?? []).filter(
            (id) =>
              !(
                filters.currencies?.includes(
                  books.accounts.find(({ accountId }) => accountId === id)!.currency,
                ) ?? true
              ),
          );
          for (const { complete, count, gaps } of [found, summary]) {
            expect(gaps.map(({ account_id: id }) => id)).toEqual(missing);
            expect([complete, count]).toEqual([missing.length === 0, movements.length]);
          }
          expect(found.transactions.map(({ transaction_id: id }) => id).toSorted()).toEqual(
            movements.map(({ id }) => id).toSorted(),
          );
          expectSums(found.sums, movements);
          expectSums(summary.sums, movements);
          expectGroups(summary, movements, by, top);
        },
      ),
      { numRuns: runs },
    );
  });

  interface Sum {
    readonly currency: string;
    readonly count: number;
    readonly in: string;
    readonly out: string;
    readonly net: string;
  }

  function expectSum(sum: Sum, movements: readonly Movement[]): void {
    const amounts = movements.map(({ amount }) => amount);
    const [ins, outs] = [amounts.filter((each) => each.gt(0)), amounts.filter((each) => each.lt(0))];
    expect(sum.count).toBe(movements.length);
    expect([sum.in, sum.out, sum.net].map((text) => new Big(text).toFixed())).toEqual(
      [ins, outs, amounts].map((each) => sumOf(each).toFixed()),
    );
  }

  function expectSums(sums: readonly Sum[], movements: readonly Movement[]): void {
    expect(sums.map(({ currency }) => currency).toSorted()).toEqual(
      [...new Set(movements.map(({ currency }) => currency))].toSorted(),
    );
    for (const sum of sums)
      expectSum(
        sum,
        movements.filter(({ currency }) => currency === sum.currency),
      );
  }

  type Summary = Awaited<ReturnType<typeof books.client.transactions.summarize>>;

  /** Checks that every transaction is in exactly one group. */
  function expectGroups(
    { groups, other }: Summary,
    movements: readonly Movement[],
    by: readonly Dimension[],
    top = Infinity,
  ): void {
    const shown = new Set<string>();
    for (const group of groups) {
      const members = movements.filter(
        (each) =>
          each.currency === group.currency &&
          by.every((name) => {
            const [field, valueOf] = dimensions[name];
            return group[field] === valueOf(each);
          }),
      );
      expect(members.length).toBeGreaterThan(0);
      expectSum(group, members);
      for (const { id } of members) expect(shown.has(id) || !shown.add(id)).toBe(false);
    }
    for (const currency of new Set(movements.map((each) => each.currency))) {
      const own = groups.filter((group) => group.currency === currency);
      const sizes = own.map((group) => new Big(group.in).minus(group.out));
      expect(sizes).toEqual(sizes.toSorted((one, another) => another.cmp(one)));
      expect(own.length).toBeLessThanOrEqual(top);
      const rest = movements.filter((each) => each.currency === currency && !shown.has(each.id));
      const others = other.filter((each) => each.currency === currency);
      expect(others).toHaveLength(rest.length > 0 ? 1 : 0);
      if (others[0]) expectSum(others[0], rest);
    }
  }

  test("exclude transactions of the minute before the period", async () => {
    const late = await openBooks({ now: new Date(`${today}T23:59:20Z`), daysBehind: 1 });
    const { transaction_id: id } = late.control.payIn({ currency: "EUR", amount: "12.34" });
    const idsIn = async (period: string) =>
      (await late.client.transactions.find({ period })).transactions.map((each) => each.transaction_id);
    expect(await idsIn(today)).toContain(id);
    expect(await idsIn(`${dayFrom(1)}..${dayFrom(2)}`)).toEqual([]);
  });

  test("mark the sums as partial if a page is lost", async () => {
    const account = books.accounts.find(({ currency }) => currency === "JPY")!.accountId;
    for (let count = 0; count < 205; count += 1)
      books.control.payIn({ account_id: account, amount: String(count + 1) });
    const failing = books.another({
      interceptors: [
        (call, next) => {
          const isLost = call.operation.name === "transactions.list" && call.values.page === 2;
          if (isLost) throw new Error("The line is dead.");
          return next();
        },
      ],
    });
    const { complete, gaps, count } = await failing.transactions.summarize({
      period: everything,
      by: ["month"],
    });
    expect([complete, gaps.map(({ account_id: id }) => id)]).toEqual([false, [account]]);
    expect(gaps[0]!.reason).toContain("The line is dead.");
    expect(count).toBeLessThan(books.movements.length);
    expect(count).toBeGreaterThanOrEqual(200);
  });
});

describe("forwards.list and exposure.get", () => {
  const weeksAgo = new Date(now.getTime() - 21 * dayMs);
  let desk: Books;
  beforeAll(async () => {
    desk = await openBooks({ now: weeksAgo, seed: "trades" });
  });

  const codes = ["EUR", "USD", "GBP", "JPY"];
  const tradesOf = ({ trades }: World): Trade[] =>
    [...trades.values()].filter(({ clientId }) => clientId === demo.clientId);
  const isOpen = ({ ended, settled }: Trade) => !ended && !settled;

  const anyAct = () =>
    fc.oneof(
      fc.record({
        kind: fc.constant("book" as const),
        type: fc.constantFrom("spot" as const, "forward" as const, "window_forward" as const, "ndf" as const),
        pair: fc.shuffledSubarray(codes, { minLength: 2, maxLength: 2 }),
        amount: fc.integer({ min: 1_000, max: 3_000_000 }),
        days: fc.integer({ min: 1, max: 500 }),
      }),
      fc.record({
        kind: fc.constantFrom("draw" as const, "fund" as const, "cancel" as const),
        which: fc.nat(),
        share: fc.constantFrom("0.1", "0.333", "0.5", "1"),
      }),
      fc.record({ kind: fc.constant("advance" as const), days: fc.integer({ min: 1, max: 2 }) }),
    );
  type Act = ReturnType<typeof anyAct> extends fc.Arbitrary<infer T> ? T : never;

  /** Ignores refusals of the sandbox, for example of a window that is over. */
  function perform({ world, control }: Books, act: Act): void {
    if (act.kind === "advance") {
      if (world.now.getTime() + act.days * dayMs <= now.getTime()) control.advanceClock({ days: act.days });
      return;
    }
    if (act.kind === "book") {
      const [buyCurrency, sellCurrency] = act.pair as [string, string];
      const valueDate = new Date(world.now.getTime() + act.days * dayMs).toISOString().slice(0, 10);
      const amount = roundAmount(new Big(act.amount).div(100), sellCurrency);
      const { type } = act;
      const wanted = {
        clientId: demo.clientId,
        type,
        buyCurrency,
        sellCurrency,
        fixed: "sell",
        amount,
        valueDate,
      };
      bookTrade(world, {
        ...createOffer(world, wanted as Parameters<typeof createOffer>[1]).terms,
        reference: undefined,
      });
      return;
    }
    const open = tradesOf(world).filter(isOpen);
    const trade = open[act.which % open.length]!;
    const { currency } = trade.sell;
    if (act.kind === "cancel") cancelTrade(world, trade);
    if (act.kind === "fund" && trade.type !== "ndf") {
      const part = roundAmount(outstandingFunds(trade).times(act.share), currency);
      if (part.gt(0) && part.lte(availableBalance(world, findOrOpenAccount(world, trade, currency))))
        fundTrade(world, trade, part);
    }
    if (act.kind === "draw") {
      const amount = roundAmount(remainingAmount(trade, "sell").times(act.share), currency);
      const drawdown =
        amount.gt(0) && createDrawdownOffer(world, trade, { fixed: "sell", amount, valueDate: undefined });
      if (typeof drawdown === "object") bookTrade(world, { ...drawdown.terms, reference: undefined });
    }
  }

  interface Left {
    readonly trade: Trade;
    readonly buy: Big;
    readonly sell: Big;
  }

  const leftIn = (world: World): Left[] =>
    tradesOf(world)
      .filter(isOpen)
      .map((trade) => ({ trade, buy: remainingAmount(trade, "buy"), sell: remainingAmount(trade, "sell") }))
      .filter(({ buy, sell }) => !buy.eq(0) || !sell.eq(0));

  const shown = (all: readonly { id: string; buy: Big; sell: Big }[]) =>
    all.map(({ id, buy, sell }) => [id, buy.toFixed(), sell.toFixed()].join(" ")).toSorted();

  const tenors = ["overdue", "0-30", "31-90", "91-180", "181-365", "beyond"];
  const ends = [-1, 30, 90, 180, 365, Infinity];
  const tenorOf = (day: string) => {
    const days = Math.round((Date.parse(day) - Date.parse(today)) / dayMs);
    return tenors[ends.findIndex((end) => days <= end)]!;
  };

  /** Sums by key without zeros. */
  function summed(entries: readonly (readonly [string, Big])[]): Record<string, string> {
    const sums = new Map<string, Big>();
    for (const [key, value] of entries) sums.set(key, (sums.get(key) ?? new Big(0)).plus(value));
    return Object.fromEntries(
      [...sums]
        .filter(([, sum]) => !sum.eq(0))
        .map(([key, sum]) => [key, sum.toFixed()] as const)
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  }

  /** Sets the sandbox to the time of the machine, which the procedures use. */
  function toToday(): void {
    const left = now.getTime() - desk.world.now.getTime();
    if (left >= 1_000) desk.control.advanceClock({ seconds: Math.floor(left / 1_000) });
  }

  test("agree with the ledger after random bookings, drawdowns, payments and cancellations", async () => {
    for (const each of fc.sample(anyAct(), 150)) perform(desk, each);
    toToday();
    for (const each of fc.sample(anyAct(), 40)) if (each.kind !== "advance") perform(desk, each);
    const left = leftIn(desk.world);
    expect(left.filter(({ trade }) => trade.type === "drawdown")).not.toEqual([]);
    const forwards = left.filter(({ trade: { type } }) => type !== "spot");
    const list = await desk.client.forwards.list();
    expect([list.complete, list.gaps, list.left_out]).toEqual([true, [], 0]);
    const rows = [
      ...list.forwards.map((each) => ({
        id: each.trade_id,
        buy: new Big(each.buy_remaining),
        sell: new Big(each.sell_remaining),
      })),
      ...list.drawdowns.map((each) => ({
        id: each.trade_id,
        buy: new Big(each.buy_amount),
        sell: new Big(each.sell_amount),
      })),
    ];
    expect(shown(rows)).toEqual(
      shown(forwards.map(({ trade, ...rest }) => ({ id: trade.tradeId, ...rest }))),
    );
    for (const each of list.forwards)
      expect(new Big(each.sell_drawn).plus(each.sell_remaining).eq(each.sell_amount)).toBe(true);
    const settlement = ({ type }: Trade) => (type === "ndf" ? "cash" : "delivery");
    const perCurrency = (group: (trade: Trade) => string) =>
      summed(
        forwards.flatMap(({ trade, buy, sell }) => [
          [`${group(trade)} ${settlement(trade)} ${trade.buy.currency} buy`, buy] as const,
          [`${group(trade)} ${settlement(trade)} ${trade.sell.currency} sell`, sell] as const,
        ]),
      );
    const totals = list.totals.map((each) => ({ month: "", ...each }));
    const written = (all: typeof totals) =>
      summed(
        all.flatMap((each) =>
          (["buy", "sell"] as const).map(
            (side) =>
              [`${each.month} ${each.settlement} ${each.currency} ${side}`, new Big(each[side])] as const,
          ),
        ),
      );
    expect(written(totals)).toEqual(perCurrency(() => ""));
    expect(written(list.months)).toEqual(perCurrency(({ maturityDate }) => maturityDate.slice(0, 7)));

    const soon = await desk.client.forwards.list({ period: "next 30 days" });
    const within = forwards.filter(({ trade: { maturityDate: day } }) => day >= today && day <= dayFrom(30));
    expect(soon.forwards.length + soon.drawdowns.length).toBe(within.length);
    expect(soon.left_out).toBe(forwards.length - within.length);
  });

  type Leg = readonly [currency: string, day: string, amount: Big];

  /** Amounts of trades; with balances, without amounts already paid in. */
  const legsIn = (world: World, besideBalances = false): Leg[] =>
    leftIn(world).flatMap(({ trade, buy, sell }): Leg[] => {
      const isPaid = besideBalances && trade.type !== "ndf" && outstandingFunds(trade).eq(0);
      return [
        [trade.buy.currency, trade.maturityDate, buy],
        [trade.sell.currency, trade.maturityDate, isPaid ? new Big(0) : sell.neg()],
      ];
    });

  const byTenor = (legs: readonly Leg[]) =>
    summed(legs.map(([currency, day, amount]) => [`${currency} ${tenorOf(day)}`, amount]));
  const byCurrency = (legs: readonly Leg[]) => summed(legs.map(([currency, , amount]) => [currency, amount]));

  test("return the exposure of the ledger, with and without expected flows and balances", async () => {
    toToday();
    const hedges = legsIn(desk.world);
    const bare = await desk.client.exposure.get();
    interface Position {
      readonly currency: string;
      readonly tenor?: string | undefined;
      readonly month?: string | undefined;
      readonly net: string;
    }
    const nets = (all: readonly Position[]) =>
      summed(
        all.map(({ currency, tenor, month, net }) => [
          [currency, tenor, month].filter(Boolean).join(" "),
          new Big(net),
        ]),
      );
    const byMonth = (legs: readonly Leg[]) =>
      summed(
        legs.map(([currency, day, amount]) => [
          `${currency} ${day < today ? "overdue" : day.slice(0, 7)}`,
          amount,
        ]),
      );
    expect([bare.complete, bare.gaps]).toEqual([true, []]);
    expect(nets(bare.positions)).toEqual(byTenor(hedges));
    expect(nets(bare.currencies)).toEqual(byCurrency(hedges));
    const late = { date: dayFrom(-3), currency: "USD", amount: "10.00" };
    const monthly = await desk.client.exposure.get({ by: "month", flows: [late] });
    expect(nets(monthly.positions)).toEqual(byMonth([...hedges, ["USD", late.date, new Big("10.00")]]));
    const dollars = monthly.positions.filter(({ currency }) => currency === "USD").map(({ month }) => month!);
    expect(dollars).toEqual(["overdue", ...dollars.slice(1).toSorted()]);
    expect(bare.positions.some(({ expected, covered }) => expected ?? covered)).toBe(false);

    const flow = fc.record({
      currency: fc.constantFrom("EUR", "USD", "GBP", "CHF"),
      days: fc.integer({ min: -20, max: 500 }),
      cents: fc.integer({ min: -5_000_000, max: 5_000_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(flow, { maxLength: 12 }), fc.boolean(), async (all, asCsv) => {
        const flows = all.map(({ currency, days, cents }) => ({
          currency,
          date: dayFrom(days),
          amount: new Big(cents).div(100).toFixed(2),
        }));
        const csv = [
          "Amount;Remark;Date;Currency",
          ...flows.map(({ amount, date, currency }) => `${amount.replace(".", ",")};x;${date};${currency}`),
        ].join("\n");
        const { positions, currencies } = await desk.client.exposure.get(
          asCsv ? { flows_csv: csv } : { flows },
        );
        const expected = flows.map(({ currency, date, amount }): Leg => [currency, date, new Big(amount)]);
        expect(nets(positions)).toEqual(byTenor([...hedges, ...expected]));
        expect(nets(currencies)).toEqual(byCurrency([...hedges, ...expected]));
        for (const each of currencies)
          if (each.covered !== undefined)
            expect(each.covered).toBe(new Big(each.trades).times(-100).div(each.expected!).toFixed(1));
      }),
      { numRuns: Math.ceil(runs / 3) },
    );

    const rates = { USD: "0.9", GBP: "1.15", JPY: "0.006", CHF: "1.05", INR: "0.01" };
    const whole = await desk.client.exposure.get({ balances: true, base_currency: "EUR", rates });
    const { balances } = await desk.client.cash.getPosition({ balance_types: ["InterimAvailable"] });
    const cash = desk.accounts.map((account): Leg => [
      account.currency,
      today,
      availableBalance(desk.world, account),
    ]);
    expect(summed(balances.map(({ currency, amount }) => [currency, new Big(amount)]))).toEqual(
      byCurrency(cash),
    );
    expect(nets(whole.positions)).toEqual(byTenor([...legsIn(desk.world, true), ...cash]));
    const partly = leftIn(desk.world).filter(
      ({ trade }) => trade.type !== "ndf" && trade.funded.gt(0) && outstandingFunds(trade).gt(0),
    );
    expect(whole.gaps).toHaveLength(partly.length);
    expect(whole.complete).toBe(partly.length === 0);
    const inEuros = (legs: readonly Leg[]) => ({
      currency: "EUR",
      net: sumOf(
        Object.entries(byCurrency(legs))
          .filter(([currency]) => currency !== "EUR")
          .map(([currency, net]) => new Big(net).times(rates[currency as keyof typeof rates])),
      ).toFixed(2),
    });
    expect(whole.base).toEqual(whole.complete ? inEuros([...legsIn(desk.world, true), ...cash]) : undefined);
    expect(whole.without_rate).toEqual([]);
    const trades = await desk.client.exposure.get({ base_currency: "EUR", rates });
    expect(trades).toMatchObject({ complete: true, base: inEuros(hedges) });
    const { base, without_rate } = await desk.client.exposure.get({ base_currency: "EUR", rates: {} });
    expect(base).toBeUndefined();
    expect(without_rate).toEqual(
      bare.currencies
        .filter(({ currency, net }) => currency !== "EUR" && Number(net) !== 0)
        .map(({ currency }) => currency),
    );
  });

  test("return the margin of the balances", async () => {
    const { margin } = await desk.client.forwards.list();
    const { totals } = await desk.client.cash.getPosition({ balance_types: ["InitialMargin", "MarginCall"] });
    const amountOf = (type: string, currency: string) =>
      totals.find((each) => each.type === type && each.currency === currency)!.amount;
    expect(margin).not.toEqual([]);
    for (const { currency, initial_margin: initial, margin_call: call } of margin)
      expect([initial, call]).toEqual([
        amountOf("InitialMargin", currency),
        amountOf("MarginCall", currency),
      ]);
  });

  type Link = NonNullable<Parameters<Books["another"]>[0]["interceptors"]>[number];

  /** A client whose pages of trades are altered. */
  const withPages = (link: (page: number, next: () => ReturnType<Link>) => ReturnType<Link>) =>
    desk.another({
      interceptors: [
        (call, next) =>
          call.operation.name === "trades.list" ? link(Number(call.values.page), () => next()) : next(),
      ],
    });

  /** Splits the trades into small pages, so that there are several. */
  const paged = (page: number, all: readonly unknown[]) => all.slice((page - 1) * 10, page * 10);

  async function everyTrade() {
    const { trades } = desk.client;
    const all = [];
    for await (const each of trades.list.all({
      trade_type: ["forward", "window_forward", "ndf", "drawdown"],
    }))
      all.push(each);
    return all;
  }

  test.each([
    ["that fails", /Page 2 of the trades: .*The line is dead/],
    ["that is short", /A page of trades was shorter than the first one/],
    ["that is repeated", /The service returned a page of trades twice/],
    ["that is missing", /The service reports \d+ trades but returned \d+/],
  ])("a page %s marks the result as partial", async (name, message) => {
    const all = await everyTrade();
    expect(all.length).toBeGreaterThan(20);
    const client = withPages(async (page, next) => {
      const response = await next();
      if (page === 2 && name === "that fails") throw new Error("The line is dead.");
      const asked = name === "that is repeated" ? 1 : page;
      const body = paged(asked, all);
      if (page === 2 && name === "that is short") body.pop();
      const counted = name === "that is missing" ? all.length + 1 : undefined;
      return { ...response, body, total: counted };
    });
    for (const { complete, gaps } of [await client.forwards.list(), await client.exposure.get()]) {
      expect(complete).toBe(false);
      expect(gaps.join(" ")).toMatch(message);
    }
  });

  test("report a drawdown without its forward, and an amount that lost digits", async () => {
    const all = await everyTrade();
    const drawdown = all.find(({ trade_type: type, status }) => type === "drawdown" && status === "Created")!;
    const client = withPages(async (page, next) => {
      const response = await next();
      const violations = [
        { field: "0.sell_amount", message: "is 1.23, which JavaScript can only represent as 1.2" },
      ];
      return { ...response, body: page === 1 ? [drawdown] : [], violations };
    });
    const { gaps, complete } = await client.forwards.list();
    expect(complete).toBe(false);
    expect(gaps).toEqual([
      `Trade ${drawdown.trade_id}: sell_amount is 1.23, which JavaScript can only represent as 1.2.`,
      `Trade ${drawdown.trade_id} is a drawdown of ${drawdown.parent_trade_id}, which is not in the list of trades.`,
    ]);
  });
});
