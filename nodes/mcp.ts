/** The nodes for AI assistants, as Node-RED loads them; the types are literal for tools that read them without running the file. */
import type { NodeAPI } from "node-red";
import { McpPaths, mcpServerNode } from "./assistant/server";
import { toolNode, toolResultNode } from "./assistant/tool";

export = (RED: NodeAPI): void => {
  RED.nodes.registerType("fxdesk-mcp-server", mcpServerNode(RED, new McpPaths(RED.httpNode)), {
    credentials: { token: { type: "password" } },
  });
  RED.nodes.registerType("fxdesk-tool", toolNode(RED));
  RED.nodes.registerType("fxdesk-tool-result", toolResultNode(RED));
};
