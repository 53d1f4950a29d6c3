/** Market hours, value dates, and spot and forward rates. */
import { Big } from "big.js";
import { nextBusinessDay, previousBusinessDay, isBusinessDay, addDays } from "@fxdesk/toolkit/calendars";
import {
  isMarketOpen,
  nextMarketOpening,
  spotDate,
  daysFromSpot,
  fixingDate,
} from "../../../sandbox/src/world/money/market-days";
import {
  fitsMinorUnits,
  roundAmount,
  formatDecimalAmount,
} from "../../../sandbox/src/world/money/currencies";
import {
  convertAmount,
  invertRate,
  Rates,
  tradedCurrencies,
  pairOf,
  randomDrift,
} from "../../../sandbox/src/world/money/fx";
import * as fc from "fast-check";
import {
  createOffer,
  createDrawdownOffer,
  type Offer,
  type PriceRequest,
} from "../../../sandbox/src/world/trades/pricing";
import { demo } from "../../../sandbox/src/world/parties/parties";
import { bookTrade } from "../../../sandbox/src/world/trades/trading";
import type { World } from "../../../sandbox/src/world/model/world";
import { worldAt } from "../support/world";

describe("the market", () => {
  test.each([
    ["2026-11-20T21:59:59Z", true, "Friday before 17:00 in New York"],
    ["2026-11-20T22:00:00Z", false, "Friday at 17:00"],
    ["2026-11-22T21:59:59Z", false, "Sunday before 17:00"],
    ["2026-11-22T22:00:00Z", true, "Sunday at 17:00"],
    ["2026-03-08T20:59:59Z", false, "the Sunday on which summer time begins"],
    ["2026-03-08T21:00:00Z", true, "its open, an hour earlier"],
    ["2026-07-17T20:59:59Z", true, "a Friday in summer"],
    ["2026-07-17T21:00:00Z", false, "its close"],
    ["2026-11-01T22:00:00Z", true, "its open"],
  ])("at %s is open: %p, %s", (time, open) => {
    expect(isMarketOpen(new Date(time))).toBe(open);
  });

  test.each([
    ["2026-11-20T22:00:00Z", "2026-11-22T22:00:00.000Z"],
    ["2026-11-22T21:59:59Z", "2026-11-22T22:00:00.000Z"],
    ["2026-03-07T12:34:56Z", "2026-03-08T21:00:00.000Z"],
    ["2026-10-31T12:34:56Z", "2026-11-01T22:00:00.000Z"],
  ])("closed at %s opens at %s", (time, opens) => {
    expect(nextMarketOpening(new Date(time)).toISOString()).toBe(opens);
  });
});

describe("business days", () => {
  test("are found forwards and backwards", () => {
    expect(nextBusinessDay("2026-12-25", ["EUR", "GBP"])).toBe("2026-12-29");
    expect(previousBusinessDay("2026-04-07", ["EUR"])).toBe("2026-04-02");
  });

  test.each([
    ["EUR", "USD", "2026-11-20", "2026-11-24", "two days on"],
    ["USD", "CAD", "2026-11-20", "2026-11-23", "one day on"],
    ["GBP", "CAD", "2026-11-20", "2026-11-24", "two for a cross"],
    ["EUR", "USD", "2026-11-25", "2026-11-27", "over a holiday of USD alone"],
    ["EUR", "GBP", "2026-11-24", "2026-11-27", "but not on it, even for a cross"],
    ["EUR", "USD", "2026-04-02", "2026-04-08", "not over a holiday of the other currency"],
  ])("spot %s/%s from %s is %s: %s", (buy, sell, from, value) => {
    expect(spotDate(from, buy, sell)).toBe(value);
  });
});

describe("rates", () => {
  const day = "2026-11-20";
  const customerRate = (buy: string, sell: string) => new Rates().customerRate(buy, sell, day);

  test.each([
    ["EUR", "GBP", "EURGBP"],
    ["USD", "GBP", "GBPUSD"],
    ["USD", "CHF", "USDCHF"],
    ["JPY", "CHF", "CHFJPY"],
    ["PLN", "USD", "USDPLN"],
    ["NZD", "GBP", "GBPNZD"],
  ])("%s and %s are quoted as %s", (buy, sell, symbol) => {
    expect(customerRate(buy, sell).symbol).toBe(symbol);
    expect(customerRate(sell, buy).symbol).toBe(symbol);
  });

  test("convert from either side and round to minor units", () => {
    const rate = { symbol: "EURJPY", rate: new Big("163.254321") };
    const eur = { amount: new Big("100.01"), currency: "EUR" };
    expect(convertAmount(eur, rate).amount.toFixed()).toBe("16327");
    expect(convertAmount({ amount: new Big(16327), currency: "JPY" }, rate).amount.toFixed()).toBe("100.01");
    expect(invertRate(rate)).toMatchObject({ symbol: "JPYEUR" });
    expect(invertRate(rate).rate.toFixed()).toBe("0.006125");
  });
});

test("amounts have the minor units of their currency", () => {
  const one = (currency: string) => formatDecimalAmount(new Big(1), currency);
  expect(["EUR", "JPY", "KWD", "CLF"].map(one)).toEqual(["1.00", "1", "1.000", "1.0000"]);
  expect(roundAmount(new Big("1.005"), "EUR").toFixed()).toBe("1.01");
  expect(formatDecimalAmount(new Big("12"), "EUR")).toBe("12.00");
  expect(fitsMinorUnits(new Big("0.5"), "JPY")).toBe(false);
});

const day = "2026-11-20";
const markets = (rates: Readonly<Record<string, string>>): Rates => {
  const market = new Rates();
  for (const [symbol, rate] of Object.entries(rates))
    market.move(symbol.slice(0, 3), symbol.slice(3), new Big(rate), day);
  return market;
};

describe("a forward rate", () => {
  // Interest: EUR 2 %, USD 3.85 %, JPY 0.75 %, GBP 3.75 %; years of 360 days, of 365 for GBP and JPY.
  test.each([
    ["EURUSD", "1.1", 0, "1.1"],
    ["EURUSD", "1.1", 90, "1.105062"],
    ["EURUSD", "1.1", 360, "1.119951"],
    ["GBPUSD", "1.3", 182, "1.300977"],
    ["USDJPY", "155", 180, "152.635063"],
  ])("of %s at %s in %i days is %s", (symbol, spot, days, forward) => {
    const market = markets({ [symbol]: spot });
    expect(market.midRate(symbol.slice(0, 3), symbol.slice(3), day, days).rate.toFixed()).toBe(forward);
  });

  const pair = fc
    .tuple(fc.constantFrom(...tradedCurrencies), fc.constantFrom(...tradedCurrencies))
    .filter(([one, other]) => one !== other);
  const terms = fc.integer({ min: 1, max: 730 });
  const close = (one: Big, other: Big) => one.minus(other).abs().div(other).toNumber();
  /** Relative size of one unit in the sixth decimal of the rates. */
  const digit = (...rates: readonly Big[]) =>
    rates.reduce((sum, rate) => sum + 1e-6 / rate.toNumber(), 1e-12);

  test("has at most six decimals, and is consistent when inverted and across a third currency", () => {
    const market = new Rates();
    fc.assert(
      fc.property(pair, fc.constantFrom(...tradedCurrencies), terms, ([one, other], third, days) => {
        const { base, quoted } = pairOf(one, other);
        const forward = market.midRate(base, quoted, day, days);
        expect(forward.rate.round(6).eq(forward.rate)).toBe(true);
        const turned = market.midRate(quoted, base, day, days);
        expect(turned.symbol).toBe(invertRate(forward).symbol);
        expect(close(turned.rate, invertRate(forward).rate)).toBeLessThanOrEqual(
          2 * digit(turned.rate, forward.rate),
        );
        const [first, second] = [
          market.midRate(base, third, day, days),
          market.midRate(third, quoted, day, days),
        ];
        expect(close(first.rate.times(second.rate), forward.rate)).toBeLessThanOrEqual(
          2 * digit(first.rate, second.rate, forward.rate),
        );
      }),
    );
  });

  test("of the customer is worse than mid on both sides, and further from spot for longer terms", () => {
    const market = new Rates();
    fc.assert(
      fc.property(terms, (days) => {
        const buying = market.customerRate("EUR", "USD", day, days).rate;
        const selling = market.customerRate("USD", "EUR", day, days).rate;
        const mid = market.midRate("EUR", "USD", day, days).rate;
        expect(buying.gt(mid) && selling.lt(mid)).toBe(true);
        expect(mid.gt(market.midRate("EUR", "USD", day, days - 1).rate)).toBe(true);
      }),
    );
  });
});

const offerIn = (world: World, terms: Partial<PriceRequest>) =>
  createOffer(world, {
    clientId: demo.clientId,
    type: "spot",
    buyCurrency: "USD",
    sellCurrency: "EUR",
    fixed: "sell",
    amount: new Big(1000),
    valueDate: undefined,
    ...terms,
  });

describe("an offer", () => {
  const world = worldAt(`${day}T10:00:00Z`);

  test.each(["forward", "window_forward", "ndf"] as const)(
    "of a %s has the rate for its value date",
    (type) => {
      const days = daysFromSpot(world.now, "USD", "EUR", "2027-02-24");
      expect(days).toBe(92);
      const { terms } = offerIn(world, { type, valueDate: "2027-02-24" });
      expect(terms.rate).toEqual(world.rates.customerRate("USD", "EUR", day, days));
      expect(terms.rate.rate.gt(offerIn(world, {}).terms.rate.rate)).toBe(true);
      expect(terms.buy.amount.toFixed(2)).toBe(terms.rate.rate.times(1000).toFixed(2));
    },
  );

  test.each([
    ["forward", "2026-11-24", false],
    ["forward", undefined, true],
    ["spot", undefined, false],
    ["spot", "2026-11-24", false],
    ["spot", "2026-12-15", true],
  ] as const)("of a %s for %s has the spot rate and date; warns: %p", (type, valueDate, warns) => {
    const { terms, warning } = offerIn(world, { type, valueDate });
    expect([terms.rate, terms.maturityDate]).toEqual([offerIn(world, {}).terms.rate, "2026-11-24"]);
    expect(warning !== undefined).toBe(warns);
  });
});

test.each([
  ["2026-11-19T21:59:59Z", "2026-11-20", "before 17:00 in New York"],
  ["2026-11-19T22:00:00Z", "2026-11-23", "after it, over a weekend"],
])("a drawdown requested at %s can settle on %s: %s", (time, value) => {
  const world = worldAt(time);
  const { terms } = offerIn(world, { type: "window_forward", valueDate: "2027-02-24" });
  const parent = bookTrade(world, { ...terms, reference: undefined });
  const request = { fixed: "sell", amount: new Big(400), valueDate: undefined } as const;
  const drawdown = createDrawdownOffer(world, parent, request) as Offer;
  expect(drawdown.terms).toMatchObject({ maturityDate: value, rate: parent.rate });
});

describe("value dates", () => {
  test.each([
    ["2026-11-20T21:59:59Z", "EUR", "2026-11-24", "before 17:00 in New York"],
    ["2026-11-20T22:00:00Z", "EUR", "2026-11-25", "after it"],
    ["2026-07-15T20:59:59Z", "EUR", "2026-07-17", "before 17:00 in its summer"],
    ["2026-07-15T21:00:00Z", "EUR", "2026-07-20", "after it"],
    ["2026-11-21T10:00:00Z", "EUR", "2026-11-25", "on a Saturday"],
    ["2026-11-24T17:59:59Z", "NZD", "2026-11-27", "before 07:00 in Auckland"],
    ["2026-11-24T18:00:00Z", "NZD", "2026-11-27", "after it, over Thanksgiving"],
    ["2026-11-18T17:59:59Z", "NZD", "2026-11-20", "before 07:00 in Auckland, in a week without holidays"],
    ["2026-11-18T18:00:00Z", "NZD", "2026-11-23", "after it"],
    ["2026-07-15T18:59:59Z", "NZD", "2026-07-17", "before 07:00 in Auckland in its winter"],
    ["2026-07-15T19:00:00Z", "NZD", "2026-07-20", "after it"],
  ])("of a deal at %s in %s against USD are %s: %s", (time, currency, value) => {
    const { terms } = offerIn(worldAt(time), { buyCurrency: currency, sellCurrency: "USD" });
    expect(terms.maturityDate).toBe(value);
  });

  test.each([
    ["2027-01-15", "USD", "INR", "2027-01-13", "two days before"],
    ["2027-01-19", "USD", "INR", "2027-01-15", "over a holiday of USD alone, which counts"],
    ["2026-11-27", "USD", "INR", "2026-11-25", "over Thanksgiving"],
    ["2027-01-04", "EUR", "INR", "2026-12-30", "over a holiday of EUR, which does not"],
    ["2026-11-27", "USD", "CAD", "2026-11-26", "one day before"],
  ])("a non-delivered trade on %s in %s and %s is fixed on %s: %s", (value, one, other, fixing) => {
    expect(fixingDate("2026-01-02", value, one, other)).toBe(fixing);
  });

  test("a non-delivered trade is fixed on the deal date or later, for every pair", () => {
    const begin = "2020-01-01";
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 10 * 366 }).map((days) => addDays(begin, days)),
        fc.uniqueArray(fc.constantFrom(...tradedCurrencies), { minLength: 2, maxLength: 2 }),
        (from, pair) => {
          const [one, other] = pair as [string, string];
          const dealt = nextBusinessDay(from, []);
          const value = spotDate(dealt, one, other);
          const fixing = fixingDate(dealt, value, one, other);
          expect(fixing >= dealt && fixing < value).toBe(true);
          // On a business day, counting back from the value date gives the deal date without the lower bound.
          fc.pre(
            isBusinessDay(
              dealt,
              pair.filter((currency) => currency !== "USD"),
            ),
          );
          expect(fixingDate(begin, value, one, other)).toBe(fixing);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe("the price path of a seed", () => {
  const days = Array.from({ length: 730 }, (_, index) => addDays("2026-01-01", index));
  const ratesOf = (seed: string, pair: readonly [string, string] = ["EUR", "USD"]) => {
    const market = new Rates(undefined, randomDrift(seed));
    return days.map((each) => market.midRate(...pair, each).rate.toNumber());
  };

  test("is the same for the same seed, and differs for another", () => {
    expect(ratesOf("one")).toEqual(ratesOf("one"));
    expect(ratesOf("one")).not.toEqual(ratesOf("two"));
  });

  test("moves by less than two percent a day, and stays near its mean", () => {
    const path = ratesOf("one");
    const moves = path.slice(1).map((rate, index) => Math.abs(rate / path[index]! - 1));
    expect(Math.min(...moves)).toBeGreaterThan(0);
    expect(Math.max(...moves)).toBeLessThan(0.02);
    const mean = path.reduce((sum, rate) => sum + rate, 0) / path.length;
    expect(Math.abs(mean / 1.0842 - 1)).toBeLessThan(0.02);
    expect(Math.max(...path) / Math.min(...path)).toBeGreaterThan(1.03);
  });

  test("does not move pegged currencies", () => {
    expect(new Set(ratesOf("one", ["USD", "AED"])).size).toBe(1);
  });
});
