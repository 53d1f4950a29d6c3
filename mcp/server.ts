/** Maps a toolbox to an MCP server of the SDK. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CallToolResult,
  type ListPromptsResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import type { Requester } from "../core/people/requester";
import type { Progress } from "../core/spec/procedure";
import { cardExtension } from "./cards";
import { capabilitiesOf, defaultAnswerTimeoutMs, elicitationFor } from "./elicitation";
import type { McpServer, Toolbox } from "./protocol";
import { personLinksFor } from "./person-links";
import { retentionText } from "./render/content";

/** package.json is one folder above the sources and two above the build output. */
const manifest = ["..", "../.."].map((up) => join(__dirname, up, "package.json")).find(existsSync);

const version = manifest
  ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version
  : "0.0.0";

/** Hosts may cache lists of tools and prompts, which change only with a restart. */
const listCacheHint = { ttlMs: 300_000, cacheScope: "private" } as const;

const expiredMessage = (uri: string) =>
  `Unknown or expired resource ${uri}. Linked resources are kept for ${retentionText}, only by the server that created them. Call the tool again.`;

/** A host that has not said what it can do may show cards. */
const unknownHost = { extensions: { [cardExtension]: {} } };

const invalidParamsError = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/**
 * Subscription mechanism of a connection. `requests`: one request per URI on a lasting connection, or a stream. `streams`:
 * only a stream, because each HTTP request has its own server. `nothing`: no subscriptions.
 */
export type SubscriptionMode = "requests" | "streams" | "nothing";

interface ServerOptions {
  readonly subscriptionMode: SubscriptionMode;
  /** The authenticated caller. Default: the requester of the client. */
  readonly requester?: Requester | undefined;
  /** Time in which the user of the host must answer a question. */
  readonly answerTimeoutMs?: number;
}

/**
 * Creates a server for one connection or one HTTP request. It bypasses the tool registry of the SDK, which converts every
 * input schema again for each list and drops unknown arguments.
 */
export function createToolboxServer(
  toolbox: Toolbox,
  { subscriptionMode, requester, answerTimeoutMs = defaultAnswerTimeoutMs }: ServerOptions,
): Server {
  const server = new Server(
    { name: "fxdesk", title: toolbox.title, version },
    {
      capabilities: {
        tools: {},
        prompts: {},
        completions: {},
        extensions: { [cardExtension]: {} },
        resources: { ...(subscriptionMode !== "nothing" && { subscribe: true }) },
      },
      instructions: toolbox.instructions,
      cacheHints: { "tools/list": listCacheHint, "prompts/list": listCacheHint },
    },
  );
  handleTools(server, toolbox, requester, answerTimeoutMs);
  handlePrompts(server, toolbox);
  handleResources(server, toolbox, requester);
  if (subscriptionMode === "requests") handleSubscriptions(server, toolbox);
  return server;
}

function handleTools(
  server: Server,
  toolbox: Toolbox,
  requester: Requester | undefined,
  answerTimeoutMs: number,
): void {
  server.setRequestHandler("tools/list", (_request, context) => {
    const { extensions } = capabilitiesOf(server, context) ?? unknownHost;
    const tools = extensions?.[cardExtension]
      ? toolbox.tools
      : toolbox.tools.map(({ _meta, ...tool }) => tool);
    return { tools } as unknown as ListToolsResult;
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { signal, notify, _meta: meta } = context.mcpReq;
    const onProgress = progressNotifier(meta?.progressToken, notify, signal);
    const elicitation = elicitationFor(server, context, answerTimeoutMs);
    const links = personLinksFor(params.name, capabilitiesOf(server, context), context, answerTimeoutMs);
    if (links.finished) return links.finished as CallToolResult;
    const result = await toolbox.call(params.name, params.arguments ?? {}, signal, {
      onProgress,
      ask: elicitation.ask,
      showLink: links.show,
      requester,
      traceContext: meta,
    });
    const question = elicitation.pendingRequest() ?? links.pendingRequest(result);
    if (question) return question;
    if (!result) throw invalidParamsError(`Unknown tool: ${params.name}.`);
    return result as CallToolResult;
  });
}

function handlePrompts(server: Server, toolbox: Toolbox): void {
  server.setRequestHandler(
    "prompts/list",
    () => ({ prompts: toolbox.prompts }) as unknown as ListPromptsResult,
  );
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: values = {} } }) => {
    let text: string | undefined;
    try {
      text = toolbox.renderPrompt(name, values);
    } catch (error) {
      throw invalidParamsError((error as Error).message);
    }
    if (text === undefined) throw invalidParamsError(`Unknown prompt: ${name}.`);
    return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
  });
  server.setRequestHandler("completion/complete", async ({ params: { argument } }) => ({
    completion: { ...(await toolbox.complete(argument.name, argument.value)) },
  }));
}

/** Stored results are not listed: only a caller that received the URI may read them. */
function handleResources(server: Server, toolbox: Toolbox, requester: Requester | undefined): void {
  const { resources } = toolbox;
  server.setRequestHandler("resources/list", () => ({
    resources: resources.flatMap(({ uri, listed }) => (uri === undefined ? [] : [{ uri, ...listed }])),
  }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: resources.map(({ uriTemplate, listed }) => ({ uriTemplate, ...listed })),
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const found = await toolbox.read(uri, requester).catch((error: Error) => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    });
    if (!found) throw new ResourceNotFoundError(uri, expiredMessage(uri));
    return found as ReadResourceResult;
  });
}

/** Handles subscriptions of older revisions, which end with the connection. */
function handleSubscriptions(server: Server, toolbox: Toolbox): void {
  const subscriptions = new Map<string, AbortController>();
  const remove = (uri: string) => {
    subscriptions.get(uri)?.abort();
    subscriptions.delete(uri);
  };
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    remove(uri);
    const controller = new AbortController();
    const onUpdated = () => void server.sendResourceUpdated({ uri }).catch(() => undefined);
    if (!toolbox.subscribe(uri, onUpdated, controller.signal))
      throw invalidParamsError(`There is no watch at ${uri}. Use a URI from the resource list or templates.`);
    subscriptions.set(uri, controller);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    remove(uri);
    return {};
  });
  Object.assign(server, { onclose: () => [...subscriptions.keys()].forEach(remove) });
}

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
