/**
 * A plain MCP server with the tools of fxdesk, as in the documentation of the SDK: over stdio, or over HTTP if started with the
 * address of a service, which its tools then call.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  type CallToolResult,
  createMcpHandler,
  fromJsonSchema,
  McpServer,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Tool } from "../mcp/protocol";

const { tools } = JSON.parse(readFileSync(join(__dirname, "../mcp/tools.json"), "utf8")) as {
  readonly tools: readonly { readonly tool: Tool }[];
};

const service = process.argv[2];

/** Returns the rows of the service as data and, for older hosts, as text. */
async function callService(): Promise<CallToolResult> {
  if (service === undefined) return { content: [] };
  const structuredContent = { items: await (await fetch(service)).json() };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

function createBareServer(): McpServer {
  const server = new McpServer({ name: "bare", version: "1.0.0" });
  for (const { tool } of tools) {
    const { name, inputSchema, title, description, annotations } = tool;
    server.registerTool(
      name,
      { title, description, annotations, inputSchema: fromJsonSchema(inputSchema) },
      callService,
    );
  }
  return server;
}

if (service === undefined) serveStdio(createBareServer);
else {
  const handle = toNodeHandler(createMcpHandler(createBareServer));
  const server = createServer(
    (request, response) => void handle(request as Parameters<typeof handle>[0], response),
  );
  server.listen(0, "127.0.0.1", () =>
    console.error(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
  );
}
