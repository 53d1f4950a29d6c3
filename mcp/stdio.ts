/** MCP over standard input and output. */
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { log } from "../core/spec/log";
import { type HostMessage, listenMethod, subscribeToMessage } from "./subscriptions";
import type { RunningServer, Toolbox } from "./protocol";
import { createToolboxServer } from "./server";

export interface StdioServer extends RunningServer {
  /** Resolves when the input has ended or the output is closed. The server then closes itself. */
  readonly disconnected: Promise<void>;
}

/** Resolves when the input has ended or the output is closed. Handles the errors of both, which would end the process. */
function untilDisconnected({ stdin, stdout }: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ["end", "close", "error"]) stdin.on(end, () => resolve());
    stdout.on("error", () => resolve());
  });
}

/** Registers the subscription streams of a host. Returns a function that ends them all. */
function trackListeners(
  transport: StdioServerTransport,
  toolbox: Toolbox,
  onUpdated: (uri: string) => void,
): () => void {
  const controllers = new Map<string | number, AbortController>();
  const forward = transport.onmessage?.bind(transport);
  const onmessage: typeof transport.onmessage = (message) => {
    const { method, id, params } = message as HostMessage;
    forward?.(message);
    if (method === listenMethod && id !== undefined) {
      const controller = new AbortController();
      controllers.set(id, controller);
      subscribeToMessage(toolbox, message as HostMessage, { onUpdated, signal: controller.signal });
    }
    if (method !== "notifications/cancelled" || params?.requestId === undefined) return;
    controllers.get(params.requestId)?.abort();
    controllers.delete(params.requestId);
  };
  Object.assign(transport, { onmessage });
  return () => controllers.forEach((controller) => controller.abort());
}

/**
 * Serves a toolbox on standard input and output. Nothing else may write to standard output. The SDK drops all calls when
 * its input ends, so it reads from a separate stream that ends after them.
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
      onerror: ({ message }) => log("error", message, {}, message),
    },
  );
  const endListening = trackListeners(transport, toolbox, (uri) => {
    void connected?.sendResourceUpdated({ uri }).catch(() => undefined);
  });

  async function finish(): Promise<void> {
    stdin.unpipe(input).pause();
    endListening();
    await toolbox.close();
    // Gives the SDK time to write the last results, which it drops when it is closed.
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
