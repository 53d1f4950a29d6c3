/** Cancellation of messages by `msg.cancel`. */
import type { NodeMessage } from "node-red";
import { invalidInputError } from "../../core/call/call-errors";
import type { Callable } from "../../core/spec/operation";

type CancelMessage = NodeMessage & {
  /** Key of the messages to cancel, or true for all. */
  readonly cancel?: unknown;
  readonly fxdesk?: { readonly key?: unknown };
};

/** Returns the key that identifies a message: msg.fxdesk.key, or its ID. */
const messageKey = ({ fxdesk, _msgid }: CancelMessage): unknown => fxdesk?.key ?? _msgid;

/**
 * Returns a predicate for the messages to cancel, or undefined if the message has no `msg.cancel`. Throws InvalidInput if the
 * value is invalid or the operation cannot be cancelled.
 */
export function createCancelMatcher(
  operation: Callable,
  { cancel }: CancelMessage,
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
