/** Exchange rates, quoted by market convention. */
import { Big } from "big.js";
import { larger, type Money, roundAmount } from "./currencies";
import { addDays, dayMs, startOf } from "@fxdesk/toolkit/calendars";
import { DomainError } from "../common/domain-error";
import { Random } from "../common/random";

/** Returns a function that caches its results. */
function memoize<Value>(compute: (key: string) => Value): (key: string) => Value {
  const results = new Map<string, Value>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    results.set(key, value);
    return value;
  };
}

interface Currency {
  /** Mean mid-market price in USD, around which the market moves. */
  readonly inUsd: string;
  /** Simple annual interest rate as a fraction, and the days of its year. */
  readonly interest: readonly [rate: string, daysInYear: number];
}

/** Demo data. */
const currencies: Readonly<Record<string, Currency>> = {
  EUR: { inUsd: "1.0842", interest: ["0.02", 360] },
  GBP: { inUsd: "1.2715", interest: ["0.0375", 365] },
  AUD: { inUsd: "0.6583", interest: ["0.036", 365] },
  NZD: { inUsd: "0.6021", interest: ["0.0225", 365] },
  USD: { inUsd: "1", interest: ["0.0385", 360] },
  CAD: { inUsd: "0.7312", interest: ["0.0225", 365] },
  CHF: { inUsd: "1.1290", interest: ["0", 360] },
  NOK: { inUsd: "0.0931", interest: ["0.04", 360] },
  SEK: { inUsd: "0.0948", interest: ["0.0175", 360] },
  DKK: { inUsd: "0.1454", interest: ["0.016", 360] },
  PLN: { inUsd: "0.2519", interest: ["0.045", 365] },
  CZK: { inUsd: "0.0431", interest: ["0.035", 360] },
  HUF: { inUsd: "0.00271", interest: ["0.065", 360] },
  ZAR: { inUsd: "0.0547", interest: ["0.07", 365] },
  SGD: { inUsd: "0.7441", interest: ["0.0125", 365] },
  HKD: { inUsd: "0.1281", interest: ["0.03", 365] },
  CNY: { inUsd: "0.1383", interest: ["0.015", 360] },
  INR: { inUsd: "0.01193", interest: ["0.055", 365] },
  MXN: { inUsd: "0.0541", interest: ["0.0725", 360] },
  RON: { inUsd: "0.2179", interest: ["0.065", 360] },
  TRY: { inUsd: "0.0291", interest: ["0.38", 365] },
  THB: { inUsd: "0.0276", interest: ["0.0175", 365] },
  ILS: { inUsd: "0.2704", interest: ["0.04", 365] },
  AED: { inUsd: "0.272294", interest: ["0.0385", 360] },
  SAR: { inUsd: "0.266667", interest: ["0.041", 360] },
  KWD: { inUsd: "3.2563", interest: ["0.0375", 360] },
  BHD: { inUsd: "2.65957", interest: ["0.05", 360] },
  JPY: { inUsd: "0.006612", interest: ["0.0075", 365] },
};

export const tradedCurrencies: readonly string[] = Object.keys(currencies);

/** Order in which currencies become the base of a pair; the others follow alphabetically, and JPY is last. */
const baseOrder = ["EUR", "GBP", "AUD", "NZD", "USD", "CAD", "CHF"];

const baseRank = (currency: string) => {
  const index = baseOrder.indexOf(currency);
  return index < 0 ? baseOrder.length + Number(currency === "JPY") : index;
};

/**
 * One unit of the base is worth `rate` of the quote currency. `symbol` is base and quote, for example EURUSD.
 */
export interface Rate {
  readonly symbol: string;
  readonly rate: Big;
}

const rateDigits = 6;
const roundRate = (value: Big) => value.round(rateDigits, Big.roundHalfUp);

/** Margin of the bank: widens the mid rate against the customer. */
const spread = new Big("0.0015");

/** Currencies with a fixed price in USD. */
const pegged: ReadonlySet<string> = new Set(["USD", "AED", "SAR", "BHD"]);

/** Default market: slow and fast waves of up to three percent, with a phase per currency. */
function waveDrift(currency: string, day: string): Big {
  if (pegged.has(currency)) return new Big(1);
  const days = startOf(day).getTime() / dayMs;
  const phase = currency.charCodeAt(0) + 7 * currency.charCodeAt(1) + 13 * currency.charCodeAt(2);
  return new Big(
    (1 + 0.02 * Math.sin(days / 41 + phase) + 0.01 * Math.sin(days / 6.3 + 2 * phase)).toFixed(6),
  );
}

/** Price of a currency on a day relative to its mean, as a factor. */
type PriceDrift = (currency: string, day: string) => Big;

/**
 * Each day moves a price by up to `maxDailyMove`; the effect decays daily and is dropped after `daysOfNews`.
 */
const maxDailyMove = 0.006;
const dailyDecay = 0.95;
const daysOfNews = 90;

/** Returns a random, mean-reverting price path derived from the seed. */
export function randomDrift(seed: string): PriceDrift {
  const news = memoize((key: string) => maxDailyMove * (2 * new Random(`${seed}/market/${key}`).next() - 1));
  const drift = memoize((key: string) => {
    const [currency, day] = [key.slice(0, 3), key.slice(3)];
    let distance = 0;
    for (let ago = daysOfNews; ago >= 0; ago -= 1)
      distance = distance * dailyDecay + news(currency + addDays(day, -ago));
    return new Big((1 + distance).toFixed(6));
  });
  return (currency, day) => (pegged.has(currency) ? new Big(1) : drift(currency + day));
}

/** Returns the growth of one unit over some days, multiplied by the days of the year. */
const growthOverDays = (daysInYear: number, rate: string, days: number) =>
  new Big(rate).times(days).plus(daysInYear);

/**
 * Returns the value of one unit of the base some days after spot, by interest rate parity: the spot rate times the
 * growth of the quote currency divided by that of the base. Computed as one fraction, because dividing decimals is
 * slow.
 */
function forwardRate(
  baseInUsd: Big,
  quotedInUsd: Big,
  base: string,
  quoted: string,
  daysFromSpot: number,
): Big {
  const [baseRate, baseYear] = currencies[base]!.interest;
  const [quotedRate, quotedYear] = currencies[quoted]!.interest;
  const numerator = baseInUsd.times(growthOverDays(quotedYear, quotedRate, daysFromSpot)).times(baseYear);
  return numerator.div(quotedInUsd.times(growthOverDays(baseYear, baseRate, daysFromSpot)).times(quotedYear));
}

/** Returns two currencies as a pair in market order. */
export function pairOf(one: string, other: string): { base: string; quoted: string } {
  const inOrder = baseRank(one) !== baseRank(other) ? baseRank(one) < baseRank(other) : one < other;
  return inOrder ? { base: one, quoted: other } : { base: other, quoted: one };
}

/** Limit of manual moves away from the mean, up or down. */
const maxMoveFactor = 10;

/** Exchange rates by day: the default waves or a given path, adjusted by manual moves. */
export class Rates {
  constructor(
    /** Factors of manual moves, by currency. */
    readonly state = new Map<string, Big>(),
    private readonly driftOf: PriceDrift = waveDrift,
  ) {}

  #moveFactor(currency: string): Big {
    return this.state.get(currency) ?? new Big(1);
  }

  #usdPrice(currency: string, day: string): Big {
    const mean = new Big(currencies[currency]!.inUsd);
    return mean.times(this.driftOf(currency, day)).times(this.#moveFactor(currency));
  }

  /** Returns the value of one unit of the base some days after spot. */
  #forward(base: string, quoted: string, day: string, daysFromSpot: number): Big {
    return forwardRate(this.#usdPrice(base, day), this.#usdPrice(quoted, day), base, quoted, daysFromSpot);
  }

  /** Returns the mid rate for value at spot or some days after it. */
  midRate(base: string, quoted: string, day: string, daysFromSpot = 0): Rate {
    return { symbol: base + quoted, rate: roundRate(this.#forward(base, quoted, day, daysFromSpot)) };
  }

  /** Returns the rate at which the customer buys a currency with another, including the bank's margin. */
  customerRate(buyCurrency: string, sellCurrency: string, day: string, daysFromSpot = 0): Rate {
    const { base, quoted } = pairOf(buyCurrency, sellCurrency);
    const mid = this.#forward(base, quoted, day, daysFromSpot);
    const against = base === buyCurrency ? spread.plus(1) : new Big(1).minus(spread);
    return { symbol: base + quoted, rate: roundRate(mid.times(against)) };
  }

  /**
   * Moves the market so that one unit of the base is worth `rate` on a day; later days move by the same factor. The base moves
   * against all other currencies; if it is USD, the quote currency moves instead. Throws a DomainError if the move is
   * too large.
   */
  move(base: string, quoted: string, rate: Big, day: string): void {
    const change = rate.div(this.#usdPrice(base, day).div(this.#usdPrice(quoted, day)));
    const [currency, moved] =
      base === "USD"
        ? [quoted, this.#moveFactor(quoted).div(change)]
        : [base, this.#moveFactor(base).times(change)];
    if (moved.gt(maxMoveFactor) || moved.lt(1 / maxMoveFactor))
      throw new DomainError(
        "rate-too-far",
        `${currency} can be moved by a factor of at most ${maxMoveFactor}, up or down.`,
      );
    this.state.set(currency, moved);
  }
}

/** Returns the rate seen from the other currency. */
export const invertRate = ({ symbol, rate }: Rate): Rate => ({
  symbol: symbol.slice(3) + symbol.slice(0, 3),
  rate: roundRate(new Big(1).div(rate)),
});

/** Converts an amount to the other currency of the pair, rounded to minor units. */
export function convertAmount({ amount, currency }: Money, { symbol, rate }: Rate): Money {
  const fromBase = symbol.startsWith(currency);
  const into = fromBase ? symbol.slice(3) : symbol.slice(0, 3);
  return { amount: roundAmount(fromBase ? amount.times(rate) : amount.div(rate), into), currency: into };
}

const feeShare = new Big("0.0002");
const minFee = new Big(1);

/** Returns the bank's fee for a trade, in the currency sold. */
export const feeFor = (sell: Money): Money => ({
  amount: roundAmount(larger(sell.amount.times(feeShare), minFee), sell.currency),
  currency: sell.currency,
});
