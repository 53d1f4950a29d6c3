/** Properties of a message that control its call: idempotency key, time limit, correlation and cancellation. */
import type { NodeMessage } from "node-red";
import { invalidInputError } from "../../core/call/call-errors";
import { limitViolation } from "../../core/http/deadline";
import { keyViolation, requiresKey } from "../../core/spec/check";
import type { Callable } from "../../core/spec/operation";
import { type EvaluationContext, createSource, type TypedValue } from "../shared/typed-values";

type ControlMessage = NodeMessage & {
  readonly timeoutMs?: unknown;
  /** Key of the messages to cancel, or true for all. */
  readonly cancel?: unknown;
  readonly fxdesk?: { readonly key?: unknown; readonly correlation?: unknown };
};

/** Default source of the key. */
export const defaultKeySource: TypedValue = { type: "msg", value: "fxdesk.key" };

const requiredMessage =
  "is required: set msg.fxdesk.key, or choose a value in the node, that identifies this payment, such as its invoice " +
  "number";
const sharedKeyMessage =
  "must not be a message ID, which copies of the message share: use a value that identifies one payment";

function messageKeyViolation(operation: Callable, key: unknown, { _msgid }: NodeMessage): string | undefined {
  if (key === undefined) return requiresKey(operation) ? requiredMessage : undefined;
  return key === _msgid ? sharedKeyMessage : keyViolation(key);
}

/** Accepts numbers, for example invoice numbers. Null and empty text mean no key. */
const toKey = (value: unknown): unknown =>
  value === null || value === "" ? undefined : typeof value === "number" ? String(value) : value;

/**
 * Creates a function that reads the key of a message; undefined for operations without keys. The function throws InvalidInput
 * if the key is invalid, or missing for a payment.
 */
export function createKeyReader(
  operation: Callable,
  keySource: TypedValue = defaultKeySource,
  host: EvaluationContext,
): ((msg: NodeMessage) => Promise<{ readonly key?: string }>) | undefined {
  if (operation.effect !== "money") return undefined;
  const source = createSource(keySource.value === "" ? defaultKeySource : keySource, host);
  const toInvalidInput = (message: string) =>
    invalidInputError(operation, [{ field: "Request key", message }]);
  return async (msg) => {
    let key: unknown;
    try {
      key = toKey(await source(msg));
    } catch (error) {
      throw toInvalidInput((error as Error).message);
    }
    const message = messageKeyViolation(operation, key, msg);
    if (message !== undefined) throw toInvalidInput(message);
    return key === undefined ? {} : { key: key as string };
  };
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || value === "";

/** Returns the limit in milliseconds, or none if the limit of the connection applies. Throws InvalidInput if it is invalid. */
export function readTimeLimit(
  operation: Callable,
  nodeValue: string | undefined,
  { timeoutMs: messageValue }: ControlMessage,
): { readonly timeoutMs?: number } {
  const [field, value] = isEmpty(messageValue) ? ["Time limit", nodeValue] : ["msg.timeoutMs", messageValue];
  if (isEmpty(value)) return {};
  const timeoutMs = typeof value === "string" ? Number(value) : value;
  const message = limitViolation(Number.isNaN(timeoutMs) ? JSON.stringify(value) : timeoutMs);
  if (message !== undefined) throw invalidInputError(operation, [{ field, message }]);
  return { timeoutMs: timeoutMs as number };
}

/** Returns the correlation value of a flow, which is reported with the release. */
export const correlationOf = ({ fxdesk }: ControlMessage) =>
  fxdesk?.correlation === undefined ? {} : { correlation: fxdesk.correlation };

/** Returns the key that identifies a message: msg.fxdesk.key, or its ID. */
const messageKey = ({ fxdesk, _msgid }: ControlMessage): unknown => fxdesk?.key ?? _msgid;

/**
 * Returns a predicate for the messages to cancel, or undefined if the message has no `msg.cancel`. Throws InvalidInput if the
 * value is invalid or the operation cannot be cancelled.
 */
export function createCancelMatcher(
  operation: Callable,
  { cancel }: ControlMessage,
): ((msg: NodeMessage) => boolean) | undefined {
  if (cancel === undefined) return undefined;
  const toInvalidInput = (message: string) =>
    invalidInputError(operation, [{ field: "msg.cancel", message }]);
  if (operation.effect !== "read")
    throw toInvalidInput("cancels only reads; calls that change something always finish");
  if (cancel === true) return () => true;
  if ((typeof cancel === "string" && cancel !== "") || typeof cancel === "number")
    return (msg) => messageKey(msg) === cancel;
  throw toInvalidInput(
    "must be the key of the messages to cancel (their msg.fxdesk.key or _msgid), or true for all messages of this node",
  );
}
