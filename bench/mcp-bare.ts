/** A plain MCP server with the tools of fxdesk, as in the documentation of the SDK. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Tool } from "../mcp/protocol";

const { tools } = JSON.parse(readFileSync(join(__dirname, "../mcp/tools.json"), "utf8")) as {
  readonly tools: readonly { readonly tool: Tool }[];
};

serveStdio(() => {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  for (const { tool } of tools) {
    const { name, inputSchema, title, description, annotations } = tool;
    server.registerTool(
      name,
      { title, description, annotations, inputSchema: fromJsonSchema(inputSchema) },
      async () => ({
        content: [],
      }),
    );
  }
  return server;
});
