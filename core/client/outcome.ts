/** What became of a call that did not end with a documented success. */
import type { Outcome } from "../errors";

/** Whether a status says that the call was not carried out: a 4xx, but for those that a gateway makes up meanwhile. */
export const isRefusal = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 499;

export const outcomeOfStatus = (status: number): Outcome => (isRefusal(status) ? "rejected" : "unknown");

/** Without a whole response: `sent` from the moment the head of a request was written. */
export const outcomeWithoutResponse = (sent: boolean): Outcome => (sent ? "unknown" : "not-sent");
