/** What became of a call, in the log: the last place that hears of it when its flow is gone. */
import type { Node } from "node-red";
import type { ServiceResponse } from "../../core/client/response";
import { outcomeLine } from "../../core/client/outcome-line";
import { FxdeskError } from "../../core/errors";
import type { Callable } from "../../core/declaration/operation";

export type CallResult = ServiceResponse | FxdeskError;

/** After the end of its node nobody else tells of a failure. */
function levelOf(ended: CallResult, isClosed: boolean): "log" | "warn" | "error" {
  if (!isClosed || !(ended instanceof FxdeskError)) return "log";
  return ended.outcome === "unknown" ? "error" : "warn";
}

/** Logs in one line what became of each call that commits money, and of each that changes something unseen; whether it did. */
export function logOutcome(node: Node, operation: Callable, ended: CallResult, isClosed: boolean): boolean {
  const { effect } = operation;
  const isWorthIt = effect === "money" || (effect === "change" && isClosed);
  if (isWorthIt) node[levelOf(ended, isClosed)](outcomeLine(operation, ended));
  return isWorthIt;
}
