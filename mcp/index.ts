/**
 * fxdesk for AI assistants: one MCP tool for each operation, procedure and watch, on a client of the service. Each part is loaded when it is
 * first needed: a host starts its servers all at once, and asks most of them for nothing but their list.
 */
import type { Endpoint, HolderOf, HttpServer, Listening } from "./http";
import type { McpServer, Serving, Tool, Toolbox, ToolResult } from "./protocol";
import type { StdioServer } from "./stdio";
import type { McpOptions } from "./toolbox";
import { lazyToolbox, type LazyToolboxOptions, toolListFor } from "./lazy-toolbox";

export { type Allowed, allowedFrom } from "./allow";
export { type Offer, offeredOf, wordsIn } from "./offer";
export { toolListFor };
export type {
  Endpoint,
  HttpServer,
  Listening,
  Tool,
  Toolbox,
  ToolResult,
  McpOptions,
  McpServer,
  Serving,
  StdioServer,
  LazyToolboxOptions,
};

const serving = () => require("./serving") as typeof import("./serving");
const toolboxOf = (options: McpOptions) => {
  const { toolbox } = require("./toolbox") as typeof import("./toolbox");
  return toolbox(options);
};

/** A server to connect to a transport of one's own. */
export const createMcpServer = (options: McpOptions): McpServer => serving().unconnected(toolboxOf(options));

/** Serves MCP on standard input and output until nobody listens there, to clients of every protocol revision. */
export const serveStdio = (options: LazyToolboxOptions): StdioServer =>
  serving().serveOnStdio(lazyToolbox(options));

export interface HttpOptions extends McpOptions, Listening {
  /** The absolute path of the file of people: who has a token there is let in by it, and is the actor of their calls. */
  readonly people?: string;
}

async function holdersIn(people: string | undefined): Promise<HolderOf | undefined> {
  if (people === undefined) return undefined;
  const { tokenHolders } = await import("./token-holders.js");
  return tokenHolders(people);
}

/**
 * Serves MCP over HTTP at /mcp, without sessions, to clients of every protocol revision. Throws a TypeError when its
 * token is too short, or missing where it would listen beyond this machine or do more than read.
 */
export async function serveHttp({ people, ...options }: HttpOptions): Promise<HttpServer> {
  const holderOf = await holdersIn(people);
  return (await serving().overHttp()).serveOverHttp(toolboxOf(options), { ...options, holderOf });
}

/**
 * MCP over HTTP as a handler, for a server of one's own; `around` may add to the tools. Throws a TypeError when the token is
 * too short.
 */
export const mcpEndpoint = async (
  { token, ...options }: McpOptions & Required<Pick<Listening, "token">>,
  around: (toolbox: Toolbox) => Toolbox = (toolbox) => toolbox,
): Promise<Endpoint> => (await serving().overHttp()).endpointOver(around(toolboxOf(options)), token);
