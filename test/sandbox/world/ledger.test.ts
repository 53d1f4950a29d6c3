/** The ledger balances after every event. */
import * as fc from "fast-check";
import { Big } from "big.js";
import { findOrOpenAccount, availableBalance } from "../../../sandbox/src/world/accounts/accounts";
import { roundAmount } from "../../../sandbox/src/world/money/currencies";
import { dayMs, dayOf } from "@fxdesk/toolkit/calendars";
import { convertAmount, feeFor } from "../../../sandbox/src/world/money/fx";
import { receivePayment } from "../../../sandbox/src/world/trades/incoming-payments";
import { houseAccount, Ledger } from "../../../sandbox/src/world/ledger/ledger";
import { revalueAllMargins } from "../../../sandbox/src/world/trades/margin";
import { createOffer } from "../../../sandbox/src/world/trades/pricing";
import { demo } from "../../../sandbox/src/world/parties/parties";
import {
  allocateFunds,
  decidePayment,
  orderPayment,
  returnPayment,
} from "../../../sandbox/src/world/trades/payments";
import { DomainError } from "../../../sandbox/src/world/common/domain-error";
import {
  drawdownViolation,
  outstandingFunds,
  unallocatedAmount,
} from "../../../sandbox/src/world/model/trade";
import { bookTrade, cancelTrade, fundTrade } from "../../../sandbox/src/world/trades/trading";
import type { World } from "../../../sandbox/src/world/model/world";
import { checkBooks, checkLines } from "../support/check-books";
import { demoWorldAt } from "../support/world";

/** FXDESK_RUNS raises the number of runs. */
const numRuns = Number(process.env.FXDESK_RUNS ?? 100);
const currencies = ["EUR", "GBP", "USD", "JPY"] as const;

function seeded(): World {
  return demoWorldAt("2026-11-20T10:00:00Z", "books", 30);
}

/** An action, or the passage of time. Trades are picked by number. */
type Act = (world: World) => void;

const tradeAt = (world: World, number: number) => {
  const open = [...world.trades.values()].filter(({ ended }) => !ended);
  return open[number % open.length];
};

const part = (amount: Big, share: number, currency: string) => roundAmount(amount.times(share), currency);

const numbers = fc.nat(100);
const shares = fc.double({ min: 0.01, max: 1, noNaN: true });

const booking = fc
  .record({
    buyCurrency: fc.constantFrom(...currencies),
    sellCurrency: fc.constantFrom(...currencies),
    type: fc.constantFrom("spot" as const, "forward" as const),
    amount: fc.integer({ min: 1, max: 90_000 }).map((amount) => new Big(amount)),
    fixed: fc.constantFrom("buy" as const, "sell" as const),
  })
  .filter(({ buyCurrency, sellCurrency }) => buyCurrency !== sellCurrency)
  .map((inquiry): Act => (world) => {
    const { terms } = createOffer(world, { ...inquiry, clientId: demo.clientId, valueDate: "2026-12-15" });
    if (terms.sell.amount.gt(0) && terms.buy.amount.gt(0))
      bookTrade(world, { ...terms, reference: undefined });
  });

const funding = fc.tuple(numbers, shares).map(([number, share]): Act => (world) => {
  const trade = tradeAt(world, number);
  if (!trade || trade.type === "ndf") return;
  const amount = part(outstandingFunds(trade), share, trade.sell.currency);
  const account = findOrOpenAccount(world, trade, trade.sell.currency);
  if (amount.gt(0) && amount.lte(availableBalance(world, account))) fundTrade(world, trade, amount);
});

const drawing = fc.tuple(numbers, shares).map(([number, share]): Act => (world) => {
  const parent = tradeAt(world, number);
  if (!parent || (parent.type !== "forward" && parent.type !== "window_forward")) return;
  const sell = {
    amount: part(outstandingFunds(parent), share, parent.sell.currency),
    currency: parent.sell.currency,
  };
  const buy = convertAmount(sell, parent.rate);
  if (sell.amount.eq(0) || drawdownViolation(parent, sell.amount, buy.amount) !== undefined) return;
  const { clientId, rate } = parent;
  const terms = { clientId, rate, parent, sell, buy, fee: feeFor(sell), reference: undefined };
  bookTrade(world, { ...terms, type: "drawdown", maturityDate: "2026-12-01" });
});

const allocating = fc.tuple(numbers, shares).map(([number, share]): Act => (world) => {
  const trade = tradeAt(world, number);
  if (!trade || trade.type === "ndf") return;
  const amount = part(unallocatedAmount(trade), share, trade.buy.currency);
  const beneficiary = world.beneficiaries.find(({ currency }) => currency === trade.buy.currency);
  if (beneficiary && amount.gt(0)) allocateFunds(world, trade, beneficiary, amount);
});

const ordering = fc.tuple(numbers, shares).map(([number, share]): Act => (world) => {
  const trade = tradeAt(world, number);
  const beneficiary = world.beneficiaries.find(({ currency }) => currency === trade?.buy.currency);
  if (!trade || !beneficiary) return;
  const amount = part(unallocatedAmount(trade), share, trade.buy.currency);
  const today = dayOf(world.now);
  const date = trade.maturityDate < today ? today : trade.maturityDate;
  const order = { beneficiary, amount, date, contactId: demo.contactId };
  try {
    orderPayment(world, trade, order);
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof DomainError)) throw error;
  }
});

const deciding = fc.tuple(numbers, fc.boolean()).map(([number, approve]): Act => (world) => {
  const trade = tradeAt(world, number);
  const waits = trade?.payments.find(({ status }) => status === "Payment pending of authorization");
  if (!trade || !waits || waits.approvedBy.includes("contact-approver")) return;
  decidePayment(world, trade, waits, { contactId: "contact-approver", approve });
});

const returning = numbers.map((number): Act => (world) => {
  const paid = [...world.trades.values()].flatMap((trade) =>
    trade.payments
      .filter(({ status, returned }) => status === "Payment complete" && !returned)
      .map((payment) => ({ trade, payment })),
  );
  const { trade, payment } = paid[number % paid.length] ?? {};
  if (trade && payment) returnPayment(world, trade, payment);
});

const cancelling = numbers.map((number): Act => (world) => {
  const trade = tradeAt(world, number);
  if (trade && !trade.settled) cancelTrade(world, trade);
});

const receiving = fc.tuple(fc.constantFrom(...currencies), fc.integer({ min: 1, max: 500_000 })).map(
  ([currency, amount]): Act =>
    (world) =>
      receivePayment(world, findOrOpenAccount(world, demo, currency), new Big(amount), {
        reference: "IN",
        information: "Payment",
      }),
);

const moving = fc
  .tuple(fc.constantFrom("EUR", "GBP", "JPY"), fc.double({ min: 0.93, max: 1.07, noNaN: true }))
  .map(([base, change]): Act => (world) => {
    const day = dayOf(world.now);
    const { rate } = world.rates.midRate(base, "USD", day);
    world.rates.move(base, "USD", rate.times(change), day);
    revalueAllMargins(world);
  });

const waiting = fc.integer({ min: 1, max: 20 }).map(
  (days): Act =>
    (world) =>
      world.clock.advance(days * dayMs),
);

const anyAct = [
  booking,
  funding,
  drawing,
  allocating,
  ordering,
  deciding,
  returning,
  cancelling,
  receiving,
  moving,
  waiting,
];

test(
  "balances after any sequence of events",
  () => {
    const acts = fc.array(fc.oneof(...anyAct), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(acts, (sequence) => {
        const world = seeded();
        for (const act of sequence) {
          act(world);
          world.runDueEvents();
          checkBooks(world);
        }
        checkLines(world);
      }),
      { numRuns },
    );
  },
  20_000 + numRuns * 1_000,
);

describe("an entry", () => {
  const details = {
    bookedAt: new Date("2026-01-02T00:00:00Z"),
    valueAt: new Date("2026-01-02T00:00:00Z"),
    type: "credit" as const,
    kind: "transfer" as const,
    reference: "R",
    information: "I",
  };
  const account = { key: "a/InterimAvailable", currency: "JPY" };
  const posting = (amount: string, to = account) => ({ account: to, amount: new Big(amount) });
  const house = houseAccount("nostro", "JPY");
  let ledger: Ledger;
  beforeEach(() => {
    ledger = new Ledger("-line");
  });

  test("must balance in every currency", () => {
    expect(() => ledger.post(details, [posting("5"), posting("-4", house)])).toThrow("sum to 1");
    expect(() => ledger.post(details, [posting("5"), posting("-5", houseAccount("nostro", "EUR"))])).toThrow(
      "sum",
    );
  });

  test("must have no more decimals than its currency", () => {
    expect(() => ledger.post(details, [posting("0.5"), posting("-0.5", house)])).toThrow(
      "too many digits for JPY",
    );
  });

  test("adds no line if it is refused", () => {
    expect(() => ledger.post(details, [posting("5"), posting("-4", house)])).toThrow();
    expect([...ledger.lines(account)]).toEqual([]);
  });

  test("is missing from a snapshot taken before it", () => {
    ledger.post(details, [posting("5"), posting("-5", house)]);
    const before = ledger.state;
    ledger.post(details, [posting("7"), posting("-7", house)]);
    const restored = new Ledger("-line", before);
    restored.post(details, [posting("1"), posting("-1", house)]);
    expect([restored, ledger].map((each) => each.balance(account).toFixed())).toEqual(["6", "12"]);
    expect(restored.lines(account).map(({ lineId }) => lineId)).toEqual(["00000000-line", "00000002-line"]);
  });
});
