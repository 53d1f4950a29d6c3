/** The part of the server that stands on the client core. */
import { serverOver } from "./server";
import { toolbox, type McpOptions } from "./toolbox";

export { serveHttp } from "./http";
export { toolbox } from "./toolbox";

/** A server that is not connected yet. */
export interface McpServer {
  /** Starts to serve on a transport of the MCP SDK. */
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
}

export function createMcpServer(options: McpOptions): McpServer {
  const server = serverOver(toolbox(options));
  return {
    connect: (transport) => server.connect(transport as Parameters<typeof server.connect>[0]),
    close: () => server.close(),
  };
}
