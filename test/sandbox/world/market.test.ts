/** Business days and rates. */
import { Big } from "big.js";
import { isBusinessDay, nextBusinessDay, previousBusinessDay } from "@fxdesk/toolkit/calendars";
import {
  isMarketOpen,
  nextMarketOpening,
  spotDate,
  tradingDay,
} from "../../../sandbox/src/world/money/market-days";
import { easter } from "../../../core/calendars/holiday-rules";
import {
  fitsMinorUnits,
  roundAmount,
  formatDecimalAmount,
} from "../../../sandbox/src/world/money/currencies";
import { convertAmount, invertRate, Rates, tradedCurrencies } from "../../../sandbox/src/world/money/fx";

test.each([
  ["2026-11-20T21:59:00Z", "2026-11-20"],
  ["2026-11-19T22:00:00Z", "2026-11-20"],
  ["2026-07-15T20:59:00Z", "2026-07-15"],
  ["2026-07-15T21:00:00Z", "2026-07-16"],
  ["2026-11-20T22:00:00Z", "2026-11-23"],
  ["2026-11-21T10:00:00Z", "2026-11-23"],
])("a deal at %s belongs to %s: the trading day ends at 17:00 in New York", (time, day) => {
  expect(tradingDay(new Date(time), ["EUR", "USD"])).toBe(day);
});

describe("the market", () => {
  test.each([
    ["2026-11-20T21:59:59Z", true, "Friday before 17:00 in New York"],
    ["2026-11-20T22:00:00Z", false, "Friday at 17:00"],
    ["2026-11-21T12:00:00Z", false, "Saturday"],
    ["2026-11-22T21:59:59Z", false, "Sunday before 17:00"],
    ["2026-11-22T22:00:00Z", true, "Sunday at 17:00"],
    ["2026-03-06T21:59:59Z", true, "the Friday before summer time"],
    ["2026-03-06T22:00:00Z", false, "its close"],
    ["2026-03-08T20:59:59Z", false, "the Sunday on which summer time begins"],
    ["2026-03-08T21:00:00Z", true, "its open, an hour earlier"],
    ["2026-07-17T20:59:59Z", true, "a Friday in summer"],
    ["2026-07-17T21:00:00Z", false, "its close"],
    ["2026-11-01T21:59:59Z", false, "the Sunday on which summer time ends"],
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
  test.each([
    [2024, "2024-03-31"],
    [2025, "2025-04-20"],
    [2026, "2026-04-05"],
    [2027, "2027-03-28"],
  ])("Easter %i is on %s", (year, day) => {
    expect(easter(0)(year)).toEqual([day]);
  });

  test.each([
    ["EUR", "2026-04-03", "Good Friday"],
    ["EUR", "2026-04-06", "Easter Monday"],
    ["EUR", "2026-05-01", "Labour Day"],
    ["USD", "2026-01-19", "Martin Luther King Day"],
    ["USD", "2026-11-26", "Thanksgiving"],
    ["USD", "2026-05-25", "Memorial Day"],
    ["USD", "2027-07-05", "Independence Day, moved from Sunday"],
    ["GBP", "2026-08-31", "Summer bank holiday"],
    ["GBP", "2026-12-28", "Boxing Day, moved from Saturday"],
    ["GBP", "2027-12-27", "Christmas Day, moved from Saturday"],
    ["GBP", "2027-12-28", "Boxing Day, moved from Sunday"],
    ["JPY", "2026-11-03", "Culture Day"],
    ["JPY", "2026-01-12", "Coming of Age Day"],
    ["JPY", "2026-03-20", "Vernal Equinox Day"],
    ["JPY", "2026-05-06", "Constitution Day, moved past the holidays after it"],
    ["JPY", "2026-09-22", "a day between two holidays"],
    ["JPY", "2026-12-31", "the last day of the year"],
    ["CHF", "2026-05-14", "Ascension"],
    ["CHF", "2026-05-25", "Whit Monday"],
    ["CAD", "2026-05-18", "Victoria Day"],
    ["CAD", "2026-10-12", "Thanksgiving"],
    ["CAD", "2027-12-27", "Christmas Day, moved from Saturday"],
    ["AUD", "2026-01-26", "Australia Day"],
    ["AUD", "2026-06-08", "King's Birthday"],
    ["NZD", "2026-04-27", "Anzac Day, moved from Saturday"],
    ["NZD", "2026-10-26", "Labour Day"],
    ["PLN", "2026-06-04", "Corpus Christi"],
    ["SEK", "2026-06-19", "Midsummer Eve"],
    ["NOK", "2026-04-02", "Maundy Thursday"],
    ["DKK", "2026-05-15", "the day after Ascension"],
  ])("%s does not settle on %s, %s", (currency, day) => {
    expect(isBusinessDay(day, [currency])).toBe(false);
  });

  test("US holidays on a Saturday are not moved", () => {
    expect(isBusinessDay("2026-07-03", ["USD"])).toBe(true);
  });

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

  test("have at most six decimals, and are worse than mid for the customer both ways", () => {
    for (const other of tradedCurrencies.filter((currency) => currency !== "EUR")) {
      const buying = customerRate("EUR", other);
      const selling = customerRate(other, "EUR");
      expect(buying.rate.round(6).eq(buying.rate)).toBe(true);
      expect(buying.rate.gt(selling.rate)).toBe(true);
    }
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
