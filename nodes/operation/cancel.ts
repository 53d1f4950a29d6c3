/** Messages that stop others: `msg.cancel`. */
import type { NodeMessage } from "node-red";
import { invalidInputError } from "../../core/client/call-errors";
import type { Callable } from "../../core/declaration/operation";

type CancelMessage = NodeMessage & {
  /** The key of the messages that are meant, or true for all. */
  readonly cancel?: unknown;
  readonly fxdesk?: { readonly key?: unknown };
};

/** What a message is named by: msg.fxdesk.key, or its identifier. */
const messageKey = ({ fxdesk, _msgid }: CancelMessage): unknown => fxdesk?.key ?? _msgid;

/**
 * Which messages a message stops; undefined for one that stops none. Throws InvalidInput where it names none, or what
 * cannot be stopped.
 */
export function createCancelMatcher(
  operation: Callable,
  { cancel }: CancelMessage,
): ((msg: NodeMessage) => boolean) | undefined {
  if (cancel === undefined) return undefined;
  const toInvalidInput = (message: string) =>
    invalidInputError(operation, [{ field: "msg.cancel", message }]);
  if (operation.effect !== "read")
    throw toInvalidInput("stops reads only: what changes something is finished");
  if (cancel === true) return () => true;
  if ((typeof cancel === "string" && cancel !== "") || typeof cancel === "number")
    return (msg) => messageKey(msg) === cancel;
  throw toInvalidInput(
    "must be the key of the messages to stop (their msg.fxdesk.key, or _msgid), or true for all of this node",
  );
}
