/** MCP over standard input and output. */
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Serving, Toolbox } from "./protocol";
import { serverOver, Subscribed } from "./server";

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

/** A message that a host sends, as far as it says what it listens to. */
interface HostMessage {
  readonly method?: string;
  readonly id?: string | number;
  readonly params?: {
    readonly notifications?: { readonly resourceSubscriptions?: readonly string[] };
    readonly requestId?: string | number;
  };
}

/**
 * Hosts of the newer revision say in one request what they listen to, which the SDK answers by itself and nobody hears of.
 * What they hear of it goes through the server that the connection has.
 */
function hearListeners(
  transport: StdioServerTransport,
  toolbox: Toolbox,
  updated: (uri: string) => void,
): Subscribed {
  const subscribed = new Subscribed(toolbox);
  const listening = new Map<string | number, readonly string[]>();
  const deliver = transport.onmessage?.bind(transport);
  const onmessage: typeof transport.onmessage = (message) => {
    const { method, id, params } = message as HostMessage;
    deliver?.(message);
    if (method === "subscriptions/listen" && id !== undefined) {
      const uris = params?.notifications?.resourceSubscriptions ?? [];
      listening.set(id, uris);
      for (const uri of uris) subscribed.add(uri, () => updated(uri));
    }
    if (method !== "notifications/cancelled" || params?.requestId === undefined) return;
    for (const uri of listening.get(params.requestId) ?? []) subscribed.remove(uri);
    listening.delete(params.requestId);
  };
  Object.assign(transport, { onmessage });
  return subscribed;
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
  const server = serveStdio(() => (connected = serverOver(toolbox, { lasts: true })), {
    transport,
    onerror: (error) => console.error(error.message),
  });
  const listeners = hearListeners(transport, toolbox, (uri) => {
    void connected?.sendResourceUpdated({ uri }).catch(() => undefined);
  });

  async function finish(): Promise<void> {
    stdin.unpipe(input).pause();
    listeners.removeAll();
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
