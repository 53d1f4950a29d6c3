/** Whether a call is sent again. */
import { TooLarge, TransportError } from "../transport/error";
import type { RawResponse } from "../transport/exchange";
import type { CallState } from "./call-state";

/** How one request ended: with a response, or without a whole one. */
export type Attempt = RawResponse | TransportError;

const mostReads = 3;
const mostOthers = 2;
const retriedStatuses = new Set([429, 502, 503, 504]);

/** Only a read is sent again after it was sent. Anything else may go once more when it certainly was not. */
export function mayRetry({ call, attempts, sent }: CallState, attempt: Attempt): boolean {
  const mayPass =
    attempt instanceof TransportError
      ? !(attempt.cause instanceof TooLarge)
      : retriedStatuses.has(attempt.status);
  if (!mayPass) return false;
  return call.operation.effect === "read" ? attempts < mostReads : !sent && attempts < mostOthers;
}
