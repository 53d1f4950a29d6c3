/** Derives the outcome of calls without a documented success. */
import type { Outcome } from "../spec/errors";

/** Returns true if the status rules out execution: any 4xx except 408 and 499, which gateways create on their own. */
export const isRefusal = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 499;

export const outcomeOfStatus = (status: number): Outcome => (isRefusal(status) ? "rejected" : "unknown");

/** Returns the outcome without a complete response. `sent` is true once any byte of the request may have been written. */
export const outcomeWithoutResponse = (sent: boolean): Outcome => (sent ? "unknown" : "not-sent");
