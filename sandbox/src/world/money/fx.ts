/** Rates: what a currency costs in another, quoted by the market's conventions. */
import { Big } from "big.js";
import { larger, type Money, roundAmount } from "./currencies";
import { addDays, dayMs, startOf } from "../calendar/days";
import { DomainError } from "../domain-error";
import { Random } from "../random";
import { memoize } from "../memoize";

/** Mid-market prices in USD, around which the market moves. Demo data. */
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

/** What a year costs in a currency, simple and as a share, and how many days a year has there. Demo data. */
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

/** The base of a pair is the one that comes first here; then others by the alphabet, and JPY last. */
const baseOrder = ["EUR", "GBP", "AUD", "NZD", "USD", "CAD", "CHF"];

const baseRank = (currency: string) => {
  const index = baseOrder.indexOf(currency);
  return index < 0 ? baseOrder.length + Number(currency === "JPY") : index;
};

/** One unit of the base is worth `rate` of the quote currency; `symbol` is base and quote, such as EURUSD. */
export interface Rate {
  readonly symbol: string;
  readonly rate: Big;
}

const rateDigits = 6;
const roundRate = (value: Big) => value.round(rateDigits, Big.roundHalfUp);

/** Widens the mid rate against the customer. */
const spread = new Big("0.0015");

/** Their price in USD is fixed. */
const pegged: ReadonlySet<string> = new Set(["USD", "AED", "SAR", "BHD"]);

/** The usual way of the market: slow and quick waves of up to three percent, a phase for each currency. */
function waveDrift(currency: string, day: string): Big {
  if (pegged.has(currency)) return new Big(1);
  const days = startOf(day).getTime() / dayMs;
  const phase = currency.charCodeAt(0) + 7 * currency.charCodeAt(1) + 13 * currency.charCodeAt(2);
  return new Big(
    (1 + 0.02 * Math.sin(days / 41 + phase) + 0.01 * Math.sin(days / 6.3 + 2 * phase)).toFixed(6),
  );
}

/** How far a price is from its mean on a day, as a factor. */
type PriceDrift = (currency: string, day: string) => Big;

/** Each day's news moves a price by up to so much, and fades by so much with every day; that of so many days counts. */
const maxDailyMove = 0.006;
const dailyDecay = 0.95;
const daysOfNews = 90;

/** A path that a seed takes: chance moves each price every day, and draws it back to its mean. */
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

/** What a currency is worth on a day, which stand behind one another in the key. */
const memoizeUsdPrice = (driftOf: PriceDrift) =>
  memoize((key: string) => {
    const [currency, day] = [key.slice(0, 3), key.slice(3)];
    return new Big(usdPerUnit[currency]!).times(driftOf(currency, day));
  });

const waveUsdPrice = memoizeUsdPrice(waveDrift);

/** What the days of a year of a currency grow to in so many days: a unit grows by as large a share. */
const growthOverDays = (daysInYear: number, rate: string, days: number) =>
  new Big(rate).times(days).plus(daysInYear);

/**
 * What a unit of the base is worth so many days after spot: it costs the same to change now and keep the one currency as
 * to keep the other and change then. Spot times the growth of the quoted currency by that of the base, as one fraction: a
 * division of decimals is slow.
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

/** The same where nobody moved the market, for a base, a quoted currency, a day and days after spot in one key. */
const memoizeForward = (inUsd: PriceLookup): PriceLookup =>
  memoize((key: string) => {
    const [base, quoted, day] = [key.slice(0, 3), key.slice(3, 6), key.slice(6, 16)];
    return forwardRate(inUsd(base + day), inUsd(quoted + day), base, quoted, Number(key.slice(16)));
  });

const waveForward = memoizeForward(waveUsdPrice);

/** The pair of two currencies in the order the market quotes it. */
export function pairOf(one: string, other: string): { base: string; quoted: string } {
  const inOrder = baseRank(one) !== baseRank(other) ? baseRank(one) < baseRank(other) : one < other;
  return inOrder ? { base: one, quoted: other } : { base: other, quoted: one };
}

/** How far the market can be moved away from its mean, up or down. */
const maxMoveFactor = 10;

/** What currencies cost on a day: as the waves or a path of their own carry them, and as the market was moved. */
export class Rates {
  /** By how much currencies were moved. */
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

  /** What a unit of the base is worth so many days after spot. */
  #forward(base: string, quoted: string, day: string, daysFromSpot: number): Big {
    const moved = this.#moves.has(base) || this.#moves.has(quoted);
    return moved
      ? forwardRate(this.#usdPrice(base, day), this.#usdPrice(quoted, day), base, quoted, daysFromSpot)
      : this.#baseForward(`${base}${quoted}${day}${daysFromSpot}`);
  }

  /** What a unit of the base is worth before the bank's margin, for value at spot or so many days after it. */
  midRate(base: string, quoted: string, day: string, daysFromSpot = 0): Rate {
    return { symbol: base + quoted, rate: roundRate(this.#forward(base, quoted, day, daysFromSpot)) };
  }

  /**
   * The rate at which the customer buys one currency with another, the bank's margin included, for value at spot or so
   * many days after it.
   */
  customerRate(buyCurrency: string, sellCurrency: string, day: string, daysFromSpot = 0): Rate {
    const { base, quoted } = pairOf(buyCurrency, sellCurrency);
    const mid = this.#forward(base, quoted, day, daysFromSpot);
    const against = base === buyCurrency ? spread.plus(1) : new Big(1).minus(spread);
    return { symbol: base + quoted, rate: roundRate(mid.times(against)) };
  }

  /**
   * Makes a unit of the base worth `rate` on a day, and moves the days after it alike. The base moves against all other
   * currencies, unless it is the dollar: then the other does. Throws a DomainError when that is too far.
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
        `${currency} can be moved up or down at most ${maxMoveFactor} times.`,
      );
    this.#moves.set(currency, moved);
  }
}

/** The same rate seen from the other currency. */
export const invertRate = ({ symbol, rate }: Rate): Rate => ({
  symbol: symbol.slice(3) + symbol.slice(0, 3),
  rate: roundRate(new Big(1).div(rate)),
});

/** An amount in the other currency of the pair, rounded to that currency's minor units. */
export function convertAmount({ amount, currency }: Money, { symbol, rate }: Rate): Money {
  const fromBase = symbol.startsWith(currency);
  const into = fromBase ? symbol.slice(3) : symbol.slice(0, 3);
  return { amount: roundAmount(fromBase ? amount.times(rate) : amount.div(rate), into), currency: into };
}

const feeShare = new Big("0.0002");
const minFee = new Big(1);

/** The bank's fee for a trade, in the currency sold. */
export const feeFor = (sell: Money): Money => ({
  amount: roundAmount(larger(sell.amount.times(feeShare), minFee), sell.currency),
  currency: sell.currency,
});
