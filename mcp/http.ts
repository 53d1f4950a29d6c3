/** MCP over streamable HTTP. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { hostHeaderValidation, originValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import { isLoopback, loopbackNames } from "../core/schema/host";
import type { AllowableEffect } from "./allow";
import { type HostMessage, StreamListeners, listenMethod } from "./listeners";
import type { Offer } from "./offer";
import type { RunningServer, Toolbox } from "./protocol";
import { createToolboxServer } from "./server";

/** Where a server listens and whom it lets in. */
export interface ListenOptions {
  /** Any free port by default. */
  readonly port?: number;
  /** The address to listen on; this machine only by default. */
  readonly host?: string;
  /**
   * What clients must send as `Authorization: Bearer`, of at least 16 characters. Needed when the server listens beyond
   * this machine, and when its tools do more than read, unless people have tokens of their own.
   */
  readonly token?: string;
}

/** Whose a token is; undefined where it is nobody's. Throws an Error where that cannot be told now. */
export type TokenHolderLookup = (token: string) => Promise<string | undefined>;

export interface HttpServer extends RunningServer {
  /** The MCP endpoint. */
  readonly url: string;
}

const path = "/mcp";
const minTokenLength = 16;
const maxBodyBytes = 1024 * 1024;
/** How long results that are there have to leave when the server closes. */
const deliveryTimeoutMs = 1_000;
/** Of what stays open. */
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

/** The token of a request; the name of the scheme may be in any case. */
const bearerOf = ({ headers: { authorization = "" } }: IncomingMessage): string =>
  /^bearer +(.+)$/i.exec(authorization)?.[1] ?? "";

/** Who is let in: somebody by name, or whoever has the token of the server. */
interface AuthorizedCaller {
  readonly actor: string | undefined;
}

/** Lets a request in, or undefined where it may not. */
type Authorize = (request: IncomingMessage) => Promise<AuthorizedCaller | undefined>;

/** Compares digests, so that the time it takes tells nothing about the token. */
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
  refuse(response, 401, "Send the token of this server, or your own, as Authorization: Bearer.", {
    "www-authenticate": 'Bearer realm="fxdesk", error="invalid_token"',
  });

const bracketed = (host: string) => (host.includes(":") ? `[${host}]` : host);

/**
 * What a request must pass before it is read. A page in a browser reaches this port under a name of its own (DNS
 * rebinding) or from an origin of its own: both are turned away.
 */
function guardsFor(host: string): Guard[] {
  const names = [...loopbackNames, bracketed(host)];
  const anyAddress = host === "0.0.0.0" || host === "::";
  return [...(anyAddress ? [] : [hostHeaderValidation(names)]), originValidation(names), onPath];
}

/** Throws a TypeError where a token can be guessed. */
function assertTokenLength(token: string | undefined): void {
  if (token !== undefined && token.length < minTokenLength)
    throw new TypeError(`The token must have at least ${minTokenLength} characters.`);
}

/** Throws a TypeError where a token is needed that is missing. */
function assertToken(host: string, hasTokens: boolean, allow: readonly AllowableEffect[]): void {
  if (hasTokens) return;
  if (allow.length > 0)
    throw new TypeError(
      `A token is needed to allow ${allow.join(" and ")} over HTTP: any program on this machine could call the tools.`,
    );
  if (!isLoopback(host))
    throw new TypeError(
      `A token is needed to listen on ${host}: others than this machine could call the tools.`,
    );
}

/** What is answered has left, but to clients that do not read; a stream that a client listens on has no end of its own. */
const waitForDelivery = (responses: Iterable<Promise<unknown>>): Promise<unknown> =>
  Promise.race([Promise.allSettled(responses), setTimeout(deliveryTimeoutMs, undefined, { ref: false })]);

/** The endpoint by itself, for a server of somebody else's. */
export interface Endpoint extends RunningServer {
  /** `body` where somebody has read and parsed it before. */
  handle(request: IncomingMessage, response: ServerResponse, body?: unknown): void;
}

type Authenticated = IncomingMessage & { auth?: AuthInfo };

/** As the SDK passes it on; the token is nobody's business any more. */
const toAuthInfo = ({ actor }: AuthorizedCaller): AuthInfo | undefined =>
  actor === undefined ? undefined : { token: "", clientId: actor, scopes: [] };

/** Responds to requests that pass the guards and are let in, each with a server of its own. */
function createEndpoint(toolbox: Toolbox, guards: readonly Guard[], authorize: Authorize): Endpoint {
  // Hosts of the older revisions would have to be known from one request to the next.
  const handler = createMcpHandler(
    ({ era, authInfo }) =>
      createToolboxServer(toolbox, {
        subscriptionMode: era === "modern" ? "streams" : "nothing",
        actor: authInfo?.clientId,
      }),
    { maxRequestBodySize: maxBodyBytes },
  );
  const listeners = new StreamListeners(toolbox, (uri) => handler.notify.resourceUpdated(uri));
  const handle = toNodeHandler(handler, { maxRequestBodySize: maxBodyBytes });

  /** The same for a request that opens a stream: what it names is watched until the stream ends. */
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
      const answer = await handler.fetch(request, options);
      if (answer.headers.get("content-type") === eventStreamType)
        listeners.add(message as HostMessage, streamEnded.signal);
      return answer;
    };
    return toNodeHandler({ fetch }, { maxRequestBodySize: maxBodyBytes });
  }

  async function respond(request: Authenticated, response: ServerResponse, body: unknown): Promise<unknown> {
    let caller: AuthorizedCaller | undefined;
    try {
      caller = await authorize(request);
    } catch (error) {
      console.error(`fxdesk: ${(error as Error).message}`);
      return refuse(
        response,
        503,
        "It cannot be told now whose token this is; the log of the server says why.",
      );
    }
    if (!caller) return refuseUnknownToken(response);
    // What a server round this one says of the request is not ours.
    Object.assign(request, { auth: toAuthInfo(caller) });
    const opensStream = request.headers["mcp-method"] === listenMethod;
    const answer = opensStream ? streamHandler(response) : handle;
    return answer(request as Parameters<typeof handle>[0], response, body);
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

/** An endpoint that whoever has the token may ask. Throws a TypeError when it can be guessed. */
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
