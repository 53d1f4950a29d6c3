import { demo } from "./parties/parties";

/** What a real service fixes and a test may want otherwise. */
export interface Settings {
  /** How long a quote can be booked, at most a year of 366 days; 30 by default. */
  readonly quoteSeconds: number;
  /**
   * "real": no quotes while the market is closed, from Friday 17:00 to Sunday 17:00 in New York. "always", the default: at
   * any time.
   */
  readonly marketHours: "always" | "real";
  /** Whether several trades can be booked from one quote; only one, by default. */
  readonly reusableQuotes: boolean;
  /** Whether x-total-count is sent with every list that comes in pages; only where the contract documents it, by default. */
  readonly totalCount: boolean;
  /**
   * How a person is led to the page that authorises a consent or a payment: "redirect", the default, by its address;
   * "oauth", by OAuth 2.0, and account information is then read with the token the person gave.
   */
  readonly scaApproach: "redirect" | "oauth";
  /** The registered address to which the login page returns with a code. */
  readonly redirectUri: string;
  /**
   * Whether business goes on as the clock moves: customers pay, suppliers and staff are paid, and the market takes a path
   * that follows from the seed; not, by default.
   */
  readonly living: boolean;
  /** How much later every response comes, in milliseconds, at most a minute; 0 by default. */
  readonly latencyMs: number;
  /** How many requests a second are answered; those beyond get 429. Any number, by default. */
  readonly requestsPerSecond: number;
}

/** A year. */
const maxQuoteSeconds = 366 * 86_400;

const maxLatencyMs = 60_000;

/** The settings that are given, and the usual ones in the place of the others. Throws a RangeError. */
export function resolveSettings(partial: Partial<Settings>): Settings {
  const { quoteSeconds = 30, marketHours = "always", totalCount = false, scaApproach = "redirect" } = partial;
  const { reusableQuotes = false, redirectUri = demo.redirectUri, living = false } = partial;
  const { latencyMs = 0, requestsPerSecond = Infinity } = partial;
  if (!(latencyMs >= 0 && latencyMs <= maxLatencyMs))
    throw new RangeError(`latencyMs must be from 0 to ${maxLatencyMs}, not ${latencyMs}.`);
  if (!(requestsPerSecond >= 1))
    throw new RangeError(`requestsPerSecond must be at least 1, not ${requestsPerSecond}.`);
  if (!(quoteSeconds > 0 && quoteSeconds <= maxQuoteSeconds))
    throw new RangeError(
      `quoteSeconds must be more than zero and at most ${maxQuoteSeconds}, not ${quoteSeconds}.`,
    );
  if (!URL.canParse(redirectUri)) throw new RangeError(`redirectUri must be an address, not ${redirectUri}.`);
  return {
    quoteSeconds,
    marketHours,
    reusableQuotes,
    totalCount,
    scaApproach,
    redirectUri,
    living,
    latencyMs,
    requestsPerSecond,
  };
}

export const defaultSettings = resolveSettings({});
