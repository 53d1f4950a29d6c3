/**
 * Compares value dates, settlements and executions with the calendars of date-holidays. That library knows public and
 * bank holidays by country but no payment systems, so their differences are defined here in its own rule format.
 */
import Holidays from "date-holidays";
import * as fc from "fast-check";
import { Big } from "big.js";
import { findOrOpenAccount, moveMoney } from "../../../sandbox/src/world/accounts/accounts";
import {
  isBusinessDay,
  addDays,
  dayOf,
  parseCutOffs,
  paymentSystemOf,
  startOf,
  timeAtHour,
  weekdayOf,
  firstInstructableDay,
} from "@fxdesk/toolkit/calendars";
import { validateOrder } from "../../../core/orders/order-input";
import { checkDate, settlementDay } from "../../../core/procedures/payment-run-findings";
import type { PaymentRun } from "../../../core/procedures/payment-run-rows";
import type { OrderInput } from "../../../core/releases/terms";
import type { QuoteOperation } from "../../../core/spec/quotes";
import { latestCalendarTime } from "../../../core/watches/calendar";
import { createQuote } from "../../../sandbox/src/extensions/extension-operations";
import type { PaymentTerms } from "../../../sandbox/src/world/model/payment";
import {
  initiatePayment,
  initiationDecision,
} from "../../../sandbox/src/world/open-banking/payment-lifecycle";
import { spotDateAt } from "../../../sandbox/src/world/money/market-days";
import { holidayRules } from "../../../core/calendars/holidays";
import { chinese } from "../../../core/calendars/holiday-rules";
import { tradedCurrencies } from "../../../sandbox/src/world/money/fx";
import { balanceAccount } from "../../../sandbox/src/world/ledger/ledger";
import { createOffer } from "../../../sandbox/src/world/trades/pricing";
import { demo } from "../../../sandbox/src/world/parties/parties";
import { bookTrade } from "../../../sandbox/src/world/trades/trading";
import { worldAt } from "../support/world";

interface Known {
  /** Country and region of the holidays; undefined if all of them are listed here. */
  readonly country?: readonly [country: string, region?: string];
  /** Holidays of the country on which banks settle. */
  readonly without?: RegExp;
  /** Additional holidays of payment systems, in the library's rule format. */
  readonly more?: readonly string[];
  /** Days on which the library and the runtime's Islamic calendar disagree. */
  readonly except?: readonly string[];
  /** Default: Saturday and Sunday. */
  readonly weekend?: readonly number[];
}

const fridayAndSaturday = [5, 6];
const sundayToMonday = (day: string) => `${day} and if sunday then next monday`;

/** Excludes INR, KWD and THB, for which the library has too little data. */
const known: Readonly<Record<string, Known>> = {
  EUR: { more: ["01-01", "easter -2", "easter 1", "05-01", "12-25", "12-26"] },
  USD: {
    more: [
      ...["01-01", "06-19", "07-04", "11-11", "12-25"].map(sundayToMonday),
      "3rd monday in January",
      "3rd monday in February",
      "monday before 06-01",
      "1st monday in September",
      "2nd monday in October",
      "4th thursday in November",
    ],
  },
  GBP: { country: ["GB", "ENG"] },
  JPY: { country: ["JP"] },
  CHF: { country: ["CH", "ZH"], more: ["01-02"] },
  AUD: { country: ["AU", "NSW"], without: /^Bank Holiday|Anzac Day \(sub/ },
  NZD: { country: ["NZ"] },
  PLN: { country: ["PL"] },
  SEK: { country: ["SE"] },
  NOK: { country: ["NO"], without: /^(Julaften|Nyttårsaften)$/ },
  DKK: { country: ["DK"], more: ["easter 40", "06-05", "12-24", "12-31"] },
  CZK: { country: ["CZ"] },
  HUF: { country: ["HU"], more: ["12-24"] },
  RON: { country: ["RO"], more: ["01-02"] },
  TRY: {
    more: [
      "01-01",
      "04-23",
      "05-01",
      "05-19",
      "07-15",
      "08-30",
      "10-29",
      "1 Shawwal P3D",
      "10 Dhu al-Hijjah P4D",
    ],
  },
  ZAR: { country: ["ZA"] },
  MXN: { country: ["MX"], more: ["10-01 every 6 years since 2024"] },
  HKD: { country: ["HK"] },
  SAR: { more: ["02-22", "09-23", "1 Shawwal P4D", "9 Dhu al-Hijjah P4D"], weekend: fridayAndSaturday },
  AED: {
    more: [
      "01-01",
      "12-02",
      "12-03",
      "1 Muharram",
      "12 Rabi al-awwal",
      "1 Shawwal P3D",
      "9 Dhu al-Hijjah P4D",
    ],
    except: ["2030-05-03"],
  },
  BHD: {
    more: [
      "01-01",
      "05-01",
      "12-16",
      "12-17",
      "1 Muharram",
      "9 Muharram",
      "10 Muharram",
      "12 Rabi al-awwal",
      "1 Shawwal P3D",
      "9 Dhu al-Hijjah P4D",
    ],
    except: ["2030-05-13"],
    weekend: fridayAndSaturday,
  },
  ILS: {
    country: ["IL"],
    more: ["29 Elul", "9 Tishrei", "14 Tishrei", "21 Tishrei", "14 Nisan", "20 Nisan", "5 Sivan", "9 Av"],
    weekend: fridayAndSaturday,
  },
};

/** FXDESK_RUNS raises the number of random cases. */
const numRuns = Number(process.env.FXDESK_RUNS ?? 100);
const years = [2026, 2027, 2028, 2029, 2030, 2031];
const dayMs = 86_400_000;
/** A forward of 1,000 of the sold currency. */
const forward = {
  clientId: demo.clientId,
  type: "forward",
  fixed: "sell",
  amount: new Big(1_000),
} as const;

/** Returns the days of a year on which banks are closed according to the library. */
function closedIn(year: number, { country, without, more = [] }: Known): string[] {
  const library = country ? new Holidays(...(country as [string, string])) : new Holidays();
  for (const rule of more) library.setHoliday(rule, { name: { en: rule }, type: "public" });
  return library
    .getHolidays(year)
    .filter(({ type, name }) => /^(public|bank)$/.test(type) && !without?.test(name))
    .flatMap(({ date, start, end }) =>
      Array.from({ length: Math.max(1, Math.round((Number(end) - Number(start)) / dayMs)) }, (_, n) =>
        addDays(date.slice(0, 10), n),
      ),
    );
}

const calendars = new Map(
  Object.entries(known).map(([currency, calendar]) => [
    currency,
    { ...calendar, closed: new Set(years.flatMap((year) => closedIn(year, calendar))) },
  ]),
);
const currencies = [...calendars.keys()];

/** True if all the currencies settle on a day according to the library. */
const isOpen = (day: string, ...wanted: readonly string[]): boolean =>
  wanted.every((currency) => {
    const { closed, weekend = [0, 6] } = calendars.get(currency)!;
    return !weekend.includes(weekdayOf(day)) && !closed.has(day);
  });

const nextOpen = (day: string, ...wanted: readonly string[]): string =>
  isOpen(day, ...wanted) ? day : nextOpen(addDays(day, 1), ...wanted);

const daysOf = (year: number) =>
  Array.from({ length: 365 }, (_, n) => addDays(`${year}-01-01`, n)).filter((day) => day < `${year + 1}`);

test.each(currencies)("%s settles on the same days as in the library", (currency) => {
  const { except = [] } = calendars.get(currency)!;
  const others = years
    .flatMap(daysOf)
    .filter((day) => isBusinessDay(day, [currency]) !== isOpen(day, currency) && !except.includes(day));
  expect(others).toEqual([]);
});

test.each([
  ["2012", "2012-08-17", 7],
  ["2018", "2018-11-08", 10],
  ["2027", "2027-02-06", 1],
  ["2030", "2030-02-03", 1],
])("in %s a Chinese month begins on %s, with a new moon near midnight", (year, day, month) => {
  expect(chinese([month, 1])(Number(year))).toEqual([day]);
});

test("every traded currency has a calendar", () => {
  expect(tradedCurrencies.filter((currency) => !(currency in holidayRules))).toEqual([]);
});

describe("by the library's calendar", () => {
  const drawn = fc.constantFrom(...currencies.filter((currency) => !calendars.get(currency)!.except));
  const pair = fc.tuple(drawn, drawn).filter(([one, other]) => one !== other);
  const day = fc.integer({ min: 0, max: 365 * 5 }).map((n) => addDays("2026-01-05", n));
  const market = day.filter((each) => weekdayOf(each) % 6 !== 0);
  const hour = fc.integer({ min: 0, max: 20 });
  const timeOf = (at: number) => `${String(at).padStart(2, "0")}:00`;

  /** Two business days against USD, one for TRY, then the next day on which all settle. */
  function spotOf(from: string, buy: string, sell: string): string {
    const legs = [buy, sell]
      .filter((currency) => currency !== "USD")
      .map((currency) => {
        let value = from;
        for (let left = currency === "TRY" ? 1 : 2; left > 0; left -= 1)
          value = nextOpen(addDays(value, 1), currency);
        return nextOpen(value, currency, "USD");
      });
    return nextOpen(legs.toSorted().at(-1)!, buy, sell, "USD");
  }

  test("spot and forward value dates match the library", () => {
    const world = worldAt("2026-01-05T10:00:00Z", "dates");
    fc.assert(
      fc.property(pair, market, ([buy, sell], from) => {
        // The market day ends at 17:00 in New York.
        expect(spotDateAt(timeAtHour(from, 12), buy, sell)).toBe(spotOf(from, buy, sell));
      }),
      { numRuns },
    );
    const asked = day.filter((each) => each > "2026-02-01");
    fc.assert(
      fc.property(pair, asked, ([buyCurrency, sellCurrency], valueDate) => {
        const { terms } = createOffer(world, { ...forward, buyCurrency, sellCurrency, valueDate });
        expect(terms.maturityDate).toBe(nextOpen(valueDate, buyCurrency, sellCurrency, "USD"));
      }),
      { numRuns },
    );
  });

  test("trades funded at random times settle on the first day on which all banks are open", () => {
    const world = worldAt("2026-01-05T10:00:00Z", "late");
    const cases = fc.sample(fc.tuple(pair, day, fc.integer({ min: -30, max: 180 })), Math.ceil(numRuns / 4));
    const settled = cases.map(([[buyCurrency, sellCurrency], asked, hoursLate], index) => {
      // A separate company, so that no other payment funds the trade.
      const clientId = `client-${index}`;
      const inquiry = { clientId, type: "forward", fixed: "sell", amount: new Big(100_000) } as const;
      const valueDate = asked < "2026-01-20" ? "2026-01-20" : asked;
      const { terms } = createOffer(world, { ...inquiry, buyCurrency, sellCurrency, valueDate });
      const trade = bookTrade(world, { ...terms, type: "drawdown", reference: undefined });
      const { maturityDate, tradeId: reference } = trade;
      const paidAt = new Date(timeAtHour(maturityDate, 15).getTime() + hoursLate * 3_600_000 - 60_000);
      const account = findOrOpenAccount(world, { clientId }, sellCurrency);
      const information = `Payment of ${reference}`;
      world.scheduledEvents.schedule(paidAt, "money-comes-in", account, trade.sell.amount, {
        reference,
        information,
      });
      return { trade, paidAt, parties: [buyCurrency, sellCurrency, "USD"] };
    });
    world.runEventsUntil(new Date("2032-01-31T00:00:00Z"));
    for (const { trade, paidAt, parties } of settled) {
      const account = findOrOpenAccount(world, trade, trade.buy.currency);
      const lines = [...world.ledger.lines(balanceAccount(account, "InterimAvailable"))];
      const proceeds = lines.find(
        ({ entry, amount }) => entry.reference === trade.tradeId && amount.eq(trade.buy.amount),
      )!;
      const from = paidAt > timeAtHour(dayOf(paidAt), 15) ? addDays(dayOf(paidAt), 1) : dayOf(paidAt);
      const first = from > trade.maturityDate ? from : trade.maturityDate;
      expect([trade.tradeId, dayOf(proceeds.entry.bookedAt)]).toEqual([
        trade.tradeId,
        nextOpen(first, ...parties),
      ]);
    }
  });

  test("payments execute on the next possible open day, instant ones at once", () => {
    const cutOffs = {
      "sepa-credit-transfers": 14,
      "target-2-payments": 16,
      "cross-border-credit-transfers": 15,
    };
    const product = fc.constantFrom(...(Object.keys(cutOffs) as (keyof typeof cutOffs)[]));
    fc.assert(
      fc.property(product, day, hour, fc.integer({ min: 0, max: 40 }), (name, given, at, ahead) => {
        const asked = addDays(given, ahead);
        const tooLate = asked === given && at >= cutOffs[name];
        const found = firstInstructableDay(
          paymentSystemOf("EUR", `pain.001-${name}`),
          timeAtHour(given, at),
          asked,
        );
        expect(found).toBe(nextOpen(tooLate ? addDays(asked, 1) : asked, "EUR"));
        expect(
          firstInstructableDay(
            paymentSystemOf("EUR", "instant-sepa-credit-transfers"),
            timeAtHour(given, at),
            given,
          ),
        ).toBe(given);
      }),
      { numRuns },
    );
    fc.assert(
      fc.property(drawn, day, hour, (currency, given, at) => {
        const system = paymentSystemOf(currency, "cross-border-credit-transfers");
        const { businessDaysBefore: before, at: until } = system.cutOff!;
        const found = firstInstructableDay(system, timeAtHour(given, at), given);
        expect(isOpen(found, currency)).toBe(true);
        const missed = timeOf(at) >= until || !isOpen(given, currency);
        const first = missed ? nextOpen(addDays(given, 1), currency) : given;
        expect(found).toBe(before === 0 ? first : nextOpen(addDays(first, 1), currency));
      }),
      { numRuns },
    );
  });

  test("payment runs, orders and the calendar watch give the days on which the sandbox pays and settles", () => {
    // As docs/sandbox-rules.md lists them.
    const sameDay = { GBP: 15, EUR: 15, USD: 18, CAD: 18, MXN: 17, CHF: 13, ILS: 10, ZAR: 12, TRY: 11 };
    const previousDay = ["AED", "AUD", "HKD", "JPY", "KWD", "NZD", "SGD"];
    const cutOffs = parseCutOffs(
      [
        "SEPA 14:00 UTC, TARGET2 16:00 UTC",
        ...Object.entries(sameDay).map(([currency, until]) => `${currency} ${until}:00 UTC`),
        ...previousDay.map((currency) => `${currency} 14:00 UTC the day before`),
      ].join(", "),
    );
    const products = ["sepa", "instant-sepa"].map((name) => `${name}-credit-transfers`);
    const payment = fc.oneof(
      fc.record({
        currency: fc.constant("EUR"),
        product: fc.constantFrom(...products, "target-2-payments"),
      }),
      fc.record({
        currency: fc.constantFrom(...Object.keys(sameDay), ...previousDay),
        product: fc.constant("cross-border-credit-transfers"),
      }),
    );
    const world = worldAt("2026-01-05T00:00:00Z", "days");
    const hoursOn = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(payment, hoursOn, fc.integer({ min: 0, max: 9 }), ({ currency, product }, hours, ahead) => {
        world.runEventsUntil(new Date(world.now.getTime() + hours * 3_600_000));
        const date = addDays(dayOf(world.now), ahead);
        const run = { product, date, rows: [{ currency }] } as unknown as PaymentRun;
        const settles = settlementDay(run, world.now, cutOffs);
        const { findings, notChecked } = checkDate(run, world.now, cutOffs);
        const isAlwaysOpen = product === "instant-sepa-credit-transfers";
        const isClosed = !isAlwaysOpen && !isBusinessDay(date, [currency]);
        const code = isClosed ? "date_closed" : "cut_off_passed";
        expect(findings.map((each) => each.code)).toEqual(settles === date ? [] : [code]);
        expect(notChecked).toEqual([]);
        expect(checkDate(run, world.now, parseCutOffs()).notChecked).toHaveLength(isAlwaysOpen ? 0 : 1);

        const account = findOrOpenAccount(world, { clientId: demo.clientId }, currency);
        moveMoney(world, account, new Big(10), "nostro", {
          type: "incoming",
          reference: "in",
          information: "in",
        });
        const transfer = { amount: { amount: new Big(1), currency }, creditorName: "A", creditorAccount: {} };
        const { paymentId, ...paid } = initiatePayment(world, {
          client: { clientId: demo.clientId },
          product,
          account,
          transfers: [transfer],
          requestedAt: startOf(date),
        } as unknown as PaymentTerms);
        expect(paid.status).toBe("RCVD");
        initiationDecision.decide(world, paymentId, true);
        const statusAt = (end: string) => {
          world.runEventsUntil(new Date(startOf(end).getTime() - 1));
          return world.openBanking.payments.get(paymentId)!.status;
        };
        if (settles > dayOf(world.now)) expect(statusAt(settles)).toBe("ACTC");
        expect(statusAt(addDays(settles, 1))).not.toBe("ACTC");

        const when = { when: "working_days", at: "00:00", zone: "UTC", currencies: currency } as const;
        const reached = latestCalendarTime(when, startOf(date).getTime())?.day === date;
        expect(reached).toBe(isBusinessDay(date, [currency]));
      }),
      { numRuns },
    );
    fc.assert(
      fc.property(pair, fc.integer({ min: 10, max: 200 }), ([buyCurrency, sellCurrency], ahead) => {
        const valueDate = addDays(dayOf(world.now), ahead);
        const { terms } = createOffer(world, { ...forward, buyCurrency, sellCurrency, valueDate });
        const order = { buy_currency: buyCurrency, sell_currency: sellCurrency, value_date: valueDate };
        const refused = validateOrder(
          {
            ...order,
            amount: "1000",
            fixed_side: "sell",
            trade_type: "forward",
            valid_until: "1 hour",
          } as OrderInput,
          createQuote as QuoteOperation,
        );
        expect(refused.map(({ field }) => field)).toEqual(
          terms.maturityDate === valueDate ? [] : ["value_date"],
        );
      }),
      { numRuns },
    );
  });
});
