/** Servers for people and programs: address, TLS, checks of Host and Origin, and limits for slow clients. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { logUnexpected } from "../spec/log";
import { isLoopback, loopbackNames } from "../values/host";

/** Answers the requests of monitoring systems in front of a handler. */
export interface RequestMonitor {
  around(handler: HttpHandler): HttpHandler;
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: 127.0.0.1. Any other than loopback requires `tls` or `behindProxy`. */
  readonly host?: string | undefined;
  /** Further addresses under which clients reach the server. The first is its public address. */
  readonly addresses?: readonly URL[] | undefined;
  /** Certificate and private key (PEM), to serve https. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** True if a proxy ends TLS for an https address and forwards the Host header. */
  readonly behindProxy?: boolean | undefined;
  /** Closed with the server. */
  readonly monitor?: RequestMonitor | undefined;
}

export interface HttpHandler {
  /** Answers a request whose Host and Origin were checked. `origin` is that of the address it was sent to. */
  handle(request: IncomingMessage, response: ServerResponse, origin: string): Promise<unknown>;
  /** Answers a request that is not accepted. */
  refuse(response: ServerResponse, status: number, message: string): void;
}

export interface ListeningServer {
  /** Origin of the public address. */
  readonly origin: string;
  /** Stops listening, waits for `finish`, then closes all connections. */
  close(finish?: () => Promise<unknown>): Promise<void>;
}

/** Limits for clients that hold connections without sending a request. */
const defaultLimits = {
  headersTimeoutMs: 10_000,
  /** For headers and body. */
  requestTimeoutMs: 30_000,
  /** Not applied behind a proxy, from which all connections come. */
  maxConnectionsPerAddress: 100,
  maxConnections: 1_000,
};

const anyAddresses: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);
const hsts = "max-age=31536000";

const bracketed = (host: string): string => (/^[^[].*:/.test(host) ? `[${host}]` : host);

const toTls = "set --tls-cert and --tls-key, or --behind-proxy if a proxy ends TLS";

/** Throws a TypeError if secrets could be sent over an unencrypted connection, or no client could reach the server. */
function assertSafe({ host = "127.0.0.1", addresses = [], tls, behindProxy = false }: ListenOptions): void {
  if (!URL.canParse(`http://${bracketed(host)}`))
    throw new TypeError(`host must be an address of this machine, not ${host}.`);
  const hasTls = tls !== undefined || behindProxy;
  if (!isLoopback(host) && !hasTls)
    throw new TypeError(`host ${host} is reachable from other machines: ${toTls}.`);
  for (const { protocol, hostname, origin, href } of addresses) {
    const isAllowed = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
    if (!isAllowed || href !== `${origin}/`)
      throw new TypeError(
        `address must be an https address without a path, or http on this machine, not ${href}.`,
      );
    if (protocol === "https:" && !hasTls) throw new TypeError(`address ${origin} needs TLS: ${toTls}.`);
  }
  if (behindProxy && !addresses.some(({ protocol }) => protocol === "https:"))
    throw new TypeError("address is required with --behind-proxy: the https address of the proxy.");
  if (anyAddresses.has(host) && addresses.length === 0)
    throw new TypeError(`address is required with --host ${host}: the https address that clients use.`);
}

/** True if the client went away before its request was read, which is not worth a log line. */
export const isAborted = (request: IncomingMessage): boolean => request.destroyed && !request.complete;

/** `origins` are those of the own addresses, by Host header. Other hosts may be foreign names that resolve to this machine. */
const createListener =
  (handler: HttpHandler, origins: ReadonlyMap<string, string>): RequestListener =>
  (request, response) => {
    const { host = "", origin: sender } = request.headers;
    const origin = origins.get(host.toLowerCase());
    if (origin === undefined)
      return handler.refuse(response, 403, "Unknown address. The operator can add it with --address.");
    if (sender !== undefined && sender !== origin)
      return handler.refuse(response, 403, "Requests from pages of another origin are not accepted.");
    // For a name of this machine, the header would also bind servers on other ports.
    if (origin.startsWith("https:") && !isLoopback(new URL(origin).hostname))
      response.setHeader("strict-transport-security", hsts);
    handler.handle(request, response, origin).catch((error: unknown) => {
      if (!isAborted(request)) logUnexpected(error);
      response.destroy();
    });
  };

function createHttpServer(tls: ListenOptions["tls"], limits: typeof defaultLimits): Server {
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.headersTimeoutMs / 10,
  };
  if (!tls) return createServer(options);
  try {
    return createTlsServer({ ...options, ...tls, handshakeTimeout: limits.headersTimeoutMs });
  } catch (error) {
    throw new TypeError(
      `tls-cert and --tls-key must be a matching pair of PEM files (${(error as Error).message}).`,
      { cause: error },
    );
  }
}

/**
 * Listens for requests to its own addresses and from its own pages. Throws a TypeError for unsafe options, and the errors of
 * `listen`.
 */
export async function listenSafely(
  options: ListenOptions,
  handler: HttpHandler,
  limits = defaultLimits,
): Promise<ListeningServer> {
  assertSafe(options);
  const { port = 0, host = "127.0.0.1", addresses = [], tls, behindProxy = false, monitor } = options;
  const server = createHttpServer(tls, limits);
  server.maxConnections = limits.maxConnections;
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    const others = [...sockets].filter(({ remoteAddress }) => remoteAddress === socket.remoteAddress);
    if (!behindProxy && others.length >= limits.maxConnectionsPerAddress) return void socket.destroy();
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  const urlOf = (name: string) =>
    new URL(`${tls ? "https" : "http"}://${bracketed(name)}:${(server.address() as AddressInfo).port}`);
  const aliases = isLoopback(host) || anyAddresses.has(host) ? loopbackNames : [];
  const urls = [urlOf(host), ...aliases.map(urlOf), ...addresses];
  const origins = new Map(urls.map((url) => [url.host, url.origin] as const));
  server.on("request", createListener(monitor?.around(handler) ?? handler, origins));
  return {
    origin: (addresses[0] ?? urlOf(host)).origin,
    async close(finish) {
      const closed = new Promise((resolve) => server.close(resolve));
      await finish?.();
      // Includes connections that have not finished their TLS handshake.
      for (const socket of sockets) socket.destroy();
      await closed;
      await monitor?.close();
    },
  };
}
