/** Rates: what a currency costs in another, quoted by the market's conventions. */
import { Big } from "big.js";
import { larger, type Money, rounded } from "./currencies";
import { addDays, dayMs, startOf } from "../calendar/days";
import { DomainError } from "../domain-error";
import { Random } from "../random";
import { remembered } from "../remembered";

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
const interest: Readonly<Record<string, readonly [rate: string, daysInYear: number]>> = {
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

const rank = (currency: string) => {
  const place = baseOrder.indexOf(currency);
  return place < 0 ? baseOrder.length + Number(currency === "JPY") : place;
};

/** One unit of the base is worth `rate` of the quote currency; `symbol` is base and quote, such as EURUSD. */
export interface Rate {
  readonly symbol: string;
  readonly rate: Big;
}

const rateDigits = 6;
const toRate = (value: Big) => value.round(rateDigits, Big.roundHalfUp);

/** Widens the mid rate against the customer. */
const spread = new Big("0.0015");

/** Their price in USD is fixed. */
const pegged: ReadonlySet<string> = new Set(["USD", "AED", "SAR", "BHD"]);

/** The usual way of the market: slow and quick waves of up to three percent, a phase for each currency. */
function drift(currency: string, day: string): Big {
  if (pegged.has(currency)) return new Big(1);
  const days = startOf(day).getTime() / dayMs;
  const phase = currency.charCodeAt(0) + 7 * currency.charCodeAt(1) + 13 * currency.charCodeAt(2);
  return new Big(
    (1 + 0.02 * Math.sin(days / 41 + phase) + 0.01 * Math.sin(days / 6.3 + 2 * phase)).toFixed(6),
  );
}

/** How far a price is from its mean on a day, as a factor. */
type Drift = (currency: string, day: string) => Big;

/** Each day's news moves a price by up to so much, and fades by so much with every day; that of so many days counts. */
const largestMove = 0.006;
const fading = 0.95;
const daysOfNews = 90;

/** A path that a seed takes: chance moves each price every day, and draws it back to its mean. */
export function pathOf(seed: string): Drift {
  const news = remembered(
    (key: string) => largestMove * (2 * new Random(`${seed}/market/${key}`).next() - 1),
  );
  return (currency, day) => {
    if (pegged.has(currency)) return new Big(1);
    let distance = 0;
    for (let ago = daysOfNews; ago >= 0; ago -= 1)
      distance = distance * fading + news(`${currency}${addDays(day, -ago)}`);
    return new Big((1 + distance).toFixed(6));
  };
}

/** What a currency is worth on a day, which stand behind one another in the key. */
const worth = (driftOf: Drift) =>
  remembered((key: string) => {
    const [currency, day] = [key.slice(0, 3), key.slice(3)];
    return new Big(usdPerUnit[currency]!).times(driftOf(currency, day));
  });

const inUsdByWaves = worth(drift);

/** What the days of a year of a currency grow to in so many days: a unit grows by as large a share. */
const yearGrown = (daysInYear: number, rate: string, days: number) =>
  new Big(rate).times(days).plus(daysInYear);

/**
 * What a unit of the base is worth so many days after spot: it costs the same to change now and keep the one currency as
 * to keep the other and change then. Spot times the growth of the quoted currency by that of the base, as one fraction: a
 * division of decimals is slow.
 */
function forward(baseInUsd: Big, quotedInUsd: Big, base: string, quoted: string, daysFromSpot: number): Big {
  const [baseRate, baseYear] = interest[base]!;
  const [quotedRate, quotedYear] = interest[quoted]!;
  const grown = baseInUsd.times(yearGrown(quotedYear, quotedRate, daysFromSpot)).times(baseYear);
  return grown.div(quotedInUsd.times(yearGrown(baseYear, baseRate, daysFromSpot)).times(quotedYear));
}

type Remembered = (key: string) => Big;

/** The same where nobody moved the market, for a base, a quoted currency, a day and days after spot in one key. */
const forwards = (inUsd: Remembered): Remembered =>
  remembered((key: string) => {
    const [base, quoted, day] = [key.slice(0, 3), key.slice(3, 6), key.slice(6, 16)];
    return forward(inUsd(base + day), inUsd(quoted + day), base, quoted, Number(key.slice(16)));
  });

const forwardByWaves = forwards(inUsdByWaves);

/** The pair of two currencies in the order the market quotes it. */
export function pairOf(one: string, other: string): { base: string; quoted: string } {
  const inOrder = rank(one) !== rank(other) ? rank(one) < rank(other) : one < other;
  return inOrder ? { base: one, quoted: other } : { base: other, quoted: one };
}

/** How far the market can be moved away from its mean, up or down. */
const furthest = 10;

/** What currencies cost on a day: as the waves or a path of their own carry them, and as the market was moved. */
export class Rates {
  /** By how much currencies were moved. */
  readonly #moves: Map<string, Big>;

  readonly #unmovedInUsd: Remembered;
  readonly #unmovedForward: Remembered;

  constructor(state: Map<string, Big> = new Map(), path?: Drift) {
    this.#moves = state;
    this.#unmovedInUsd = path ? worth(path) : inUsdByWaves;
    this.#unmovedForward = path ? forwards(this.#unmovedInUsd) : forwardByWaves;
  }

  get state(): Map<string, Big> {
    return this.#moves;
  }

  #moved(currency: string): Big {
    return this.#moves.get(currency) ?? new Big(1);
  }

  #inUsd(currency: string, day: string): Big {
    return this.#unmovedInUsd(currency + day).times(this.#moved(currency));
  }

  /** What a unit of the base is worth so many days after spot. */
  #forward(base: string, quoted: string, day: string, daysFromSpot: number): Big {
    const moved = this.#moves.has(base) || this.#moves.has(quoted);
    return moved
      ? forward(this.#inUsd(base, day), this.#inUsd(quoted, day), base, quoted, daysFromSpot)
      : this.#unmovedForward(`${base}${quoted}${day}${daysFromSpot}`);
  }

  /** What a unit of the base is worth before the bank's margin, for value at spot or so many days after it. */
  mid(base: string, quoted: string, day: string, daysFromSpot = 0): Rate {
    return { symbol: base + quoted, rate: toRate(this.#forward(base, quoted, day, daysFromSpot)) };
  }

  /**
   * The rate at which the customer buys one currency with another, the bank's margin included, for value at spot or so
   * many days after it.
   */
  customer(buyCurrency: string, sellCurrency: string, day: string, daysFromSpot = 0): Rate {
    const { base, quoted } = pairOf(buyCurrency, sellCurrency);
    const mid = this.#forward(base, quoted, day, daysFromSpot);
    const against = base === buyCurrency ? spread.plus(1) : new Big(1).minus(spread);
    return { symbol: base + quoted, rate: toRate(mid.times(against)) };
  }

  /**
   * Makes a unit of the base worth `rate` on a day, and moves the days after it alike. The base moves against all other
   * currencies, unless it is the dollar: then the other does. Throws a DomainError when that is too far.
   */
  move(base: string, quoted: string, rate: Big, day: string): void {
    const change = rate.div(this.#inUsd(base, day).div(this.#inUsd(quoted, day)));
    const [currency, moved] =
      base === "USD" ? [quoted, this.#moved(quoted).div(change)] : [base, this.#moved(base).times(change)];
    if (moved.gt(furthest) || moved.lt(1 / furthest))
      throw new DomainError("rate-too-far", `${currency} can be moved up or down at most ${furthest} times.`);
    this.#moves.set(currency, moved);
  }
}

/** The same rate seen from the other currency. */
export const inverse = ({ symbol, rate }: Rate): Rate => ({
  symbol: symbol.slice(3) + symbol.slice(0, 3),
  rate: toRate(new Big(1).div(rate)),
});

/** An amount in the other currency of the pair, rounded to that currency's minor units. */
export function converted({ amount, currency }: Money, { symbol, rate }: Rate): Money {
  const fromBase = symbol.startsWith(currency);
  const into = fromBase ? symbol.slice(3) : symbol.slice(0, 3);
  return { amount: rounded(fromBase ? amount.times(rate) : amount.div(rate), into), currency: into };
}

const feeShare = new Big("0.0002");
const leastFee = new Big(1);

/** The bank's fee for a trade, in the currency sold. */
export const feeFor = (sell: Money): Money => ({
  amount: rounded(larger(sell.amount.times(feeShare), leastFee), sell.currency),
  currency: sell.currency,
});
