/** Idempotency key of a call that commits money, from the form of the node and the message. */
import type { NodeMessage } from "node-red";
import { invalidInputError } from "../../core/call/call-errors";
import type { Callable } from "../../core/spec/operation";
import { keyViolation, requiresKey } from "../../core/spec/check";
import { type EvaluationContext, createSource, type TypedValue } from "./value-sources";

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
