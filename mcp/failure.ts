/** What a model is told when a call fails: what happened, what became of it, and what to do. */
import type { FxdeskError, Outcome } from "../core/errors";
import type { Declaration } from "../core/operations/declaration";
import { splitName } from "../core/operations/sections";
import { clean } from "./clean";
import { refusal, type ToolResult } from "./protocol";

/** Characters of an error message: the service's own words are in it. */
const longestMessage = 1_500;

const sectionOf = (operation: Declaration) => splitName(operation)[0];

/** The tools that can tell whether a call was carried out: those that read in the same section. */
const lookups = (operation: Declaration, operations: readonly Declaration[]): string =>
  operations
    .filter((other) => other.effect === "read" && sectionOf(other) === sectionOf(operation))
    .map(({ tool }) => tool)
    .join(" or ");

function whatBecameOfIt(
  operation: Declaration,
  outcome: Outcome,
  operations: readonly Declaration[],
): string {
  if (operation.effect === "read") return "";
  if (outcome !== "unknown") return `${operation.title}: not carried out.`;
  const look = lookups(operation, operations);
  return (
    `It is unknown whether it was carried out${look && `: look with ${look}`}, ` +
    `and ask the user before any other call of ${operation.tool}.`
  );
}

function whenToTryAgain({ retryable }: FxdeskError, waitMs: unknown): string {
  if (!retryable) return "";
  return typeof waitMs === "number"
    ? `The same call may succeed in ${Math.ceil(waitMs / 1_000)} seconds.`
    : "The same call may succeed later.";
}

/** The result of a call that failed as calls do. */
export function failed(
  operation: Declaration,
  error: FxdeskError,
  operations: readonly Declaration[],
): ToolResult {
  const message = error.message.replace(`${operation.name}: `, "").slice(0, longestMessage);
  const waitMs = "retryAfterMs" in error ? error.retryAfterMs : undefined;
  return refusal(
    `${operation.tool} failed: ${clean(message)}`,
    whatBecameOfIt(operation, error.outcome, operations),
    whenToTryAgain(error, waitMs),
    error.requestId !== undefined && `Request id: ${clean(error.requestId)}.`,
  );
}

/** The result of a call that failed in a way nobody foresaw. What it was is for the log: it may hold anything. */
export const broken = (operation: Declaration, operations: readonly Declaration[]): ToolResult =>
  refusal(
    `${operation.tool} failed inside fxdesk; the log of the server has the details.`,
    whatBecameOfIt(operation, "unknown", operations),
  );

/** The service said yes, but its answer cannot be shown: never a reason to call again. */
export const unshown = (operation: Declaration, status: number): ToolResult =>
  refusal(
    `${operation.tool} was answered (${status}: ${operation.answers[status]!.says})`,
    "The answer itself broke off or cannot be shown.",
    operation.effect !== "read" && "It was carried out: do not call it again.",
  );
