/** The config node “MCP server”: offers the tools of a connection and of flows on Node-RED's own HTTP server. */
import type { Node, NodeAPI, NodeConstructor, NodeDef } from "node-red";
import { type AllowableEffect, type Endpoint, createMcpEndpoint, splitWords } from "../../mcp";
import { findConnection } from "../connection/target";
import { FlowTools } from "./flow-tools";
import type { McpPaths } from "./mcp-paths";

export interface McpServerDef extends NodeDef {
  readonly connection: string;
  /** Path below Node-RED's root for HTTP nodes, for example /mcp. */
  readonly path: string;
  /** Allowed effects besides read: empty, `change`, or `change,money`. */
  readonly allow: string;
  /** Comma-separated names of toolsets. */
  readonly toolsets: string;
}

/** Environment variable with the token, used if the form has none. */
const tokenVariable = "FXDESK_MCP_TOKEN";

interface Secrets {
  token: unknown;
}

/** The server node as seen by tool nodes. */
export interface McpServerNode extends Node<Secrets> {
  readonly flows: FlowTools;
  readonly path: string;
}

export function mcpServerNode(
  RED: NodeAPI,
  paths: McpPaths,
): NodeConstructor<McpServerNode, McpServerDef, Secrets> {
  return function McpServer(this: McpServerNode, config: McpServerDef) {
    RED.nodes.createNode(this, config);
    const allow = splitWords(config.allow ?? "") as AllowableEffect[];
    const flows = new FlowTools(allow.includes("change"));
    Object.assign(this, { flows, path: config.path });
    let endpoint: Endpoint | undefined;
    let removePath: (() => void) | undefined;
    let isClosed = false;

    const startEndpoint = async (): Promise<void> => {
      const chosen = findConnection(RED, config.connection);
      if ("missing" in chosen) throw new TypeError(chosen.missing);
      const { client, reason } = chosen.connection;
      if (!client) throw new TypeError(reason);
      const token = this.credentials?.token || (RED.util.getSetting(this, tokenVariable) as unknown);
      if (typeof token !== "string" || token === "")
        throw new TypeError(
          `The MCP server has no token. Set one in its form or in ${tokenVariable}; anyone who has it can call the tools.`,
        );
      const toolsets = splitWords(config.toolsets ?? "");
      const options = { client, allow, ...(toolsets.length > 0 && { toolsets }) };
      endpoint = await createMcpEndpoint({ ...options, token }, (toolbox) => flows.wrapToolbox(toolbox));
      if (isClosed) return endpoint.close();
      removePath = paths.add(config.path, endpoint);
      this.log(`MCP is served at ${config.path}.`);
    };
    const started = startEndpoint().catch((error: Error) => this.error(error.message));
    this.on("close", (_removed: boolean, done: () => void) => {
      isClosed = true;
      removePath?.();
      void started.then(() => endpoint?.close()).finally(done);
    });
  };
}
