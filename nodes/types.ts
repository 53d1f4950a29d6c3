/** The types of node that Node-RED registers, on one service. */
import type { NodeAPI } from "node-red";
import { serveOperations } from "./admin";
import { connectionCredentials, connectionNode } from "./connection/connection";
import { operationNode } from "./operation/operation";
import { userService } from "./service";
import { stopWatch } from "./stopping";

/** `operation` makes the node of the named operation; without a name, of the one that its form names. */
export function nodeTypes(RED: NodeAPI, environment: NodeJS.ProcessEnv = process.env) {
  const user = userService(environment);
  const isStopping = stopWatch(RED);
  serveOperations(RED, user.service);
  return {
    connection: connectionNode(RED, user),
    credentials: connectionCredentials(user.service),
    operation: (name?: string) => operationNode(RED, isStopping, name),
  };
}
