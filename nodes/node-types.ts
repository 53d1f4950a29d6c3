/** Node constructors and editor routes of one service. */
import type { NodeAPI } from "node-red";
import { connectionNode, loadUserService } from "./connection/connection-node";
import { serveConnectionActions } from "./editor/serve-connection-actions";
import { serveHeadings, serveInputChecks, serveOperations } from "./editor/serve-operations";
import { serveMonitoring } from "./editor/serve-monitoring";
import { serveFormReads } from "./editor/serve-form-reads";
import { operationNodes } from "./operation";
import { withQuoteProcedures } from "./shared/node-names";
import { watchNode } from "./watch/watch-node";

/** Creates the node constructors. Without a name, `operation` and `watch` read it from the form of the node. */
export function nodeTypes(RED: NodeAPI, environment: NodeJS.ProcessEnv = process.env) {
  const user = loadUserService(environment);
  serveOperations(RED, user.service);
  serveConnectionActions(RED, user.service);
  serveFormReads(RED, user.service);
  serveMonitoring(RED);
  serveInputChecks(RED, withQuoteProcedures(user.service));
  serveHeadings(RED, user.service);
  return {
    connection: connectionNode(RED, user),
    operation: operationNodes(RED),
    watch: (name?: string) => watchNode(RED, name),
  };
}
