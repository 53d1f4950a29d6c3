/** Registers the assistant nodes. The types are literals because flow-library tools read them without running the file. */
import type { NodeAPI } from "node-red";
import { McpPaths } from "./assistant/mcp-paths";
import { lazyNode } from "./lazy-nodes";

export = (RED: NodeAPI): void => {
  // Created before the HTTP nodes of flows, which would otherwise take precedence.
  const paths = new McpPaths(RED.httpNode);
  const server = lazyNode(() => {
    const { mcpServerNode } =
      require("./assistant/mcp-server-node") as typeof import("./assistant/mcp-server-node");
    return mcpServerNode(RED, paths);
  });
  const tool = lazyNode(() => {
    const { toolNode } = require("./assistant/tool-nodes") as typeof import("./assistant/tool-nodes");
    return toolNode(RED);
  });
  const result = lazyNode(() => {
    const { toolResultNode } = require("./assistant/tool-nodes") as typeof import("./assistant/tool-nodes");
    return toolResultNode(RED);
  });
  RED.nodes.registerType("fxdesk-mcp-server", server, { credentials: { token: { type: "password" } } });
  RED.nodes.registerType("fxdesk-tool", tool);
  RED.nodes.registerType("fxdesk-tool-result", result);
};
