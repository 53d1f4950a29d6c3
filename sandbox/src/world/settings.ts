import { demo } from "./parties";

/** What a real service fixes and a test may want otherwise. */
export interface Settings {
  /** How long a quote can be booked, at most a year of 366 days; 30 by default. */
  readonly quoteSeconds: number;
  /**
   * "real": no quotes while the market is closed, from Friday 17:00 to Sunday 17:00 in New York. "always", the default: at
   * any time.
   */
  readonly marketHours: "always" | "real";
  /** Whether x-total-count is sent with every list that comes in pages; only where the contract documents it, by default. */
  readonly totalCount: boolean;
  /**
   * How a person is led to the page that authorises a consent or a payment: "redirect", the default, by its address;
   * "oauth", by OAuth 2.0, and account information is then read with the token the person gave.
   */
  readonly scaApproach: "redirect" | "oauth";
  /** The registered address to which the login page returns with a code. */
  readonly redirectUri: string;
}

/** A year. */
const mostQuoteSeconds = 366 * 86_400;

/** The settings that are given, and the usual ones in the place of the others. Throws a RangeError. */
export function settingsFrom(given: Partial<Settings>): Settings {
  const { quoteSeconds = 30, marketHours = "always", totalCount = false, scaApproach = "redirect" } = given;
  const { redirectUri = demo.redirectUri } = given;
  if (!(quoteSeconds > 0 && quoteSeconds <= mostQuoteSeconds))
    throw new RangeError(
      `quoteSeconds must be more than zero and at most ${mostQuoteSeconds}, not ${quoteSeconds}.`,
    );
  if (!URL.canParse(redirectUri)) throw new RangeError(`redirectUri must be an address, not ${redirectUri}.`);
  return { quoteSeconds, marketHours, totalCount, scaApproach, redirectUri };
}

export const usualSettings = settingsFrom({});
