import { demo } from "../parties/parties";

/** Behaviour that a real service fixes and a test may change. */
export interface Settings {
  /** Lifetime of a quote in seconds, up to 366 days. Default: 30. */
  readonly quoteSeconds: number;
  /**
   * "real": no quotes from Friday 17:00 to Sunday 17:00 New York time. "always" (default): quotes at any time.
   */
  readonly marketHours: "always" | "real";
  /** True if several trades can be booked from one quote. Default: false. */
  readonly reusableQuotes: boolean;
  /** True to send x-total-count with every paged list. Default: only where the contract documents it. */
  readonly totalCount: boolean;
  /**
   * Route of a person to the page that authorises a consent or payment. "redirect" (default): by its URL. "oauth": by
   * OAuth 2.0; account information is then read with the resulting token.
   */
  readonly scaApproach: "redirect" | "oauth";
  /** Registered URL to which the login page returns with a code. */
  readonly redirectUri: string;
  /**
   * True if business continues as the clock moves: customers pay, suppliers and staff are paid, and rates follow a path
   * derived from the seed. Default: false.
   */
  readonly living: boolean;
  /** Delay of every response in milliseconds, up to 60,000. Default: 0. */
  readonly latencyMs: number;
  /** Rate limit; requests above it get 429. Default: unlimited. */
  readonly requestsPerSecond: number;
}

export const defaultSettings: Settings = {
  quoteSeconds: 30,
  marketHours: "always",
  reusableQuotes: false,
  totalCount: false,
  scaApproach: "redirect",
  redirectUri: demo.redirectUri,
  living: false,
  latencyMs: 0,
  requestsPerSecond: Infinity,
};

const maxQuoteSeconds = 366 * 86_400;

const maxLatencyMs = 60_000;

/** Fills in the defaults and drops other options. Throws a RangeError for a value out of range. */
export function resolveSettings(options: Partial<Settings>): Settings {
  const names = Object.keys(defaultSettings) as (keyof Settings)[];
  const settings = Object.fromEntries(
    names.map((name) => [name, options[name] ?? defaultSettings[name]]),
  ) as unknown as Settings;
  const { latencyMs, requestsPerSecond, quoteSeconds, redirectUri } = settings;
  if (!(latencyMs >= 0 && latencyMs <= maxLatencyMs))
    throw new RangeError(`latencyMs must be from 0 to ${maxLatencyMs}, not ${latencyMs}.`);
  if (!(requestsPerSecond >= 1))
    throw new RangeError(`requestsPerSecond must be at least 1, not ${requestsPerSecond}.`);
  if (!(quoteSeconds > 0 && quoteSeconds <= maxQuoteSeconds))
    throw new RangeError(
      `quoteSeconds must be more than zero and at most ${maxQuoteSeconds}, not ${quoteSeconds}.`,
    );
  if (!URL.canParse(redirectUri)) throw new RangeError(`redirectUri must be a URL, not ${redirectUri}.`);
  return settings;
}
