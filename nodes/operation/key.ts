/** The key of a call that commits money, from the form of its node and a message. */
import type { NodeMessage } from "node-red";
import { invalidInput } from "../../core/client/call-errors";
import type { Callable } from "../../core/declaration/operation";
import { keyViolation, needsKey } from "../../core/declaration/key";
import { type Host, sourceOf, type TypedValue } from "./sources";

/** Where the key is looked for unless the form says otherwise. */
export const usualKey: TypedValue = { type: "msg", value: "fxdesk.key" };

const required =
  "is required: set msg.fxdesk.key, or choose a value in the node, that stands for this payment alone, such as the " +
  "number of its invoice";
const shared =
  "must not be the identifier of a message, which its copies share: it is no name of one payment";

function violationOf(operation: Callable, key: unknown, { _msgid }: NodeMessage): string | undefined {
  if (key === undefined) return needsKey(operation) ? required : undefined;
  return key === _msgid ? shared : keyViolation(key);
}

/** Flows hold the number of an invoice as a number; nothing, null and empty text are no key. */
const asKey = (value: unknown): unknown =>
  value === null || value === "" ? undefined : typeof value === "number" ? String(value) : value;

/**
 * Prepares the key of a node: returns that of a message; undefined where no message has one. Throws InvalidInput where it is
 * no key, or a payment has none.
 */
export function keyReader(
  operation: Callable,
  given: TypedValue = usualKey,
  host: Host,
): ((msg: NodeMessage) => Promise<{ readonly key?: string }>) | undefined {
  if (operation.effect !== "money") return undefined;
  const source = sourceOf(given.value === "" ? usualKey : given, host);
  const violation = (message: string) => invalidInput(operation, [{ field: "Request key", message }]);
  return async (msg) => {
    let key: unknown;
    try {
      key = asKey(await source(msg));
    } catch (error) {
      throw violation((error as Error).message);
    }
    const message = violationOf(operation, key, msg);
    if (message !== undefined) throw violation(message);
    return key === undefined ? {} : { key: key as string };
  };
}
