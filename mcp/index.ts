/**
 * fxdesk for AI assistants: one MCP tool for each operation, procedure and watch, on a client of the service. Parts are
 * loaded on first use, because hosts start all servers at once and only list the tools of most.
 */
import { log } from "../core/spec/log";
import type { Endpoint, HttpServer, McpListenOptions, TokenHolderLookup } from "./http";
import type { McpServer, RunningServer, Tool, Toolbox } from "./protocol";
import type { Offer } from "./offered-tools";
import type { CompanyLogin } from "./scopes";
import type { ToolResult } from "./render/content";
import type { StdioServer } from "./stdio";
import {
  createLazyToolbox,
  createToolbox,
  inventoryFor,
  type LazyToolboxOptions,
  type McpOptions,
} from "./toolbox";

export {
  type AllowableEffect,
  type Offer,
  parseAllowedEffects,
  selectTools,
  splitWords,
} from "./offered-tools";
export { inventoryFor };
export type {
  CompanyLogin,
  Endpoint,
  HttpServer,
  McpListenOptions,
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

/** Creates a server to connect to your own transport. */
export const createMcpServer = (options: McpOptions): McpServer =>
  loadServing().unconnected(createToolbox(options));

/** Serves MCP on standard input and output until either is closed, in every protocol revision. */
export const serveStdio = (options: LazyToolboxOptions): StdioServer =>
  loadServing().serveOnStdio(createLazyToolbox(options));

export interface HttpOptions extends McpOptions, McpListenOptions {
  /** The absolute path of the people file. People authenticate with their tokens and become the requester of their calls. */
  readonly people?: string;
  /** Authorization server of a company, whose tokens name people of the people file. */
  readonly login?: CompanyLogin | undefined;
}

/**
 * Returns the lookup of token holders; undefined, until the next start, if the people file has no tokens or cannot be read.
 * Reads the file for each request, so that a removed token stops working at once.
 */
async function tokenHoldersFor(path: string | undefined): Promise<TokenHolderLookup | undefined> {
  if (path === undefined) return undefined;
  const { loadPeople } = await import("../core/people/people-file.js");
  const { Requester } = await import("../core/people/requester.js");
  try {
    const { people } = await loadPeople(path);
    if (Object.values(people).every(({ token }) => token === undefined)) return undefined;
  } catch (error) {
    log(
      "error",
      `Personal tokens are not accepted, because the people file could not be read: ${(error as Error).message}`,
    );
    return undefined;
  }
  return async (token) => Requester.ofToken(await loadPeople(path), token);
}

/**
 * Serves MCP over HTTP at /mcp, without sessions, in every protocol revision. Throws a TypeError if the token is too short,
 * or missing while the server listens beyond this machine or does more than read, or if the login is wrong.
 */
export async function serveHttp({ people, ...options }: HttpOptions): Promise<HttpServer> {
  const holderOf = await tokenHoldersFor(people);
  const restrict = (allow: NonNullable<Offer["allow"]>) => createToolbox({ ...options, allow });
  const serving = { ...options, holderOf, restrict, ...((holderOf ?? options.login) && { people }) };
  return (await loadServing().overHttp()).serveOverHttp(createToolbox(options), serving);
}

/**
 * Creates a request handler for MCP over HTTP, to mount in your own server; `wrapToolbox` may add tools. Throws a TypeError
 * if the token is too short.
 */
export const createMcpEndpoint = async (
  { token, ...options }: McpOptions & Required<Pick<McpListenOptions, "token">>,
  wrapToolbox: (toolbox: Toolbox) => Toolbox = (toolbox) => toolbox,
): Promise<Endpoint> =>
  (await loadServing().overHttp()).endpointOver(wrapToolbox(createToolbox(options)), token);
