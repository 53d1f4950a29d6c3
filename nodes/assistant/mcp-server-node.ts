/** The config node “MCP server”: the tools of a connection, and flows as tools, on Node-RED's own HTTP server. */
import type { Node, NodeAPI, NodeConstructor, NodeDef } from "node-red";
import { type AllowableEffect, type Endpoint, createMcpEndpoint, splitWords } from "../../mcp";
import { findConnection } from "../connection/find-connection";
import { FlowTools } from "./flow-tools";
import type { McpPaths } from "./mcp-paths";

export interface McpServerDef extends NodeDef {
  readonly connection: string;
  /** Below Node-RED's address of HTTP nodes, such as /mcp. */
  readonly path: string;
  /** What tools may do beyond reading: nothing, `change`, or `change,money`. */
  readonly allow: string;
  /** Sets of tools, with commas between them. */
  readonly toolsets: string;
}

/** Holds the token where the form does not. */
const tokenVariable = "FXDESK_MCP_TOKEN";

interface Secrets {
  token: unknown;
}

/** A server as the nodes of its flows see it. */
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
          `An MCP server needs a token of its own, in its form or in ${tokenVariable}: whoever has it can call its tools.`,
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
