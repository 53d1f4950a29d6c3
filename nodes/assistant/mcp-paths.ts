/** Routes of the MCP servers on Node-RED's own HTTP server. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../../mcp";

/** An Express request. The editor's body parser may have run already if both share a root path. */
interface Request extends IncomingMessage {
  readonly path: string;
  readonly body?: unknown;
  /** True if the body was parsed. */
  readonly _body?: boolean;
}

type Handler = (request: Request, response: ServerResponse, next: () => void) => void;

/** Dispatches requests to MCP servers by path. One handler serves all of them because Express cannot remove handlers. */
export class McpPaths {
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(httpNode: { use(handler: Handler): unknown } | undefined) {
    httpNode?.use((request, response, next) => {
      const endpoint = this.#endpoints.get(request.path);
      if (endpoint) endpoint.handle(request, response, request._body ? request.body : undefined);
      else next();
    });
  }

  /** Adds a path and returns a function that removes it. Throws a TypeError if the path is invalid or taken. */
  add(path: string, endpoint: Endpoint): () => void {
    if (!/^\/[\w\-/.]*[\w-]$/.test(path))
      throw new TypeError(`The path must start with a slash, such as /mcp, not ${JSON.stringify(path)}.`);
    if (this.#endpoints.has(path)) throw new TypeError(`Another MCP server already uses the path ${path}.`);
    this.#endpoints.set(path, endpoint);
    return () => void this.#endpoints.delete(path);
  }
}
