/** Types and names of the nodes. */
import type { Callable } from "../../core/spec/operation";
import type { Service } from "../../core/spec/service";

/** Type of the connection config node. */
export const connectionType = "fxdesk-connection";

/**
 * Connection of all examples. The editor adds it with the first imported example. If each example contained it, the editor
 * would report a conflict from the second import on.
 */
export const exampleConnection = {
  id: "fxdesk.connection",
  type: connectionType,
  name: "From the environment",
  fromEnvironment: true,
  version: 1,
} as const;

/** Namespace of the texts that all nodes share, in the editor and for statuses. */
export const editorCatalogue = "@fxdesk/toolkit/fxdesk";

/** Locale key of the node that calls any operation. */
export const callSlug = "call-operation";

/** Type of the node that calls any operation of the connection, including those of extensions. */
export const callType = `fxdesk-${callSlug}`;

/** Locale key of the node for any watch. */
export const watchSlug = "watch";

/** Type of the node for any watch of the connection, including those of extensions. */
export const watchType = `fxdesk-${watchSlug}`;

/** Returns the name of an operation in node types and locale keys: `list_trades` becomes `list-trades`. */
export const slugOf = ({ tool }: Callable): string => tool.replaceAll("_", "-");

/** Replaces operation names in a text with node titles: `trades.list` becomes “List trades”. */
export const withNodeTitles = (
  text: string,
  operations: readonly Callable[],
  titleFor = ({ title }: Callable) => `“${title}”`,
): string =>
  operations.reduce((result, operation) => {
    const name = operation.name.replace(".", "\\.");
    return result.replace(new RegExp(`(?<![\\w./])${name}(?!\\w|[./]\\w)`, "g"), titleFor(operation));
  }, text);

/** Returns the node type of an operation, for example `fxdesk-list-trades`. */
export const nodeTypeOf = (operation: Callable): string => `fxdesk-${slugOf(operation)}`;

/** Adds the procedures that need quotes. Their nodes exist without a quoting extension too, and report its absence when called. */
export const withQuoteProcedures = (service: Service): Service => ({
  ...service,
  procedures: [...(service.procedures ?? []), ...(service.quoteProcedures ?? [])],
});
