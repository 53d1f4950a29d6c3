/** Node constructors and editor routes of one service. */
import type { NodeAPI } from "node-red";
import { serveOperations } from "./editor/serve-operations";
import { connectionNode } from "./connection/connection-node";
import { serveConnectionActions } from "./editor/serve-connection-actions";
import { serveFormReads } from "./editor/serve-form-reads";
import { serveInputChecks } from "./editor/serve-input-checks";
import { operationNodes } from "./operation";
import { loadUserService, withQuoteProcedures } from "./connection/user-service";
import { watchNode } from "./watch/watch-node";
import { trackShutdown } from "./operation/shutdown";

/** Creates the node constructors. Without a name, `operation` and `watch` read it from the form of the node. */
export function nodeTypes(RED: NodeAPI, environment: NodeJS.ProcessEnv = process.env) {
  const user = loadUserService(environment);
  const isShuttingDown = trackShutdown(RED);
  serveOperations(RED, user.service);
  serveConnectionActions(RED, user.service);
  serveFormReads(RED, user.service);
  serveInputChecks(RED, withQuoteProcedures(user.service));
  return {
    connection: connectionNode(RED, user),
    operation: operationNodes(RED, isShuttingDown),
    watch: (name?: string) => watchNode(RED, name),
  };
}
