/** The key of a call that commits money, from the form of its node and a message. */
import type { NodeMessage } from "node-red";
import { invalidInputError } from "../../core/client/call-errors";
import type { Callable } from "../../core/declaration/operation";
import { keyViolation, requiresKey } from "../../core/declaration/idempotency-key";
import { type EvaluationContext, createSource, type TypedValue } from "./value-sources";

/** Where the key is looked for unless the form says otherwise. */
export const defaultKeySource: TypedValue = { type: "msg", value: "fxdesk.key" };

const requiredMessage =
  "is required: set msg.fxdesk.key, or choose a value in the node, that stands for this payment alone, such as the " +
  "number of its invoice";
const sharedKeyMessage =
  "must not be the identifier of a message, which its copies share: it is no name of one payment";

function messageKeyViolation(operation: Callable, key: unknown, { _msgid }: NodeMessage): string | undefined {
  if (key === undefined) return requiresKey(operation) ? requiredMessage : undefined;
  return key === _msgid ? sharedKeyMessage : keyViolation(key);
}

/** Flows hold the number of an invoice as a number; nothing, null and empty text are no key. */
const toKey = (value: unknown): unknown =>
  value === null || value === "" ? undefined : typeof value === "number" ? String(value) : value;

/**
 * Prepares the key of a node: returns that of a message; undefined where no message has one. Throws InvalidInput where it is
 * no key, or a payment has none.
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
