/** Margin on forwards. */
import * as fc from "fast-check";
import { Big } from "big.js";
import { findOrOpenAccount, availableBalance, moveMoney } from "../../../sandbox/src/world/accounts/accounts";
import { daysFromSpot } from "../../../sandbox/src/world/money/market-days";
import { dayMs, dayOf } from "@fxdesk/toolkit/calendars";
import { receivePayment } from "../../../sandbox/src/world/trades/incoming-payments";
import { balanceAccount, type Bucket } from "../../../sandbox/src/world/ledger/ledger";
import { initialMargin, lossLevels, revalueAllMargins } from "../../../sandbox/src/world/trades/margin";
import { demo } from "../../../sandbox/src/world/parties/parties";
import type { Trade } from "../../../sandbox/src/world/model/trade";
import { bookTrade, cancelTrade, fundTrade } from "../../../sandbox/src/world/trades/trading";
import type { World } from "../../../sandbox/src/world/model/world";
import { worldAt } from "../support/world";

describe("a loss of the threshold", () => {
  const booked = { symbol: "GBPUSD", rate: new Big("1.3") };
  test.each([
    ["USD", "1.268293", 0],
    ["USD", "1.268292", 1],
  ])("selling %s at 1.3 with the market at %s is reached %i times", (sold, market, times) => {
    expect(lossLevels(sold, booked, new Big(market))).toBe(times);
  });

  test("is reached at exactly a fortieth of any rate", () => {
    const millionths = fc.bigInt({ min: 1_000n, max: 400_000_000n });
    const asRate = (value: bigint) => new Big(value.toString()).div(1_000_000);
    fc.assert(
      fc.property(millionths, millionths, (then, now) => {
        const levels = lossLevels("GBP", { symbol: "GBPUSD", rate: asRate(then) }, asRate(now));
        expect(levels >= 0).toBe(now > then);
        for (const level of [1n, 2n])
          expect(levels >= Number(level)).toBe(40n * (now - then) >= level * then);
        const exact = then * 40n;
        expect(lossLevels("GBP", { symbol: "GBPUSD", rate: asRate(exact) }, asRate(exact + then))).toBe(1);
      }),
    );
  });
});

let world: World;
let trade: Trade;

const gbp = () => findOrOpenAccount(world, demo, "GBP");
const held = (bucket: Bucket) => world.ledger.balance(balanceAccount(gbp(), bucket)).toFixed();
const maturityDate = "2027-02-01";

/** Moves the market to a rate of GBP for the trade's maturity, with interest of 3.75 and 3.85 %. */
function moveForward(rate: string, time: Date): void {
  const days = daysFromSpot(time, "GBP", "USD", maturityDate);
  const growth = (interest: string, year: number) => new Big(interest).times(days).div(year).plus(1);
  const spot = new Big(rate).times(growth("0.0375", 365)).div(growth("0.0385", 360));
  world.rates.move("GBP", "USD", spot, dayOf(time));
}

const market = (rate: string) => {
  moveForward(rate, world.now);
  revalueAllMargins(world);
};
const advanceDays = (days: number, rate: string) => {
  for (let day = 0; day < days; day += 1) {
    world.clock.advance(dayMs);
    moveForward(rate, world.clock.now());
    world.runDueEvents();
  }
};
const payIn = (amount: number) =>
  receivePayment(world, gbp(), new Big(amount), { reference: "FUNDS", information: "Funds" });

beforeEach(() => {
  world = worldAt("2026-11-02T10:00:00Z", "margin");
  moveForward("1.3", world.now);
  trade = bookTrade(world, {
    clientId: demo.clientId,
    type: "forward",
    sell: { amount: new Big(100_000), currency: "GBP" },
    buy: { amount: new Big(130_000), currency: "USD" },
    rate: { symbol: "GBPUSD", rate: new Big("1.3") },
    fee: { amount: new Big(20), currency: "GBP" },
    maturityDate,
    reference: undefined,
  });
});

const spot = (reference?: string) =>
  bookTrade(world, {
    clientId: demo.clientId,
    type: "spot",
    sell: { amount: new Big(5_000), currency: "GBP" },
    buy: { amount: new Big(6_500), currency: "USD" },
    rate: { symbol: "GBPUSD", rate: new Big("1.3") },
    fee: { amount: new Big(0), currency: "GBP" },
    maturityDate: "2026-11-04",
    reference,
  });

test("does not use the same money for a call and a trade", () => {
  const due = spot();
  advanceDays(2, "1.3");
  market("1.3325");
  payIn(3_000);
  expect([held("MarginCall"), held("InitialMargin"), due.funded.toFixed()]).toEqual(["0", "2500", "500"]);
});

test("funds the trade that a payment references, even before maturity", () => {
  const [named, other] = [spot("INV-7"), spot("INV-8")];
  receivePayment(world, gbp(), new Big(6_000), { reference: "INV-7", information: "Payment" });
  expect([named.funded.toFixed(), other.funded.toFixed(), availableBalance(world, gbp()).toFixed()]).toEqual([
    "5000",
    "0",
    "1000",
  ]);
});

test("measures the loss against the rate for the maturity, not the spot rate", () => {
  world.rates.move("GBP", "USD", new Big("1.3325"), dayOf(world.now));
  expect(world.rates.midRate("GBP", "USD", dayOf(world.now), 89).rate.gt("1.3325")).toBe(true);
  world.rates.move("GBP", "USD", new Big("1.3324"), dayOf(world.now));
  revalueAllMargins(world);
  expect(held("MarginCall")).toBe("2500");
});

test("makes a call of a Friday due on the following Tuesday", () => {
  payIn(50_000);
  advanceDays(4, "1.3");
  expect([world.now.getUTCDay(), held("InitialMargin")]).toEqual([5, "5000"]);
  market("1.34");
  expect(trade.calls.map(({ dueDate }) => dueDate)).toEqual(["2026-11-10"]);
});

test.each([
  ["2026-11-04", "2026-11-03"],
  ["2026-11-05", "2026-11-04"],
  ["2027-02-01", "2026-11-04"],
])("the deposit of a forward to %s is due on %s, before maturity", (maturity, dueDate) => {
  expect(initialMargin({ ...trade, maturityDate: maturity }, "2026-11-02")?.dueDate).toBe(dueDate);
});

const draw = (sell: string, buy: string) =>
  bookTrade(world, {
    clientId: demo.clientId,
    type: "drawdown",
    parent: trade,
    sell: { amount: new Big(sell), currency: "GBP" },
    buy: { amount: new Big(buy), currency: "USD" },
    rate: trade.rate,
    fee: { amount: new Big(0), currency: "GBP" },
    maturityDate: "2026-11-09",
    reference: undefined,
  });

test("collects no deposit for amounts drawn and settled before it was paid", () => {
  const drawdown = draw("40000", "52000");
  payIn(1_000);
  advanceDays(6, "1.3");
  moveMoney(world, gbp(), new Big(39_000), "nostro", {
    type: "incoming",
    reference: "IN",
    information: "In",
  });
  fundTrade(world, drawdown, new Big(40_000));
  advanceDays(2, "1.3");
  expect([drawdown.settled, held("InitialMargin")]).toEqual([true, "0"]);
  payIn(10_000);
  advanceDays(1, "1.3");
  expect(held("InitialMargin")).toBe("3000");
  advanceDays(1, "1.3");
  expect(held("InitialMargin")).toBe("3000");
});

/** An action, and the MarginCall and InitialMargin balances after it. */
type Step = readonly [act: () => unknown, called: string, deposited: string];

test.each<[string, readonly Step[]]>([
  [
    "collects the deposit on its due date, or as soon as funds suffice",
    [
      [() => advanceDays(3, "1.3"), "0", "0"],
      [() => payIn(6_000), "0", "0"],
      [() => advanceDays(1, "1.3"), "0", "5000"],
    ],
  ],
  [
    "calls until incoming money pays the call",
    [
      [() => market("1.332499"), "0", "0"],
      [() => market("1.3325"), "2500", "0"],
      [() => payIn(2_499), "2500", "0"],
      [() => payIn(1), "0", "2500"],
    ],
  ],
  [
    "makes each call due two business days later, regardless of later calls",
    [
      [() => payIn(50_000), "0", "0"],
      [() => market("1.3325"), "2500", "0"],
      [() => advanceDays(1, "1.3325"), "2500", "0"],
      [() => market("1.365"), "5000", "0"],
      [() => advanceDays(2, "1.365"), "2500", "7500"],
      [() => advanceDays(1, "1.365"), "0", "10000"],
    ],
  ],
  [
    "calls more as the market moves further, and returns all of it when the loss is gone",
    [
      [() => market("1.3325"), "2500", "0"],
      [() => payIn(2_500), "0", "2500"],
      [() => market("1.37"), "2500", "2500"],
      [() => market("1.31"), "2500", "2500"],
      [() => market("1.3"), "0", "0"],
    ],
  ],
  [
    "returns everything for a cancelled trade",
    [
      [() => market("1.37"), "5000", "0"],
      [() => payIn(10_000), "0", "5000"],
      [() => advanceDays(3, "1.37"), "0", "10000"],
      [() => cancelTrade(world, trade), "0", "0"],
    ],
  ],
  [
    "returns the deposit in parts as drawdowns settle, and the rest at the end",
    [
      [() => payIn(150_000), "0", "0"],
      [() => advanceDays(3, "1.3"), "0", "5000"],
      [() => draw("33333.33", "43333.33"), "0", "5000"],
      [() => advanceDays(5, "1.3"), "0", "3333.33"],
      [() => advanceDays(90, "1.3"), "0", "0"],
    ],
  ],
  [
    "calls for the unsettled amount only, and returns it once all is drawn and settled",
    [
      [() => payIn(200_000), "0", "0"],
      [() => draw("60000", "78000"), "0", "0"],
      [() => market("1.3325"), "2500", "0"],
      [() => advanceDays(10, "1.3325"), "0", "4500"],
      [() => market("1.37"), "0", "4500"],
      [() => market("1.4"), "500", "4500"],
      [() => draw("40000", "52000"), "500", "4500"],
      [() => advanceDays(1, "1.4"), "0", "0"],
    ],
  ],
])("%s", (_what, steps) => {
  for (const [act, called, deposited] of steps) {
    act();
    expect([held("MarginCall"), held("InitialMargin")]).toEqual([called, deposited]);
  }
});
