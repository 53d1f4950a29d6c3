/** What became of a call, in the log: the last place that hears of it when its flow is gone. */
import type { Node } from "node-red";
import type { ServiceResponse } from "../../core/client/response";
import { formatOutcomeLine } from "../../core/client/outcome-line";
import { FxdeskError } from "../../core/errors";
import type { Callable } from "../../core/declaration/operation";

export type CallOutcome = ServiceResponse | FxdeskError;

/** After the end of its node nobody else tells of a failure. */
function logLevelOf(outcome: CallOutcome, isClosed: boolean): "log" | "warn" | "error" {
  if (!isClosed || !(outcome instanceof FxdeskError)) return "log";
  return outcome.outcome === "unknown" ? "error" : "warn";
}

/** Logs in one line what became of each call that commits money, and of each that changes something unseen; whether it did. */
export function logOutcome(
  node: Node,
  operation: Callable,
  outcome: CallOutcome,
  isClosed: boolean,
): boolean {
  const { effect } = operation;
  const shouldLog = effect === "money" || (effect === "change" && isClosed);
  if (shouldLog) node[logLevelOf(outcome, isClosed)](formatOutcomeLine(operation, outcome));
  return shouldLog;
}
