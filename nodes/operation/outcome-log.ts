/** Logging of call outcomes: the only record of them in Node-RED if the flow was removed meanwhile. */
import type { Node } from "node-red";
import type { ServiceResponse } from "../../core/call/response";
import { formatOutcomeLine } from "../../core/call/outcome-line";
import { FxdeskError } from "../../core/spec/errors";
import type { Callable } from "../../core/spec/operation";

export type CallOutcome = ServiceResponse | FxdeskError;

/** Raises the level after the node was closed, because no Catch node then reports the failure. */
function logLevelOf(outcome: CallOutcome, isClosed: boolean): "log" | "warn" | "error" {
  if (!isClosed || !(outcome instanceof FxdeskError)) return "log";
  return outcome.outcome === "unknown" ? "error" : "warn";
}

/**
 * Logs the outcome of a call in one line: always if it commits money, and if it changes something after the node was closed.
 * Returns true if it was logged.
 */
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
