/** Time limit of a call, from the message or the node. */
import type { NodeMessage } from "node-red";
import { limitViolation } from "../../core/http/deadline";
import { invalidInputError } from "../../core/call/call-errors";
import type { Callable } from "../../core/spec/operation";

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Returns the limit in milliseconds, or none if the limit of the connection applies. Throws InvalidInput if it is invalid. */
export function readTimeLimit(
  operation: Callable,
  nodeValue: string | undefined,
  { timeoutMs: messageValue }: NodeMessage & { readonly timeoutMs?: unknown },
): { readonly timeoutMs?: number } {
  const [field, value] = isEmpty(messageValue) ? ["Time limit", nodeValue] : ["msg.timeoutMs", messageValue];
  if (isEmpty(value)) return {};
  const timeoutMs = typeof value === "string" ? Number(value) : value;
  const message = limitViolation(Number.isNaN(timeoutMs) ? JSON.stringify(value) : timeoutMs);
  if (message !== undefined) throw invalidInputError(operation, [{ field, message }]);
  return { timeoutMs: timeoutMs as number };
}
