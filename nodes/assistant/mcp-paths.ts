/** Where the MCP servers of flows listen, on Node-RED's own HTTP server. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Endpoint } from "../../mcp";

/** A request as Express has it. The editor's own parser comes first where both are below one path. */
interface Request extends IncomingMessage {
  readonly path: string;
  readonly body?: unknown;
  /** Whether it was parsed. */
  readonly _body?: boolean;
}

type Handler = (request: Request, response: ServerResponse, next: () => void) => void;

/** Where servers listen: one handler for all of them, since Express has no way to take one away. */
export class McpPaths {
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(httpNode: { use(handler: Handler): unknown } | undefined) {
    httpNode?.use((request, response, next) => {
      const endpoint = this.#endpoints.get(request.path);
      if (endpoint) endpoint.handle(request, response, request._body ? request.body : undefined);
      else next();
    });
  }

  /** Throws a TypeError where a path does not begin with a slash, or is taken. */
  add(path: string, endpoint: Endpoint): () => void {
    if (!/^\/[\w\-/.]*[\w-]$/.test(path))
      throw new TypeError(`A path is such as /mcp, not ${JSON.stringify(path)}.`);
    if (this.#endpoints.has(path)) throw new TypeError(`Another MCP server is at ${path} already.`);
    this.#endpoints.set(path, endpoint);
    return () => void this.#endpoints.delete(path);
  }
}
