/** MCP over standard input and output. */
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { type HostMessage, StreamListeners, listenMethod } from "./listeners";
import type { RunningServer, Toolbox } from "./protocol";
import { createToolboxServer } from "./server";

export interface StdioServer extends RunningServer {
  /** Resolves when nobody is there any more: the input has ended or the output is closed. The server closes itself. */
  readonly disconnected: Promise<void>;
}

/** Resolves when the input has ended or the output is closed. Neither's error ends the process. */
function untilDisconnected({ stdin, stdout }: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ["end", "close", "error"]) stdin.on(end, () => resolve());
    stdout.on("error", () => resolve());
  });
}

/** Hears to what hosts listen, and until when. Returns what ends it for all. */
function trackListeners(transport: StdioServerTransport, listeners: StreamListeners): () => void {
  const controllers = new Map<string | number, AbortController>();
  const forward = transport.onmessage?.bind(transport);
  const onmessage: typeof transport.onmessage = (message) => {
    const { method, id, params } = message as HostMessage;
    forward?.(message);
    if (method === listenMethod && id !== undefined) {
      const controller = new AbortController();
      controllers.set(id, controller);
      listeners.add(message as HostMessage, controller.signal);
    }
    if (method !== "notifications/cancelled" || params?.requestId === undefined) return;
    controllers.get(params.requestId)?.abort();
    controllers.delete(params.requestId);
  };
  Object.assign(transport, { onmessage });
  return () => controllers.forEach((controller) => controller.abort());
}

/**
 * Serves a toolbox on standard input and output. Nothing else may write to standard output. When its input ends the SDK
 * drops all calls: it is given an input that ends after them.
 */
export function serveOnStdio(toolbox: Toolbox): StdioServer {
  const { stdin, stdout } = process;
  const input = new PassThrough();
  const transport = new StdioServerTransport(input, stdout);
  let connected: ReturnType<typeof createToolboxServer> | undefined;
  const server = serveStdio(
    () => (connected = createToolboxServer(toolbox, { subscriptionMode: "requests" })),
    {
      transport,
      onerror: (error) => console.error(error.message),
    },
  );
  // What hosts hear goes through the server that the connection has.
  const listeners = new StreamListeners(toolbox, (uri) => {
    void connected?.sendResourceUpdated({ uri }).catch(() => undefined);
  });
  const endListening = trackListeners(transport, listeners);

  async function finish(): Promise<void> {
    stdin.unpipe(input).pause();
    endListening();
    await toolbox.close();
    // The results of the last calls are on their way through the SDK, which drops them when it is closed.
    await setImmediate();
    await server.close();
  }

  let closing: Promise<void> | undefined;
  const close = () => (closing ??= finish());
  const disconnected = untilDisconnected(process);
  void disconnected.then(close);
  stdin.pipe(input, { end: false });
  return { disconnected, close, unfinishedCalls: () => toolbox.unfinishedCalls() };
}
