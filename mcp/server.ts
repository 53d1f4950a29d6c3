/** Maps a toolbox to an MCP server of the SDK. */
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  Server,
} from "@modelcontextprotocol/server";
import type { Progress } from "../core/spec/procedure";
import { elicitationFor, defaultAnswerTimeoutMs } from "./elicitation";
import { retentionText } from "./render/expiring-store";
import type { McpServer, Toolbox } from "./protocol";
import { version } from "./version";
import { toListedResources, toResourceTemplates } from "./watch-uri";

/** Time for which hosts may cache the tool list, which changes only with a restart. */
const listCacheTtlMs = 300_000;

const expiredMessage = (uri: string) =>
  `Unknown or expired resource ${uri}. Linked resources are kept for ${retentionText}, only by the server that created them. Call the tool again.`;

type Notify = (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;

/**
 * Sends progress notifications if the host sent a token. The protocol requires increasing values. Errors are ignored,
 * because a call continues even if the host has disconnected.
 */
function progressNotifier(
  progressToken: string | number | undefined,
  notify: Notify,
  signal: AbortSignal,
): ((step: Progress) => void) | undefined {
  if (progressToken === undefined) return undefined;
  let lastDone = -1;
  return ({ done, total, message }) => {
    if (done <= lastDone || signal.aborted) return;
    lastDone = done;
    const params = { progressToken, progress: done, ...(total !== undefined && { total }), message };
    notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

/** The subscriptions of one connection, by URI. */
class HostSubscriptions {
  readonly #controllers = new Map<string, AbortController>();

  constructor(private readonly toolbox: Toolbox) {}

  /** Returns false if there is no watch at the URI. */
  add(uri: string, onUpdated: () => void): boolean {
    this.remove(uri);
    const controller = new AbortController();
    this.#controllers.set(uri, controller);
    return this.toolbox.subscribe(uri, onUpdated, controller.signal);
  }

  remove(uri: string): void {
    this.#controllers.get(uri)?.abort();
    this.#controllers.delete(uri);
  }

  removeAll(): void {
    for (const uri of this.#controllers.keys()) this.remove(uri);
  }
}

/**
 * Subscription mechanism of a connection. `requests`: one request per URI on a lasting connection, or a stream. `streams`:
 * only a stream, because each HTTP request has its own server. `nothing`: no subscriptions.
 */
export type SubscriptionMode = "requests" | "streams" | "nothing";

interface ServerOptions {
  readonly subscriptionMode: SubscriptionMode;
  /** The calling person. Default: the actor of the client. */
  readonly actor?: string | undefined;
  /** Time in which the user of the host must answer a question. */
  readonly answerTimeoutMs?: number;
}

/**
 * Creates a server for one connection or one HTTP request. It bypasses the tool registry of the SDK, which converts every
 * input schema again for each list and drops unknown arguments.
 */
export function createToolboxServer(
  toolbox: Toolbox,
  { subscriptionMode, actor, answerTimeoutMs = defaultAnswerTimeoutMs }: ServerOptions,
): Server {
  const server = new Server(
    { name: "fxdesk", title: toolbox.title, version },
    {
      capabilities: { tools: {}, resources: { ...(subscriptionMode !== "nothing" && { subscribe: true }) } },
      instructions: toolbox.instructions,
      cacheHints: { "tools/list": { ttlMs: listCacheTtlMs, cacheScope: "private" } },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: toolbox.tools }) as ListToolsResult);
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { signal, notify, _meta: meta } = context.mcpReq;
    const onProgress = progressNotifier(meta?.progressToken, notify, signal);
    const elicitation = elicitationFor(server, context, answerTimeoutMs);
    const result = await toolbox.call(params.name, params.arguments ?? {}, signal, {
      onProgress,
      ask: elicitation.ask,
      actor,
    });
    const question = elicitation.pendingRequest();
    if (question) return question;
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}.`);
    return result as CallToolResult;
  });
  // Stored results are not listed: only a caller that received the URI may read them.
  server.setRequestHandler("resources/list", () => ({ resources: toListedResources(toolbox.resources) }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: toResourceTemplates(toolbox.resources),
  }));
  server.setRequestHandler("resources/read", async ({ params }) => {
    const found = await toolbox.read(params.uri).catch((error: Error) => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    });
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, expiredMessage(params.uri));
    return found as ReadResourceResult;
  });
  if (subscriptionMode === "requests") handleSubscriptions(server, toolbox);
  return server;
}

/** Handles subscriptions of older revisions, which end with the connection. */
function handleSubscriptions(server: Server, toolbox: Toolbox): void {
  const subscriptions = new HostSubscriptions(toolbox);
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    const onUpdated = () => void server.sendResourceUpdated({ uri }).catch(() => undefined);
    if (!subscriptions.add(uri, onUpdated))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no watch at ${uri}. Use a URI from the resource list or templates.`,
      );
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscriptions.remove(uri);
    return {};
  });
  Object.assign(server, { onclose: () => subscriptions.removeAll() });
}

/** Creates a server that the caller connects to a transport. */
export function unconnected(toolbox: Toolbox): McpServer {
  const server = createToolboxServer(toolbox, { subscriptionMode: "requests" });
  return {
    connect: (transport) => server.connect(transport as Parameters<typeof server.connect>[0]),
    async close() {
      await toolbox.close();
      await server.close();
    },
  };
}
