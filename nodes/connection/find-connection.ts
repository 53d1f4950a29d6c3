/** Lookup of the connection of a node. */
import type { NodeAPI, NodeDef } from "node-red";
import { connectionType } from "../shared/node-names";
import type { ConnectionNode } from "./connection-node";

/** The connection, or the reason why it is missing. */
export type ConnectionChoice = { readonly connection: ConnectionNode } | { readonly missing: string };

/** Returns a node of the deployed flows, even if it is disabled. */
function deployedNode(RED: NodeAPI, id: string): (NodeDef & { readonly d?: boolean }) | undefined {
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
