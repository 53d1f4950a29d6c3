/** Retry policy: whether a failed attempt is repeated, and after which delay. Pure, apart from the jitter. */
import type { Effect } from "../spec/operation";
import { backoffMs, retryAfterMs } from "../http/backoff";
import type { RawResponse } from "../http/exchange";
import { NetworkMisconfigured, ResponseTooLarge, TransportError } from "../http/transport-errors";

/** Result of one attempt: a response, or the reason for its absence. */
export type AttemptResult = RawResponse | TransportError;

/** A failed attempt, with what decides about its retry. */
interface FailedAttempt {
  readonly effect: Effect;
  /** Attempts so far, including this one. */
  readonly attempts: number;
  /** True if any byte of the call may have been written, in this attempt or an earlier one. */
  readonly sent: boolean;
  readonly result: AttemptResult;
  /** Error codes by which the service reports an exhausted quota. */
  readonly quotaCodes: readonly string[];
}

const maxReadAttempts = 3;
const maxOtherAttempts = 2;
const retriedStatuses = new Set([429, 502, 503, 504]);

/** Returns the pause that the service requested. */
export const requestedDelayMs = ({ headers }: RawResponse): number | undefined =>
  retryAfterMs(headers["retry-after"], Date.now());

/** Returns true if a quota is exhausted. */
export const isQuotaExhausted = (response: RawResponse, quotaCodes: readonly string[]): boolean =>
  response.status === 429 &&
  requestedDelayMs(response) === undefined &&
  Buffer.isBuffer(response.body) &&
  quotaCodes.some((code) => (response.body as Buffer).includes(`"${code}"`));

/** Returns the delay before the next attempt; undefined if the call is not repeated. */
export function retryDelayMs({
  effect,
  attempts,
  sent,
  result,
  quotaCodes,
}: FailedAttempt): number | undefined {
  // Only reads are repeated after they were sent: any other call may have been carried out.
  if (effect !== "read" && sent) return undefined;
  if (attempts >= (effect === "read" ? maxReadAttempts : maxOtherAttempts)) return undefined;
  if (result instanceof TransportError)
    // The same response would be too large again, and repeated wrong proxy credentials may lock an account.
    return result.cause instanceof ResponseTooLarge || result.cause instanceof NetworkMisconfigured
      ? undefined
      : backoffMs(attempts, undefined);
  if (!retriedStatuses.has(result.status)) return undefined;
  // Neither slowing down nor a retry helps before the quota is reset.
  if (isQuotaExhausted(result, quotaCodes)) return undefined;
  return Math.max(backoffMs(attempts, result.status), requestedDelayMs(result) ?? 0);
}
