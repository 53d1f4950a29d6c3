/** The nodes for AI assistants, as Node-RED loads them; the types are literal for tools that read them without running the file. */
import type { NodeAPI } from "node-red";
import { McpPaths } from "./assistant/paths";
import { lazily } from "./lazily";

export = (RED: NodeAPI): void => {
  // Before the HTTP nodes of flows, whose paths would come first.
  const paths = new McpPaths(RED.httpNode);
  const server = lazily(() => {
    const { mcpServerNode } = require("./assistant/server") as typeof import("./assistant/server");
    return mcpServerNode(RED, paths);
  });
  const tool = lazily(() => {
    const { toolNode } = require("./assistant/tool") as typeof import("./assistant/tool");
    return toolNode(RED);
  });
  const result = lazily(() => {
    const { toolResultNode } = require("./assistant/tool") as typeof import("./assistant/tool");
    return toolResultNode(RED);
  });
  RED.nodes.registerType("fxdesk-mcp-server", server, { credentials: { token: { type: "password" } } });
  RED.nodes.registerType("fxdesk-tool", tool);
  RED.nodes.registerType("fxdesk-tool-result", result);
};
