/**
 * fxdesk for AI assistants: one MCP tool for each operation, on a client of the service. What stands on the client core
 * is loaded when it is first needed: a host starts its servers all at once, and asks most of them for their list only.
 */
import type { HttpOptions, HttpServer } from "./http";
import type { McpServer } from "./on-core";
import { serveOnStdio, type StdioServer } from "./stdio";
import type { McpOptions } from "./toolbox";
import { writtenToolbox, type WrittenOptions } from "./written";

export { type Allowed, allowedFrom } from "./allow";
export type { HttpOptions, HttpServer, McpOptions, McpServer };
export type { StdioServer, WrittenOptions as StdioOptions };

const onCore = () => require("./on-core") as typeof import("./on-core");

/** A server to connect to a transport of one's own. */
export const createMcpServer = (options: McpOptions): McpServer => onCore().createMcpServer(options);

/**
 * Serves MCP over HTTP at /mcp, without sessions, to clients of every protocol revision. Throws a TypeError when it
 * would listen beyond this machine without a token.
 */
export const serveHttp = async (options: HttpOptions): Promise<HttpServer> => onCore().serveHttp(options);

/** Serves MCP on standard input and output until the input ends, to clients of every protocol revision. */
export const serveStdio = (options: WrittenOptions): StdioServer => serveOnStdio(writtenToolbox(options));
