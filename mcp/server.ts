/** The MCP server over a toolbox: the one place that maps between the two. */
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  Server,
} from "@modelcontextprotocol/server";
import { keptFor } from "./expiring-store";
import type { McpServer, Toolbox } from "./protocol";
import { version } from "./version";

/** The list changes only when the server is started again. */
const listStaysMs = 300_000;

const gone = (uri: string) =>
  `There is no ${uri} here: what a result links to is kept for ${keptFor}, by the server that gave it. Call the tool again.`;

/**
 * A server for one connection, or for one request over HTTP. It works below the SDK's own tool registry, which would turn
 * every input schema into JSON again for each list, and drop arguments it does not know.
 */
export function serverOver(toolbox: Toolbox): Server {
  const server = new Server(
    { name: "fxdesk", title: toolbox.title, version },
    {
      capabilities: { tools: {}, resources: {} },
      instructions: toolbox.instructions,
      cacheHints: { "tools/list": { ttlMs: listStaysMs, cacheScope: "private" } },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: toolbox.tools }) as ListToolsResult);
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const result = await toolbox.call(params.name, params.arguments ?? {}, mcpReq.signal);
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    return result as CallToolResult;
  });
  // What results link to is listed nowhere: only who was given an address reads it.
  server.setRequestHandler("resources/list", () => ({ resources: [] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
  server.setRequestHandler("resources/read", ({ params }) => {
    const found = toolbox.read(params.uri);
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, gone(params.uri));
    return found as ReadResourceResult;
  });
  return server;
}

/** The same for who brings a transport. */
export function unconnected(toolbox: Toolbox): McpServer {
  const server = serverOver(toolbox);
  return {
    connect: (transport) => server.connect(transport as Parameters<typeof server.connect>[0]),
    async close() {
      await toolbox.close();
      await server.close();
    },
  };
}
