/** MCP over streamable HTTP. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { hostHeaderValidation, originValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import { isLoopback, loopbackNames } from "../core/values/host";
import { type HostMessage, listenMethod, subscribeToMessage } from "./subscriptions";
import type { AllowableEffect, Offer } from "./offered-tools";
import type { RunningServer, Toolbox } from "./protocol";
import { createToolboxServer } from "./server";

/** The address and the token of a server. */
export interface ListenOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /**
   * The bearer token that clients must send, at least 16 characters. Required if the server listens beyond this machine or
   * its tools do more than read, unless people have their own tokens.
   */
  readonly token?: string;
}

/** Returns the name of the person with this token; undefined if unknown. Throws an Error if the tokens cannot be read. */
export type TokenHolderLookup = (token: string) => Promise<string | undefined>;

export interface HttpServer extends RunningServer {
  /** The MCP endpoint. */
  readonly url: string;
}

const path = "/mcp";
const minTokenLength = 16;
const maxBodyBytes = 1024 * 1024;
/** Time for finished results to be delivered when the server closes. */
const deliveryTimeoutMs = 1_000;
const eventStreamType = "text/event-stream";

type Guard = (request: IncomingMessage, response: ServerResponse) => boolean;

function refuse(response: ServerResponse, status: number, message: string, headers = {}): false {
  const body = { jsonrpc: "2.0", error: { code: -32_000, message }, id: null };
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  return false;
}

const onPath: Guard = (request, response) =>
  request.url?.split("?")[0] === path || refuse(response, 404, `The MCP endpoint is ${path}.`);

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Returns the bearer token of a request. The scheme is case-insensitive. */
const bearerOf = ({ headers: { authorization = "" } }: IncomingMessage): string =>
  /^bearer +(.+)$/i.exec(authorization)?.[1] ?? "";

/** An authorized caller: a person by name, or undefined for the token of the server. */
interface AuthorizedCaller {
  readonly actor: string | undefined;
}

/** Returns the caller; undefined if the token is wrong. */
type Authorize = (request: IncomingMessage) => Promise<AuthorizedCaller | undefined>;

/** Compares digests in constant time, so that timing reveals nothing about the token. */
function createAuthorize(token: string | undefined, holderOf: TokenHolderLookup | undefined): Authorize {
  const expected = token === undefined ? undefined : digest(token);
  if (!expected && !holderOf) return async () => ({ actor: undefined });
  return async (request) => {
    const given = bearerOf(request);
    if (expected && timingSafeEqual(digest(given), expected)) return { actor: undefined };
    const actor = await holderOf?.(given);
    return actor === undefined ? undefined : { actor };
  };
}

const refuseUnknownToken = (response: ServerResponse): false =>
  refuse(
    response,
    401,
    "Unknown token. Send the server's token or your personal token as Authorization: Bearer.",
    {
      "www-authenticate": 'Bearer realm="fxdesk", error="invalid_token"',
    },
  );

const bracketed = (host: string) => (host.includes(":") ? `[${host}]` : host);

/**
 * Checks that a request must pass before it is read. Browser pages may reach this port under another host name (DNS
 * rebinding) or from another origin; both are refused.
 */
function guardsFor(host: string): Guard[] {
  const names = [...loopbackNames, bracketed(host)];
  const anyAddress = host === "0.0.0.0" || host === "::";
  return [...(anyAddress ? [] : [hostHeaderValidation(names)]), originValidation(names), onPath];
}

/** Throws a TypeError for a token that is short enough to be guessed. */
function assertTokenLength(token: string | undefined): void {
  if (token !== undefined && token.length < minTokenLength)
    throw new TypeError(`The token must have at least ${minTokenLength} characters.`);
}

/** Throws a TypeError if a required token is missing. */
function assertToken(host: string, hasTokens: boolean, allow: readonly AllowableEffect[]): void {
  if (hasTokens) return;
  if (allow.length > 0)
    throw new TypeError(
      `Allowing ${allow.join(" and ")} over HTTP requires a token, because any program on this machine could call the tools.`,
    );
  if (!isLoopback(host))
    throw new TypeError(
      `Listening on ${host} requires a token, because other machines could call the tools.`,
    );
}

/** Waits for responses, with a limit: a client may not read, and a subscription stream never ends on its side. */
const waitForDelivery = (responses: Iterable<Promise<unknown>>): Promise<unknown> =>
  Promise.race([Promise.allSettled(responses), setTimeout(deliveryTimeoutMs, undefined, { ref: false })]);

/** The endpoint without a server, to mount in another one. */
export interface Endpoint extends RunningServer {
  /** Pass `body` if the request was already read and parsed. */
  handle(request: IncomingMessage, response: ServerResponse, body?: unknown): void;
}

type Authenticated = IncomingMessage & { auth?: AuthInfo };

/** Converts the caller for the SDK, without the token. */
const toAuthInfo = ({ actor }: AuthorizedCaller): AuthInfo | undefined =>
  actor === undefined ? undefined : { token: "", clientId: actor, scopes: [] };

/** Creates an endpoint that serves each authorized request with its own MCP server. */
function createEndpoint(toolbox: Toolbox, guards: readonly Guard[], authorize: Authorize): Endpoint {
  // Subscriptions of older revisions need sessions, which this server does not have.
  const handler = createMcpHandler(
    ({ era, authInfo }) =>
      createToolboxServer(toolbox, {
        subscriptionMode: era === "modern" ? "streams" : "nothing",
        actor: authInfo?.clientId,
      }),
    { maxRequestBodySize: maxBodyBytes },
  );
  const onUpdated = (uri: string) => handler.notify.resourceUpdated(uri);
  const handle = toNodeHandler(handler, { maxRequestBodySize: maxBodyBytes });

  /** Handles a request that opens a stream; the resources it names are watched until the stream ends. */
  function streamHandler(response: ServerResponse): typeof handle {
    const streamEnded = new AbortController();
    response.once("close", () => streamEnded.abort());
    const fetch: typeof handler.fetch = async (request, options) => {
      const message =
        options?.parsedBody ??
        (await request
          .clone()
          .json()
          .catch(() => ({})));
      const fetchResponse = await handler.fetch(request, options);
      if (fetchResponse.headers.get("content-type") === eventStreamType)
        subscribeToMessage(toolbox, message as HostMessage, onUpdated, streamEnded.signal);
      return fetchResponse;
    };
    return toNodeHandler({ fetch }, { maxRequestBodySize: maxBodyBytes });
  }

  async function respond(request: Authenticated, response: ServerResponse, body: unknown): Promise<unknown> {
    let caller: AuthorizedCaller | undefined;
    try {
      caller = await authorize(request);
    } catch (error) {
      console.error(`fxdesk: ${(error as Error).message}`);
      return refuse(response, 503, "The token could not be checked. The log of the server has the reason.");
    }
    if (!caller) return refuseUnknownToken(response);
    // Overwrites what an enclosing server may have set.
    Object.assign(request, { auth: toAuthInfo(caller) });
    const opensStream = request.headers["mcp-method"] === listenMethod;
    const handleRequest = opensStream ? streamHandler(response) : handle;
    return handleRequest(request as Parameters<typeof handle>[0], response, body);
  }

  const responses = new Set<Promise<unknown>>();
  return {
    handle(request, response, body) {
      if (!guards.every((guard) => guard(request, response))) return;
      const responding = respond(request, response, body)
        .catch((error: unknown) => console.error(error))
        .finally(() => responses.delete(responding));
      responses.add(responding);
    },
    async close() {
      await toolbox.close();
      await waitForDelivery(responses);
      await handler.close();
    },
    unfinishedCalls: () => toolbox.unfinishedCalls(),
  };
}

/** Creates an endpoint that requires the token. Throws a TypeError if the token is too short. */
export function endpointOver(toolbox: Toolbox, token: string): Endpoint {
  assertTokenLength(token);
  return createEndpoint(toolbox, [], createAuthorize(token, undefined));
}

/** Serves a toolbox over HTTP at /mcp. */
export async function serveOverHttp(
  toolbox: Toolbox,
  {
    port = 0,
    host = "127.0.0.1",
    token,
    holderOf,
    allow = [],
    readOnly,
  }: ListenOptions &
    Pick<Offer, "allow" | "readOnly"> & { readonly holderOf?: TokenHolderLookup | undefined },
): Promise<HttpServer> {
  assertTokenLength(token);
  assertToken(host, token !== undefined || holderOf !== undefined, readOnly ? [] : allow);
  const endpoint = createEndpoint(toolbox, guardsFor(host), createAuthorize(token, holderOf));
  const server = createServer((request, response) => endpoint.handle(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, host, resolve);
  });
  return {
    url: `http://${bracketed(host)}:${(server.address() as AddressInfo).port}${path}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await endpoint.close();
      server.closeAllConnections();
      await closed;
    },
    unfinishedCalls: () => endpoint.unfinishedCalls(),
  };
}
