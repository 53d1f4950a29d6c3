/** Whether a call is sent again. */
import { ResponseTooLarge, TransportError } from "../transport/transport-errors";
import type { RawResponse } from "../transport/exchange";
import type { CallContext } from "./call-context";

/** How one request ended: with a response, or without a whole one. */
export type AttemptResult = RawResponse | TransportError;

const maxReadAttempts = 3;
const maxOtherAttempts = 2;
const retriedStatuses = new Set([429, 502, 503, 504]);

/** Only a read is sent again after it was sent. Anything else may go once more when it certainly was not. */
export function mayRetry({ call, attempts, sent }: CallContext, attempt: AttemptResult): boolean {
  const isTransient =
    attempt instanceof TransportError
      ? !(attempt.cause instanceof ResponseTooLarge)
      : retriedStatuses.has(attempt.status);
  if (!isTransient) return false;
  return call.operation.effect === "read" ? attempts < maxReadAttempts : !sent && attempts < maxOtherAttempts;
}
