/** The seeded world. */
import { dayMs, isBusinessDay } from "@fxdesk/toolkit/calendars";
import { balanceAccount } from "../../../sandbox/src/world/ledger/ledger";
import { statusOf } from "../../../sandbox/src/world/model/trade";
import { spotDateAt } from "../../../sandbox/src/world/money/market-days";
import { demoWorldAt } from "../support/world";

/** Weekends, holidays and adjacent days, at different hours. */
const times = Array.from({ length: 12 }, (_, index) => new Date(Date.UTC(2026, 0, 1) + index * 30.3 * dayMs));

test.each(times)(
  "at %p has trades of every type and status on business days, and no negative balance",
  (now) => {
    const world = demoWorldAt(now, now.toISOString());
    const trades = [...world.trades.values()];
    expect(new Set(trades.map(({ type }) => type)).size).toBe(5);
    expect(new Set(trades.map(statusOf)).size).toBe(7);
    for (const { type, orderDate, maturityDate, buy, sell } of trades) {
      expect([maturityDate, isBusinessDay(maturityDate, [buy.currency, sell.currency, "USD"])]).toEqual([
        maturityDate,
        true,
      ]);
      if (type === "spot")
        expect(maturityDate).toBe(
          spotDateAt(new Date(`${orderDate}T10:00:00Z`), buy.currency, sell.currency),
        );
    }
    expect(trades.find(({ reference }) => reference === "PO-7000")).toMatchObject({ settled: false });
    for (const account of world.accounts.values()) {
      const lines = world.ledger.lines(balanceAccount(account, "InterimAvailable"));
      expect(lines.filter(({ balance }) => balance.lt(0))).toEqual([]);
      expect(lines.filter(({ entry }) => entry.bookedAt > now)).toEqual([]);
    }
  },
);

test.each([
  [7, ["spot"]],
  [30, ["forward", "ndf", "spot"]],
  [90, ["drawdown", "forward", "ndf", "spot", "window_forward"]],
])("with %d days of business it has only trades and entries of that period", (days, types) => {
  const now = new Date("2026-03-16T09:00:00Z");
  const world = demoWorldAt(now, "seed", days);
  const start = (Math.floor(now.getTime() / dayMs) - days) * dayMs;
  const lines = [...world.accounts.values()].flatMap((account) => [
    ...world.ledger.lines(balanceAccount(account, "InterimAvailable")),
  ]);
  expect(new Set([...world.trades.values()].map(({ type }) => type))).toEqual(new Set(types));
  expect(Math.min(...lines.map(({ entry }) => entry.bookedAt.getTime()))).toBe(start);
  expect(lines.filter(({ balance }) => balance.lt(0))).toEqual([]);
});

test("a payment in beneficiary validation continues a minute later", () => {
  const world = demoWorldAt(times[0]!, "seed");
  const payment = [...world.trades.values()]
    .flatMap(({ payments }) => payments)
    .find(({ status }) => status === "Validating beneficiary information")!;
  world.clock.advance(60_000);
  world.runDueEvents();
  expect(payment.status).toBe("Waiting for payment date");
});
