/** The connection that a node names. */
import type { NodeAPI, NodeDef } from "node-red";
import { connectionType } from "../node-names";
import type { ConnectionNode } from "./connection-node";

/** The connection, or why there is none. */
export type ConnectionChoice = { readonly connection: ConnectionNode } | { readonly missing: string };

/** As the flows have it, disabled or not. */
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
  if (!node) return "The connection that is chosen in the node is gone: choose another.";
  const label = node.name ? `“${node.name}”` : id;
  if (node.type !== connectionType)
    return `What is chosen as the connection, ${label}, is of the type ${node.type}: choose an ${connectionType} in the node.`;
  if (node.d) return `The connection ${label} is disabled: enable it, or choose another in the node.`;
  return `The connection ${label} does not run where this node does: its flow is disabled, or another one.`;
}

/** Only a connection has a client or the reason why it has none. */
const isConnection = ({ client, reason }: ConnectionNode): boolean =>
  client !== undefined || reason !== undefined;

export function findConnection(RED: NodeAPI, id: string): ConnectionChoice {
  const connection = RED.nodes.getNode(id) as ConnectionNode | null;
  return connection && isConnection(connection) ? { connection } : { missing: missingReason(RED, id) };
}
