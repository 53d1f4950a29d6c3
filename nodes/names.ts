/** What the nodes are called. */
import type { Declaration } from "../core/operations/declaration";

/** The type of the config node that holds a connection. */
export const connectionType = "fxdesk-connection";

/** The name of an operation in a node type and a locale key: `list_trades` reads `list-trades`. */
export const slugOf = ({ tool }: Declaration): string => tool.replaceAll("_", "-");

/** The type of an operation's node: `fxdesk-list-trades`. */
export const nodeTypeOf = (operation: Declaration): string => `fxdesk-${slugOf(operation)}`;
