/** The time limit of a call: that of its message, or of its node. */
import type { NodeMessage } from "node-red";
import { limitViolation } from "../../core/client/limits";
import { invalidInput } from "../../core/client/call-errors";
import type { Callable } from "../../core/declaration/operation";

const isNothing = (value: unknown): boolean => value === undefined || value === null || value === "";

/** The limit in milliseconds; nothing where the connection says it. Throws InvalidInput for what is none. */
export function timeLimitOf(
  operation: Callable,
  ofNode: string | undefined,
  { timeoutMs: ofMessage }: NodeMessage & { readonly timeoutMs?: unknown },
): { readonly timeoutMs?: number } {
  const [field, given] = isNothing(ofMessage) ? ["Time limit", ofNode] : ["msg.timeoutMs", ofMessage];
  if (isNothing(given)) return {};
  const timeoutMs = typeof given === "string" ? Number(given) : given;
  const message = limitViolation(Number.isNaN(timeoutMs) ? JSON.stringify(given) : timeoutMs);
  if (message !== undefined) throw invalidInput(operation, [{ field, message }]);
  return { timeoutMs: timeoutMs as number };
}
