/** What calls have in common: addresses, credentials, settings, limits. */
import { networkInterfaces } from "node:os";
import type { Server } from "../operations/declaration";
import { askedToken, fixedToken, refreshedToken, type Tokens, type TokenSource } from "../credentials/tokens";
import { Transport, type TlsOptions } from "../transport/transport";

export interface Credentials {
  /** The access token, or a function that gives one. */
  readonly accessToken?: string | (() => string | Promise<string>);
  /** With these three, fxdesk refreshes the access token by itself. */
  readonly refreshToken?: string;
  readonly authClientId?: string;
  readonly authClientSecret?: string;
  /** Called with each refreshed pair, to keep a rotated refresh token. */
  readonly onTokens?: (tokens: Tokens) => void | Promise<void>;
  /** Sent as x-api-key to the trade endpoints. */
  readonly apiKey?: string;
  /** Client certificate for open banking. */
  readonly tls?: TlsOptions;
}

/** The headers of the open-banking standard that describe the person or company behind a call. */
export type PsuContext = Readonly<Record<string, string>>;

export interface ClientOptions {
  /** With `environment` and `domain` the JSON interface is at https://{environment}.{domain}/; or give `baseUrl`. */
  readonly environment?: "api" | "sandbox";
  readonly domain?: string;
  readonly baseUrl?: string;
  /** Address of the open-banking interfaces; their paths begin with /v1/. */
  readonly xs2aUrl?: string;
  /** Address of the token endpoint; by default the base address. */
  readonly authUrl?: string;
  readonly credentials?: Credentials;
  readonly clientId?: string;
  readonly contactId?: string;
  readonly psu?: PsuContext;
  /** Time limit of a call over all its attempts, in milliseconds; 30 s by default. */
  readonly timeoutMs?: number;
  /** Connections to one address at most; 10 by default. */
  readonly connections?: number;
}

/** What one call may say differently from its connection. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Time limit over all attempts, in milliseconds. */
  readonly timeoutMs?: number;
  readonly clientId?: string;
  readonly contactId?: string;
  readonly psu?: PsuContext;
  /** X-Request-ID of an open-banking call; made when not given. */
  readonly requestId?: string;
}

/** A base address split as a request needs it. */
interface Address {
  readonly origin: string;
  /** Without a slash at the end. */
  readonly prefix: string;
}

export interface Connection {
  readonly addresses: Readonly<Record<Server, Address | undefined>>;
  readonly tokens: TokenSource | undefined;
  readonly apiKey: string | undefined;
  /** Values of the parameters that the connection fills, by setting. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly transport: Transport;
}

function address(option: string, url: string | undefined): Address | undefined {
  if (url === undefined || url === "") return undefined;
  const { protocol, origin, pathname } = URL.canParse(url)
    ? new URL(url)
    : { protocol: "", origin: "", pathname: "" };
  if (protocol !== "https:" && protocol !== "http:")
    throw new TypeError(`${option} must be an http or https address, not ${JSON.stringify(url)}.`);
  return { origin, prefix: pathname.replace(/\/+$/, "") };
}

/** Contract, What the service does, rule 1: https://{environment}.<domain>/, where environment is api or sandbox. */
function baseUrlFrom({ baseUrl, environment = "api", domain }: ClientOptions): string | undefined {
  if (baseUrl) return baseUrl;
  return domain ? `https://${environment}.${domain}/` : undefined;
}

function tokensFrom(options: ClientOptions, baseUrl: string | undefined): TokenSource | undefined {
  const { accessToken, refreshToken, authClientId, authClientSecret, onTokens } = options.credentials ?? {};
  if (typeof accessToken === "function") return askedToken(accessToken);
  if (refreshToken && authClientId && authClientSecret) {
    const authUrl = address("authUrl", options.authUrl ?? baseUrl);
    if (!authUrl) throw new TypeError("authUrl is needed to refresh the access token.");
    return refreshedToken({
      authUrl: authUrl.origin + authUrl.prefix,
      authClientId,
      authClientSecret,
      accessToken,
      refreshToken,
      onTokens,
    });
  }
  return accessToken ? fixedToken(accessToken) : undefined;
}

export function connect(options: ClientOptions): Connection {
  const baseUrl = baseUrlFrom(options);
  const { timeoutMs = 30_000, connections = 10, clientId, contactId, psu } = options;
  return {
    addresses: { service: address("baseUrl", baseUrl), xs2a: address("xs2aUrl", options.xs2aUrl) },
    tokens: tokensFrom(options, baseUrl),
    apiKey: options.credentials?.apiKey,
    settings: { clientId, contactId, ...psu },
    timeoutMs,
    transport: new Transport(options.credentials?.tls, connections),
  };
}

/** This machine's own address: the standard's stand-in for the customer's when a call is made without them. */
export function localAddress(): string {
  const outward = Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry && !entry.internal && entry.family === "IPv4");
  return outward?.address ?? "127.0.0.1";
}
