/** Exit codes. Scripts rely on them: they do not change. */
import { type ErrorCode, FxdeskError } from "../../core/spec/errors";
import { UsageError } from "./arguments";

export const exitMeanings: Readonly<Record<number, string>> = {
  0: "Success.",
  1: "An unexpected error occurred, or a check found problems.",
  2: "The command or its input is invalid; nothing was done.",
  3: "The service rejected the credentials, or they lack the permission.",
  4: "The requested item does not exist.",
  5: "Refused by the service, an interceptor, a halt, the policy or a restored store, or the key belongs to another call.",
  6: "Too many requests, service unavailable, timeout, not ready or not released. Try again later; check first whether a change was carried out.",
  7: "The outcome of a money call or an interrupted change is unknown. Check at the service before you repeat it.",
  8: "The service failed, or its response could not be read or saved.",
  130: "Interrupted before the command changed anything.",
};

export const success = 0;
export const badUsage = 2;
export const notFound = 4;
const refused = 5;
export const notReady = 6;
export const outcomeUnknown = 7;
export const failed = 8;

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
  store_restored: refused,
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
