/** MCP over standard input and output. */
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { type HostMessage, Listeners, listenMethod } from "./listeners";
import type { Serving, Toolbox } from "./protocol";
import { serverOver } from "./server";

export interface StdioServer extends Serving {
  /** Resolves when nobody is there any more: the input has ended or the output is closed. The server closes itself. */
  readonly left: Promise<void>;
}

/** Resolves when the input has ended or the output is closed. Neither's error ends the process. */
function untilLeft({ stdin, stdout }: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ["end", "close", "error"]) stdin.on(end, () => resolve());
    stdout.on("error", () => resolve());
  });
}

/** Hears to what hosts listen, and until when. Returns what ends it for all. */
function hearListeners(transport: StdioServerTransport, listeners: Listeners): () => void {
  const listening = new Map<string | number, AbortController>();
  const deliver = transport.onmessage?.bind(transport);
  const onmessage: typeof transport.onmessage = (message) => {
    const { method, id, params } = message as HostMessage;
    deliver?.(message);
    if (method === listenMethod && id !== undefined) {
      const end = new AbortController();
      listening.set(id, end);
      listeners.add(message as HostMessage, end.signal);
    }
    if (method !== "notifications/cancelled" || params?.requestId === undefined) return;
    listening.get(params.requestId)?.abort();
    listening.delete(params.requestId);
  };
  Object.assign(transport, { onmessage });
  return () => listening.forEach((end) => end.abort());
}

/**
 * Serves a toolbox on standard input and output. Nothing else may write to standard output. When its input ends the SDK
 * drops all calls: it is given an input that ends after them.
 */
export function serveOnStdio(toolbox: Toolbox): StdioServer {
  const { stdin, stdout } = process;
  const input = new PassThrough();
  const transport = new StdioServerTransport(input, stdout);
  let connected: ReturnType<typeof serverOver> | undefined;
  const server = serveStdio(() => (connected = serverOver(toolbox, { hearing: "requests" })), {
    transport,
    onerror: (error) => console.error(error.message),
  });
  // What hosts hear goes through the server that the connection has.
  const listeners = new Listeners(toolbox, (uri) => {
    void connected?.sendResourceUpdated({ uri }).catch(() => undefined);
  });
  const endListening = hearListeners(transport, listeners);

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
  const left = untilLeft(process);
  void left.then(close);
  stdin.pipe(input, { end: false });
  return { left, close, unfinished: () => toolbox.unfinished() };
}
