/** Serves health and metrics of the connections. */
import type { NodeAPI } from "node-red";
import { Monitor } from "../../core/monitoring/monitor";
import type { ConnectionNode } from "../connection/connection-node";
import { connectionType } from "../shared/node-names";
import { editorAccess } from "./serve-texts";

/** Adds the routes /fxdesk/health, /fxdesk/ready and /fxdesk/metrics. They require the permission `fxdesk.read`. */
export function serveMonitoring(RED: NodeAPI): void {
  const monitored = () => {
    const connections: ConnectionNode[] = [];
    RED.nodes.eachNode(({ id, type }) => {
      const node = type === connectionType && (RED.nodes.getNode(id) as ConnectionNode | null);
      if (node) connections.push(node);
    });
    return connections.flatMap((connection) => connection.monitored ?? []);
  };
  const monitor = new Monitor({ monitored, log: (line) => RED.log.warn(`fxdesk: ${line}`) });
  for (const path of ["/health", "/ready", "/metrics"])
    RED.httpAdmin.get(`/fxdesk${path}`, editorAccess(RED, "fxdesk.read"), (request, response) => {
      monitor.handle(request, response, path).catch((error: Error) => {
        RED.log.error(`fxdesk: ${error.message}`);
        response.destroy();
      });
    });
}
