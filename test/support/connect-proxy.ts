/** An HTTP proxy that tunnels to servers of this machine, by the names that a test gives them. */
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { listen, runLater } from "./resources";

interface ConnectProxyOptions {
  /** Port of this machine by `host:port`; all others are refused with 502. */
  readonly routes: Readonly<Record<string, number>>;
  /** `user:password` that clients must send. */
  readonly credentials?: string;
  /** Serves the proxy itself over TLS. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  /** Handles a tunnel instead of connecting it. */
  readonly handle?: (client: Duplex) => void;
  /** Cuts each tunnel once the client has sent more bytes than this through it. */
  readonly cutAfterBytes?: () => number;
}

export interface ConnectProxy {
  readonly port: number;
  /** `host:port` of each CONNECT request, in order. */
  readonly targets: string[];
}

export async function startConnectProxy(proxyOptions: ConnectProxyOptions): Promise<ConnectProxy> {
  const { routes, credentials, tls, handle, cutAfterBytes } = proxyOptions;
  const targets: string[] = [];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = tls ? createHttpsServer(tls) : createHttpServer();
  const sockets = new Set<Duplex>();
  const track = <S extends Duplex>(socket: S): S => {
    sockets.add(socket.on("error", () => undefined));
    return socket;
  };
  server.on("connect", ({ url = "", headers }: IncomingMessage, client: Duplex) => {
    targets.push(url);
    track(client);
    const refuse = (status: string) => client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
    if (expected !== undefined && headers["proxy-authorization"] !== expected)
      return refuse("407 Proxy Authentication Required");
    if (handle) return handle(client);
    if (routes[url] === undefined) return refuse("502 Bad Gateway");
    const service: Socket = track(connect(routes[url], "127.0.0.1"));
    service.once("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      service.pipe(client);
      if (!cutAfterBytes) return client.pipe(service);
      let left = cutAfterBytes();
      return client.on("data", (chunk: Buffer) => {
        const passed = chunk.subarray(0, left);
        left -= passed.length;
        service.write(passed, () => {
          if (left > 0) return;
          client.destroy();
          service.end();
        });
      });
    });
    client.on("close", () => service.destroySoon());
    service.on("close", () => (client as Socket).destroySoon());
  });
  const port = await listen(server);
  runLater(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { port, targets };
}
