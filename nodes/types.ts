/** The types of node that Node-RED registers, on one service. */
import type { NodeAPI } from "node-red";
import { serveOperations } from "./admin";
import { connectionNode } from "./connection/connection";
import { serveConnections } from "./connection/admin";
import { serveReading } from "./connection/reading";
import { serveChecks } from "./checking";
import { operationNodes } from "./operation/operation";
import { userService, withAllNodes } from "./service";
import { watchNode } from "./watch/watch";
import { stopWatch } from "./stopping";

/** `operation` and `watch` make the node of what is named; without a name, of what its form names. */
export function nodeTypes(RED: NodeAPI, environment: NodeJS.ProcessEnv = process.env) {
  const user = userService(environment);
  const isStopping = stopWatch(RED);
  serveOperations(RED, user.service);
  serveConnections(RED, user.service);
  serveReading(RED, user.service);
  serveChecks(RED, withAllNodes(user.service));
  return {
    connection: connectionNode(RED, user),
    operation: operationNodes(RED, isStopping),
    watch: (name?: string) => watchNode(RED, name),
  };
}
