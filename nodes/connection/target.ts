/** Targets of a node: its connection, the client of that, and the operation or watch that it calls. */
import type { NodeAPI, NodeDef } from "node-red";
import type { ClientCore } from "../../core/api/client-types";
import { extensionVariables } from "../../core/call/settings";
import { type ErrorCode, FxdeskError } from "../../core/spec/errors";
import type { Callable } from "../../core/spec/operation";
import { callablesOf, type Service } from "../../core/spec/service";
import type { Watch } from "../../core/spec/watch";
import { suggestions } from "../../core/values/suggestions";
import { connectionType } from "../shared/node-names";
import type { ConnectionNode } from "./connection-node";

/** The connection, or the reason why it is missing. */
export type ConnectionChoice = { readonly connection: ConnectionNode } | { readonly missing: string };

/** Returns a node of the deployed flows, even if it is disabled. */
export function deployedNode(RED: NodeAPI, id: string): (NodeDef & { readonly d?: boolean }) | undefined {
  let found: NodeDef | undefined;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = node;
  });
  return found;
}

function missingReason(RED: NodeAPI, id: string): string {
  if (!id) return "Choose a connection in the node.";
  const node = deployedNode(RED, id);
  if (!node) return "The connection chosen in the node no longer exists. Choose another.";
  const label = node.name ? `“${node.name}”` : id;
  if (node.type !== connectionType)
    return `The chosen connection ${label} is a node of the type ${node.type}. Choose an ${connectionType} in the node.`;
  if (node.name === id)
    return `The connection ${label} is named like its own ID, which Node-RED takes for a reference to itself. Give it another name.`;
  if (node.d) return `The connection ${label} is disabled. Enable it, or choose another in the node.`;
  return `The connection ${label} is not running for this node: its flow is disabled, or it belongs to another flow.`;
}

/** True for connection nodes: they have a client or the reason why it is missing. */
const isConnection = ({ client, reason }: ConnectionNode): boolean =>
  client !== undefined || reason !== undefined;

export function findConnection(RED: NodeAPI, id: string): ConnectionChoice {
  const connection = RED.nodes.getNode(id) as ConnectionNode | null;
  return connection && isConnection(connection) ? { connection } : { missing: missingReason(RED, id) };
}

export interface Target<D extends Callable = Callable> {
  readonly client: ClientCore;
  readonly operation: D;
}

/** Kind of declaration that a node can name, with the words for error messages. */
interface TargetKind<D extends Callable> {
  readonly word: string;
  readonly article: string;
  readonly plural: string;
  readonly declarationsIn: (service: Service) => readonly D[];
}

export const operationKind: TargetKind<Callable> = {
  word: "operation",
  article: "an",
  plural: "Operations",
  declarationsIn: callablesOf,
};
export const watchKind: TargetKind<Watch> = {
  word: "watch",
  article: "a",
  plural: "Watches",
  declarationsIn: ({ watches = [] }) => watches,
};

/** Error of a node whose settings are incomplete or invalid. */
function unusableError(operation: string, reason: string, code: ErrorCode, word = "operation"): FxdeskError {
  return new FxdeskError(`${operation || `No ${word}`}: ${reason}`, {
    operation,
    code,
    outcome: "not-sent",
  });
}

function unknownNameError(
  name: string,
  { word, article, plural }: Omit<TargetKind<Callable>, "declarationsIn">,
  known: readonly Callable[],
): FxdeskError {
  if (!name) return unusableError(name, `Choose ${article} ${word} in the node.`, "invalid_input", word);
  const similar = suggestions(
    name,
    known.map((each) => each.name),
  );
  const hint =
    similar.length > 0
      ? ` Did you mean ${similar.join(" or ")}?`
      : ` ${plural} beyond the contract require an extension module: set ${extensionVariables.path} in the environment of Node-RED.`;
  return unusableError(name, `The service has no such ${word}.${hint}`, "invalid_input");
}

/** Returns the client of the connection. Throws an FxdeskError if there is none. */
export function requireClient(name: string, chosen: ConnectionChoice): ClientCore {
  if ("missing" in chosen) throw unusableError(name, chosen.missing, "no_connection");
  const { client, reason } = chosen.connection;
  if (!client) throw unusableError(name, `The connection is not usable: ${reason}`, "no_connection");
  return client;
}

/** Returns the client and the named declaration. Throws an FxdeskError if one of them is missing. */
export function resolveTarget<D extends Callable>(
  name: string,
  chosen: ConnectionChoice,
  kind: TargetKind<D>,
): Target<D> {
  const client = requireClient(name, chosen);
  const known = kind.declarationsIn(client.service);
  const operation = known.find((each) => each.name === name);
  if (!operation) throw unknownNameError(name, kind, known);
  return { client, operation };
}
