/** Exchange rates, quoted by market convention. */
import { Big } from "big.js";
import { larger, type Money, roundAmount } from "./currencies";
import { addDays, dayMs, startOf } from "@fxdesk/toolkit/calendars";
import { DomainError } from "../common/domain-error";
import { Random } from "../common/random";
import { memoize } from "../common/memoize";

/** Mean mid-market prices in USD, around which the market moves. Demo data. */
const usdPerUnit: Readonly<Record<string, string>> = {
  EUR: "1.0842",
  GBP: "1.2715",
  AUD: "0.6583",
  NZD: "0.6021",
  USD: "1",
  CAD: "0.7312",
  CHF: "1.1290",
  NOK: "0.0931",
  SEK: "0.0948",
  DKK: "0.1454",
  PLN: "0.2519",
  CZK: "0.0431",
  HUF: "0.00271",
  ZAR: "0.0547",
  SGD: "0.7441",
  HKD: "0.1281",
  CNY: "0.1383",
  INR: "0.01193",
  MXN: "0.0541",
  RON: "0.2179",
  TRY: "0.0291",
  THB: "0.0276",
  ILS: "0.2704",
  AED: "0.272294",
  SAR: "0.266667",
  KWD: "3.2563",
  BHD: "2.65957",
  JPY: "0.006612",
};

/** Simple annual interest rate as a fraction, and the days of its year. Demo data. */
const interestRates: Readonly<Record<string, readonly [rate: string, daysInYear: number]>> = {
  EUR: ["0.02", 360],
  GBP: ["0.0375", 365],
  AUD: ["0.036", 365],
  NZD: ["0.0225", 365],
  USD: ["0.0385", 360],
  CAD: ["0.0225", 365],
  CHF: ["0", 360],
  NOK: ["0.04", 360],
  SEK: ["0.0175", 360],
  DKK: ["0.016", 360],
  PLN: ["0.045", 365],
  CZK: ["0.035", 360],
  HUF: ["0.065", 360],
  ZAR: ["0.07", 365],
  SGD: ["0.0125", 365],
  HKD: ["0.03", 365],
  CNY: ["0.015", 360],
  INR: ["0.055", 365],
  MXN: ["0.0725", 360],
  RON: ["0.065", 360],
  TRY: ["0.38", 365],
  THB: ["0.0175", 365],
  ILS: ["0.04", 365],
  AED: ["0.0385", 360],
  SAR: ["0.041", 360],
  KWD: ["0.0375", 360],
  BHD: ["0.05", 360],
  JPY: ["0.0075", 365],
};

export const tradedCurrencies: readonly string[] = Object.keys(usdPerUnit);

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
  return (currency, day) => {
    if (pegged.has(currency)) return new Big(1);
    let distance = 0;
    for (let ago = daysOfNews; ago >= 0; ago -= 1)
      distance = distance * dailyDecay + news(`${currency}${addDays(day, -ago)}`);
    return new Big((1 + distance).toFixed(6));
  };
}

/** Returns a cached price in USD. The key is the currency followed by the day. */
const memoizeUsdPrice = (driftOf: PriceDrift) =>
  memoize((key: string) => {
    const [currency, day] = [key.slice(0, 3), key.slice(3)];
    return new Big(usdPerUnit[currency]!).times(driftOf(currency, day));
  });

const waveUsdPrice = memoizeUsdPrice(waveDrift);

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
  const [baseRate, baseYear] = interestRates[base]!;
  const [quotedRate, quotedYear] = interestRates[quoted]!;
  const numerator = baseInUsd.times(growthOverDays(quotedYear, quotedRate, daysFromSpot)).times(baseYear);
  return numerator.div(quotedInUsd.times(growthOverDays(baseYear, baseRate, daysFromSpot)).times(quotedYear));
}

type PriceLookup = (key: string) => Big;

/** Caches forward rates of an unmoved market. The key is base, quote currency, day and days after spot. */
const memoizeForward = (inUsd: PriceLookup): PriceLookup =>
  memoize((key: string) => {
    const [base, quoted, day] = [key.slice(0, 3), key.slice(3, 6), key.slice(6, 16)];
    return forwardRate(inUsd(base + day), inUsd(quoted + day), base, quoted, Number(key.slice(16)));
  });

const waveForward = memoizeForward(waveUsdPrice);

/** Returns two currencies as a pair in market order. */
export function pairOf(one: string, other: string): { base: string; quoted: string } {
  const inOrder = baseRank(one) !== baseRank(other) ? baseRank(one) < baseRank(other) : one < other;
  return inOrder ? { base: one, quoted: other } : { base: other, quoted: one };
}

/** Limit of manual moves away from the mean, up or down. */
const maxMoveFactor = 10;

/** Exchange rates by day: the default waves or a given path, adjusted by manual moves. */
export class Rates {
  /** Factors of manual moves, by currency. */
  readonly #moves: Map<string, Big>;

  readonly #baseUsdPrice: PriceLookup;
  readonly #baseForward: PriceLookup;

  constructor(state: Map<string, Big> = new Map(), path?: PriceDrift) {
    this.#moves = state;
    this.#baseUsdPrice = path ? memoizeUsdPrice(path) : waveUsdPrice;
    this.#baseForward = path ? memoizeForward(this.#baseUsdPrice) : waveForward;
  }

  get state(): Map<string, Big> {
    return this.#moves;
  }

  #moveFactor(currency: string): Big {
    return this.#moves.get(currency) ?? new Big(1);
  }

  #usdPrice(currency: string, day: string): Big {
    return this.#baseUsdPrice(currency + day).times(this.#moveFactor(currency));
  }

  /** Returns the value of one unit of the base some days after spot. */
  #forward(base: string, quoted: string, day: string, daysFromSpot: number): Big {
    const moved = this.#moves.has(base) || this.#moves.has(quoted);
    return moved
      ? forwardRate(this.#usdPrice(base, day), this.#usdPrice(quoted, day), base, quoted, daysFromSpot)
      : this.#baseForward(`${base}${quoted}${day}${daysFromSpot}`);
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
    this.#moves.set(currency, moved);
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
