/** What the nodes are called. */
import type { Declaration } from "../core/declaration/operation";

/** The type of the config node that holds a connection. */
export const connectionType = "fxdesk-connection";

/** The name of the node that calls any operation, in a locale key. */
export const callSlug = "call-operation";

/** The type of the node that calls any operation of the connection, those of extensions included. */
export const callType = `fxdesk-${callSlug}`;

/** The name of an operation in a node type and a locale key: `list_trades` reads `list-trades`. */
export const slugOf = ({ tool }: Declaration): string => tool.replaceAll("_", "-");

/** A text in which operations are called as their nodes are: `trades.list` reads “List trades”. */
export const inNodeWords = (text: string, operations: readonly Declaration[]): string =>
  operations.reduce(
    (words, { name, title }) =>
      words.replace(new RegExp(`(?<![\\w./])${name.replace(".", "\\.")}(?!\\w|[./]\\w)`, "g"), `“${title}”`),
    text,
  );

/** The type of an operation's node: `fxdesk-list-trades`. */
export const nodeTypeOf = (operation: Declaration): string => `fxdesk-${slugOf(operation)}`;
