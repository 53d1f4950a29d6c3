/** What the nodes are called. */
import type { Callable } from "../core/declaration/operation";

/** The type of the config node that holds a connection. */
export const connectionType = "fxdesk-connection";

/**
 * The connection of all examples. The editor makes it when one is imported: brought along by each, it would be asked about
 * from the second one on.
 */
export const exampleConnection = {
  id: "fxdesk.connection",
  type: connectionType,
  name: "From the environment",
  fromEnvironment: true,
  version: 1,
} as const;

/** The name of the node that calls any operation, in a locale key. */
export const callSlug = "call-operation";

/** The type of the node that calls any operation of the connection, those of extensions included. */
export const callType = `fxdesk-${callSlug}`;

/** The name of the node that tells any watch, in a locale key. */
export const watchSlug = "watch";

/** The type of the node that tells any watch of the connection, those of extensions included. */
export const watchType = `fxdesk-${watchSlug}`;

/** The name of an operation in a node type and a locale key: `list_trades` reads `list-trades`. */
export const slugOf = ({ tool }: Callable): string => tool.replaceAll("_", "-");

/** A text in which operations are called as their nodes are: `trades.list` reads “List trades”. */
export const withNodeTitles = (
  text: string,
  operations: readonly Callable[],
  titleFor = ({ title }: Callable) => `“${title}”`,
): string =>
  operations.reduce((result, operation) => {
    const name = operation.name.replace(".", "\\.");
    return result.replace(new RegExp(`(?<![\\w./])${name}(?!\\w|[./]\\w)`, "g"), titleFor(operation));
  }, text);

/** The type of an operation's node: `fxdesk-list-trades`. */
export const nodeTypeOf = (operation: Callable): string => `fxdesk-${slugOf(operation)}`;
