/** Retry policy for failed attempts. */
import { ResponseTooLarge, TransportError } from "../http/transport-errors";
import type { RawResponse } from "../http/exchange";
import type { CallContext } from "./call-context";

/** Result of one attempt: a response, or the reason for its absence. */
export type AttemptResult = RawResponse | TransportError;

const maxReadAttempts = 3;
const maxOtherAttempts = 2;
const retriedStatuses = new Set([429, 502, 503, 504]);

/** Returns true if the call may be sent again. Reads always may; other calls once, and only if nothing was written. */
export function mayRetry({ call, attempts, sent }: CallContext, attempt: AttemptResult): boolean {
  const isTransient =
    attempt instanceof TransportError
      ? !(attempt.cause instanceof ResponseTooLarge)
      : retriedStatuses.has(attempt.status);
  if (!isTransient) return false;
  return call.operation.effect === "read" ? attempts < maxReadAttempts : !sent && attempts < maxOtherAttempts;
}
