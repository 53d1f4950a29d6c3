/** The MCP server over a toolbox: the one place that maps between the two. */
import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  Server,
} from "@modelcontextprotocol/server";
import type { Progress } from "../core/declaration/procedure";
import { elicitationFor, defaultAnswerTimeoutMs } from "./elicitation";
import { retentionText } from "./expiring-store";
import type { McpServer, Toolbox } from "./protocol";
import { version } from "./version";
import { toListedResources, toResourceTemplates } from "./watch-uri";

/** The list changes only when the server is started again. */
const listCacheTtlMs = 300_000;

const expiredMessage = (uri: string) =>
  `There is no ${uri} here: what a result links to is kept for ${retentionText}, by the server that gave it. Call the tool again.`;

type Notify = (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;

/**
 * Tells a host that asked for it how far a call has come; the protocol wants each step to be beyond the one before. A host
 * that is gone is not told, and the call goes on.
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

/** What a host has subscribed to, by address, each with what ends it. */
class HostSubscriptions {
  readonly #controllers = new Map<string, AbortController>();

  constructor(private readonly toolbox: Toolbox) {}

  /** False where there is nothing to subscribe to. */
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
 * How hosts hear that there is something to read. `requests`: they subscribe to each address on a connection that lasts, or
 * open a stream. `streams`: they open a stream beside the requests, each of which has a server of its own. `nothing`: they do
 * not.
 */
export type SubscriptionMode = "requests" | "streams" | "nothing";

interface ServerOptions {
  readonly subscriptionMode: SubscriptionMode;
  /** Who asks, where that is another than the actor of the client. */
  readonly actor?: string | undefined;
  /** How long the person at a host may think about a question. */
  readonly answerTimeoutMs?: number;
}

/**
 * A server for one connection, or for one request over HTTP. It works below the SDK's own tool registry, which would turn
 * every input schema into JSON again for each list, and drop arguments it does not know.
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
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    return result as CallToolResult;
  });
  // What results link to is listed nowhere: only who was given an address reads it.
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

/** Hosts of the older revisions subscribe by a request of its own; they hear no more once their connection is closed. */
function handleSubscriptions(server: Server, toolbox: Toolbox): void {
  const subscriptions = new HostSubscriptions(toolbox);
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    const onUpdated = () => void server.sendResourceUpdated({ uri }).catch(() => undefined);
    if (!subscriptions.add(uri, onUpdated))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no watch at ${uri}.`);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscriptions.remove(uri);
    return {};
  });
  Object.assign(server, { onclose: () => subscriptions.removeAll() });
}

/** The same for who brings a transport. */
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
