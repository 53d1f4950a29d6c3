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
import { askingFor, usualAnswerMs } from "./elicitation";
import { keptFor } from "./expiring-store";
import type { McpServer, Toolbox } from "./protocol";
import { version } from "./version";
import { resourcesIn, templatesIn } from "./watch-address";

/** The list changes only when the server is started again. */
const listStaysMs = 300_000;

const gone = (uri: string) =>
  `There is no ${uri} here: what a result links to is kept for ${keptFor}, by the server that gave it. Call the tool again.`;

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
  let last = -1;
  return ({ done, total, message }) => {
    if (done <= last || signal.aborted) return;
    last = done;
    const params = { progressToken, progress: done, ...(total !== undefined && { total }), message };
    notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

/** What a host has subscribed to, by address, each with what ends it. */
class Subscribed {
  readonly #ends = new Map<string, AbortController>();

  constructor(private readonly toolbox: Toolbox) {}

  /** False where there is nothing to subscribe to. */
  add(uri: string, updated: () => void): boolean {
    this.remove(uri);
    const end = new AbortController();
    this.#ends.set(uri, end);
    return this.toolbox.subscribe(uri, updated, end.signal);
  }

  remove(uri: string): void {
    this.#ends.get(uri)?.abort();
    this.#ends.delete(uri);
  }

  removeAll(): void {
    for (const uri of this.#ends.keys()) this.remove(uri);
  }
}

/**
 * How hosts hear that there is something to read. `requests`: they subscribe to each address on a connection that lasts, or
 * open a stream. `streams`: they open a stream beside the requests, each of which has a server of its own. `nothing`: they do
 * not.
 */
export type Hearing = "requests" | "streams" | "nothing";

interface ServerOptions {
  readonly hearing: Hearing;
  /** Who asks, where that is another than the actor of the client. */
  readonly actor?: string | undefined;
  /** How long the person at a host may think about a question. */
  readonly answerMs?: number;
}

/**
 * A server for one connection, or for one request over HTTP. It works below the SDK's own tool registry, which would turn
 * every input schema into JSON again for each list, and drop arguments it does not know.
 */
export function serverOver(
  toolbox: Toolbox,
  { hearing, actor, answerMs = usualAnswerMs }: ServerOptions,
): Server {
  const server = new Server(
    { name: "fxdesk", title: toolbox.title, version },
    {
      capabilities: { tools: {}, resources: { ...(hearing !== "nothing" && { subscribe: true }) } },
      instructions: toolbox.instructions,
      cacheHints: { "tools/list": { ttlMs: listStaysMs, cacheScope: "private" } },
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: toolbox.tools }) as ListToolsResult);
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { signal, notify, _meta: meta } = context.mcpReq;
    const onProgress = progressNotifier(meta?.progressToken, notify, signal);
    const asking = askingFor(server, context, answerMs);
    const result = await toolbox.call(params.name, params.arguments ?? {}, signal, {
      onProgress,
      ask: asking.ask,
      actor,
    });
    const question = asking.unanswered();
    if (question) return question;
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    return result as CallToolResult;
  });
  // What results link to is listed nowhere: only who was given an address reads it.
  server.setRequestHandler("resources/list", () => ({ resources: resourcesIn(toolbox.resources) }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: templatesIn(toolbox.resources),
  }));
  server.setRequestHandler("resources/read", async ({ params }) => {
    const found = await toolbox.read(params.uri).catch((error: Error) => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    });
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, gone(params.uri));
    return found as ReadResourceResult;
  });
  if (hearing === "requests") takeSubscriptions(server, toolbox);
  return server;
}

/** Hosts of the older revisions subscribe by a request of its own; they hear no more once their connection is closed. */
function takeSubscriptions(server: Server, toolbox: Toolbox): void {
  const subscribed = new Subscribed(toolbox);
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    const updated = () => void server.sendResourceUpdated({ uri }).catch(() => undefined);
    if (!subscribed.add(uri, updated))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no watch at ${uri}.`);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.remove(uri);
    return {};
  });
  Object.assign(server, { onclose: () => subscribed.removeAll() });
}

/** The same for who brings a transport. */
export function unconnected(toolbox: Toolbox): McpServer {
  const server = serverOver(toolbox, { hearing: "requests" });
  return {
    connect: (transport) => server.connect(transport as Parameters<typeof server.connect>[0]),
    async close() {
      await toolbox.close();
      await server.close();
    },
  };
}
