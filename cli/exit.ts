/** The exit codes scripts rely on. They do not change. */
import { FxdeskError } from "../core/errors";
import { UsageError } from "./arguments";

export const exitMeanings: Readonly<Record<number, string>> = {
  0: "Done.",
  1: "Something unexpected failed.",
  2: "The command or its input is not right; nothing was done.",
  3: "The service does not accept the credentials, or not for this.",
  4: "What was asked for does not exist.",
  5: "The service refused: its state does not allow it.",
  6: "Not now: too many requests, unavailable, out of time or not ready. Try again later.",
  7: "Sent, and the outcome is not known. Check at the service before you repeat it.",
};

export const success = 0;
export const badUsage = 2;
export const notNow = 6;

const byErrorCode: Readonly<Record<string, number>> = {
  invalid_input: badUsage,
  unauthorized: 3,
  forbidden: 3,
  not_found: 4,
  conflict: 5,
  not_allowed: 5,
  refused: 5,
  rate_limited: notNow,
  unavailable: notNow,
  timeout: notNow,
  outcome_unknown: 7,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return badUsage;
  return (error instanceof FxdeskError && byErrorCode[error.code]) || 1;
}
