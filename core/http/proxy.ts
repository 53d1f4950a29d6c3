/** Tunnels through HTTP proxies (CONNECT, RFC 9110). undici's proxy agent cannot tell a failed tunnel from a failed request. */
import { request } from "node:http";
import { BlockList, connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext } from "node:tls";
import { isThisMachine, withoutBrackets } from "../values/host";
import { explainTlsError, type TlsOptions } from "./tls";
import { NetworkMisconfigured } from "./transport-errors";

export interface Proxy {
  /** Address without credentials. */
  readonly url: URL;
  /** `user:password`. */
  readonly credentials: string | undefined;
  /** Setting or environment variable that names the proxy. */
  readonly source: string;
}

/** Returns a proxy. Throws a TypeError that names its source, without its address, which may contain a password. */
export function parseProxy(source: string, address: string): Proxy {
  const text = address.includes("://") ? address : `http://${address}`;
  try {
    const { protocol, host, username, password } = new URL(text);
    if (!/^https?:$/.test(protocol) || !host) throw new TypeError("Not an HTTP proxy.");
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return {
      url: new URL(`${protocol}//${host}`),
      credentials: credentials === ":" ? undefined : credentials,
      source,
    };
  } catch {
    // The cause would quote the address.
    throw new TypeError(
      `${source} must be the address of an HTTP proxy, for example http://proxy.example.com:3128.`,
    );
  }
}

const defaultPort = ({ protocol }: URL): number => (protocol === "https:" ? 443 : 80);
export const portOf = (url: URL): number => Number(url.port) || defaultPort(url);

/** Splits `host:port`; a bare IPv6 address has no port. */
function splitEntry(entry: string): readonly [host: string, port: string | undefined] {
  const [, host = entry, port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  return [withoutBrackets(host), port];
}

function isInRange(host: string, range: string): boolean {
  const [address = "", bits] = range.split("/");
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits ?? "")) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(address, Number(bits), kind);
  return list.check(host, kind);
}

/** True if an entry of NO_PROXY covers the address: `*`, a domain with its subdomains, an IP address, or a range of them. */
function covers(entry: string, url: URL): boolean {
  const host = withoutBrackets(url.hostname).replace(/\.$/, "");
  if (entry === "*" || isInRange(host, entry)) return true;
  const [name, port] = splitEntry(entry.toLowerCase());
  if (port !== undefined && Number(port) !== portOf(url)) return false;
  const domain = name.replace(/^\*?\./, "");
  return domain !== "" && (host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`)));
}

/** True if the address is reached without a proxy: an address of this machine, or covered by `noProxy`. */
export const isDirect = (url: URL, noProxy: string): boolean =>
  isThisMachine(url.hostname) ||
  noProxy
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => covers(entry, url));

/** Connects to the proxy itself. */
function connectToProxy({ url }: Proxy, { ca, minVersion }: TlsOptions): Socket {
  const address = { host: withoutBrackets(url.hostname), port: portOf(url) };
  if (url.protocol === "http:") return connectTcp(address);
  // Without the client certificate, which is for the service.
  const secureContext = createSecureContext({ ...(ca && { ca }), ...(minVersion && { minVersion }) });
  return connectTls({
    ...address,
    secureContext,
    ...(isIP(address.host) === 0 && { servername: address.host }),
  });
}

function refusalError({ url, source }: Proxy, target: string, status: number): Error {
  const proxy = `The proxy ${url.host} (set by ${source})`;
  return status === 407
    ? new NetworkMisconfigured(
        `${proxy} requires valid credentials (407). Set proxyCredentials (FXDESK_PROXY_CREDENTIALS) to user:password.`,
      )
    : new Error(`${proxy} did not connect to ${target} (${status})`);
}

/** A tunnel that is being opened. */
export interface OpeningTunnel {
  readonly socket: Promise<Socket>;
  /** Stops and closes the connection to the proxy. */
  destroy(): void;
}

/** Opens a connection to an address through a proxy. The proxy sees its host and port, and nothing that is sent later. */
export function openTunnel(
  proxy: Proxy,
  target: URL,
  tls: TlsOptions,
  isInBackground: boolean,
): OpeningTunnel {
  const authority = `${target.hostname}:${portOf(target)}`;
  const connection = connectToProxy(proxy, tls);
  if (isInBackground) connection.unref();
  const { credentials } = proxy;
  const connecting = request({
    method: "CONNECT",
    path: authority,
    headers: {
      host: authority,
      ...(credentials !== undefined && {
        "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}`,
      }),
    },
    createConnection: () => connection,
  });
  const socket = new Promise<Socket>((resolve, reject) => {
    connecting.once("connect", ({ statusCode = 0 }, opened: Socket, head: Buffer) => {
      if (statusCode < 200 || statusCode > 299) {
        opened.destroy();
        reject(refusalError(proxy, authority, statusCode));
        return;
      }
      if (head.length > 0) opened.unshift(head);
      resolve(opened);
    });
    connecting.once("error", (error: Error) => {
      const { message } = explainTlsError(error, proxy.url.host);
      reject(new Error(`The proxy ${proxy.url.host} (set by ${proxy.source}) cannot be reached: ${message}`));
    });
  });
  connecting.end();
  return { socket, destroy: () => void connection.destroy() };
}
