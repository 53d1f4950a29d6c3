/** The time limit of a call: that of its message, or of its node. */
import type { NodeMessage } from "node-red";
import { limitViolation } from "../../core/client/limits";
import { invalidInputError } from "../../core/client/call-errors";
import type { Callable } from "../../core/declaration/operation";

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";

/** The limit in milliseconds; nothing where the connection says it. Throws InvalidInput for what is none. */
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
