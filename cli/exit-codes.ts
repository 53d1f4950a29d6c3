/** The exit codes scripts rely on. They do not change. */
import { type ErrorCode, FxdeskError } from "../core/errors";
import { UsageError } from "./arguments";

export const exitMeanings: Readonly<Record<number, string>> = {
  0: "Done.",
  1: "Something unexpected failed.",
  2: "The command or its input is not right; nothing was done.",
  3: "The service does not accept the credentials, or not for this.",
  4: "What was asked for does not exist.",
  5: "Refused: the service's state does not allow it, an interceptor, a halt or the policy does not.",
  6: "Not now: too many requests, unavailable, out of time, not ready or not released. Try again later.",
  7: "Sent, and the outcome is not known. Check at the service before you repeat it.",
  8: "The service failed, or its response cannot be read or written to a file.",
  130: "Interrupted; nothing was changed.",
};

export const success = 0;
export const badUsage = 2;
export const notFound = 4;
const refused = 5;
export const notReady = 6;
export const outcomeUnknown = 7;
const failed = 8;

const exitCodeByErrorCode: Readonly<Record<ErrorCode, number>> = {
  unexpected: 1,
  invalid_input: badUsage,
  no_connection: badUsage,
  unauthorized: 3,
  forbidden: 3,
  not_found: notFound,
  conflict: refused,
  not_allowed: refused,
  refused,
  interceptor: refused,
  halted: refused,
  release_refused: refused,
  release_needed: notReady,
  rate_limited: notReady,
  unavailable: notReady,
  timeout: notReady,
  outcome_unknown: outcomeUnknown,
  service_error: failed,
  invalid_response: failed,
  file: failed,
  aborted: 130,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return badUsage;
  return error instanceof FxdeskError ? exitCodeByErrorCode[error.code] : 1;
}
