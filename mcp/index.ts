/**
 * fxdesk for AI assistants: one MCP tool for each operation, procedure and watch, on a client of the service. Each part is loaded when it is
 * first needed: a host starts its servers all at once, and asks most of them for nothing but their list.
 */
import type { Endpoint, TokenHolderLookup, HttpServer, ListenOptions } from "./http";
import type { McpServer, RunningServer, Tool, Toolbox, ToolResult } from "./protocol";
import type { StdioServer } from "./stdio";
import type { McpOptions } from "./toolbox";
import { createLazyToolbox, type LazyToolboxOptions, toolListFor } from "./lazy-toolbox";

export { type AllowableEffect, parseAllowedEffects } from "./allow";
export { type Offer, resolveOffer, splitWords } from "./offer";
export { toolListFor };
export type {
  Endpoint,
  HttpServer,
  ListenOptions,
  Tool,
  Toolbox,
  ToolResult,
  McpOptions,
  McpServer,
  RunningServer,
  StdioServer,
  LazyToolboxOptions,
};

const loadServing = () => require("./serving") as typeof import("./serving");
const loadToolbox = (options: McpOptions) => {
  const { createToolbox } = require("./toolbox") as typeof import("./toolbox");
  return createToolbox(options);
};

/** A server to connect to a transport of one's own. */
export const createMcpServer = (options: McpOptions): McpServer =>
  loadServing().unconnected(loadToolbox(options));

/** Serves MCP on standard input and output until nobody listens there, to clients of every protocol revision. */
export const serveStdio = (options: LazyToolboxOptions): StdioServer =>
  loadServing().serveOnStdio(createLazyToolbox(options));

export interface HttpOptions extends McpOptions, ListenOptions {
  /** The absolute path of the file of people: who has a token there is let in by it, and is the actor of their calls. */
  readonly people?: string;
}

async function tokenHoldersFor(people: string | undefined): Promise<TokenHolderLookup | undefined> {
  if (people === undefined) return undefined;
  const { loadTokenHolders } = await import("./token-holders.js");
  return loadTokenHolders(people);
}

/**
 * Serves MCP over HTTP at /mcp, without sessions, to clients of every protocol revision. Throws a TypeError when its
 * token is too short, or missing where it would listen beyond this machine or do more than read.
 */
export async function serveHttp({ people, ...options }: HttpOptions): Promise<HttpServer> {
  const holderOf = await tokenHoldersFor(people);
  return (await loadServing().overHttp()).serveOverHttp(loadToolbox(options), { ...options, holderOf });
}

/**
 * MCP over HTTP as a handler, for a server of one's own; `around` may add to the tools. Throws a TypeError when the token is
 * too short.
 */
export const createMcpEndpoint = async (
  { token, ...options }: McpOptions & Required<Pick<ListenOptions, "token">>,
  wrapToolbox: (toolbox: Toolbox) => Toolbox = (toolbox) => toolbox,
): Promise<Endpoint> =>
  (await loadServing().overHttp()).endpointOver(wrapToolbox(loadToolbox(options)), token);
