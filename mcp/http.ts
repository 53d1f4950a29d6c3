/** MCP over streamable HTTP. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { type AuthInfo, createMcpHandler } from "@modelcontextprotocol/server";
import { isAborted, type ListenOptions, listenSafely } from "../core/http/http-server";
import { AttemptRefused, createTokenRecorder, type RecordWrongToken } from "../core/people/attempts";
import type { Requester } from "../core/people/requester";
import { factsOf, log, logUnexpected } from "../core/spec/log";
import { isLoopback } from "../core/values/host";
import {
  type HostMessage,
  listenMethod,
  maxUrisPerStream,
  namesTooManyUris,
  subscribeToMessage,
} from "./subscriptions";
import type { AllowableEffect, Offer } from "./offered-tools";
import { type AuthorizedCaller, type CompanyLogin, ScopedToolboxes, TokenExpired } from "./scopes";
import type { RunningServer, Toolbox } from "./protocol";
import { createToolboxServer } from "./server";
import type { CompanyTokens } from "./company-login";

/** The address and the token of a server. */
export interface McpListenOptions extends ListenOptions {
  /**
   * The bearer token that clients must send, at least 32 characters. Required if the server listens beyond this machine or
   * its tools do more than read, unless people have their own tokens.
   */
  readonly token?: string;
}

/** Returns the person with this token; undefined if unknown. Throws an Error if the tokens cannot be read. */
export type TokenHolderLookup = (token: string) => Promise<Requester | undefined>;

export interface HttpServer extends RunningServer {
  /** The MCP endpoint. */
  readonly url: string;
}

const path = "/mcp";
const minTokenLength = 32;
const maxBodyBytes = 1024 * 1024;
/** Interval at which the tokens of open streams are checked again. */
const streamCheckMs = 5_000;
/** Time for finished results to be delivered when the server closes. */
const deliveryTimeoutMs = 1_000;
const eventStreamType = "text/event-stream";

const sendJson = (response: ServerResponse, status: number, body: object, headers = {}): void =>
  void response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(body));

const refuse = (response: ServerResponse, status: number, message: string, headers = {}): void =>
  sendJson(response, status, { jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, headers);

const digest = (text: string) => createHash("sha256").update(text).digest();

/** Returns the bearer token of a request. The scheme is case-insensitive. */
const bearerOf = ({ headers: { authorization = "" } }: IncomingMessage): string =>
  /^bearer +(.+)$/i.exec(authorization)?.[1] ?? "";

/** Returns the caller; undefined if the token is wrong. */
type Authorize = (request: IncomingMessage) => Promise<AuthorizedCaller | undefined>;

/** Compares digests in constant time, so that timing reveals nothing about the token. */
function createAuthorize(
  token: string | undefined,
  holderOf: TokenHolderLookup | undefined,
  company?: CompanyTokens,
): Authorize {
  const expected = token === undefined ? undefined : digest(token);
  if (!expected && !holderOf && !company) return async () => ({ requester: undefined });
  return async (request) => {
    const given = bearerOf(request);
    if (expected && timingSafeEqual(digest(given), expected)) return { requester: undefined };
    const requester = await holderOf?.(given);
    if (requester) return { requester };
    return isSignedToken(given) ? company?.verify(given) : undefined;
  };
}

/** True for the form of a signed token, which personal tokens do not have. */
const isSignedToken = (token: string): boolean => token.split(".").length === 3;

const metadataPath = "/.well-known/oauth-protected-resource";

/** Returns the header that says what is wrong with a token, if one was sent, and to hosts where people log in. */
const challenge = (error: string | undefined, metadata: string | undefined): object => ({
  "www-authenticate": [
    'Bearer realm="fxdesk"',
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(error === "insufficient_scope" ? ['scope="read"'] : []),
    ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
  ].join(", "),
});

const unknownTokenMessage =
  "Unknown token. Send the server's token, your personal token or an access token of your company as Authorization: Bearer.";

/** Throws a TypeError for a token that is short enough to be guessed. */
function assertTokenLength(token: string | undefined): void {
  if (token !== undefined && token.length < minTokenLength)
    throw new TypeError(`The token must have at least ${minTokenLength} characters.`);
}

/** Throws a TypeError if a required token is missing. */
function assertToken(
  { host = "127.0.0.1", addresses = [] }: ListenOptions,
  allow: readonly AllowableEffect[],
): void {
  if (allow.length > 0)
    throw new TypeError(
      `Allowing ${allow.join(" and ")} over HTTP requires a token, because any program on this machine could call the tools.`,
    );
  const isRemote = !isLoopback(host) || addresses.some(({ hostname }) => !isLoopback(hostname));
  if (isRemote)
    throw new TypeError(
      "Listening beyond this machine requires a token, because other machines could call the tools.",
    );
}

/** Waits for responses, with a limit: a client may not read, and a subscription stream never ends on its side. */
const waitForDelivery = (responses: Iterable<Promise<unknown>>): Promise<unknown> =>
  Promise.race([Promise.allSettled(responses), setTimeout(deliveryTimeoutMs, undefined, { ref: false })]);

const refuseUris = ({ id = null }: { readonly id?: string | number | null }): Response =>
  Response.json(
    {
      jsonrpc: "2.0",
      error: { code: -32_602, message: `A stream has at most ${maxUrisPerStream} URIs.` },
      id,
    },
    { status: 400 },
  );

/** The endpoint without a server, to mount in another one. */
export interface Endpoint extends RunningServer {
  /** Pass `body` if the request was already read and parsed. */
  handle(request: IncomingMessage, response: ServerResponse, body?: unknown): void;
}

type Authenticated = IncomingMessage & { auth?: AuthInfo };

/** Converts the caller for the SDK, without the token. */
const toAuthInfo = (caller: AuthorizedCaller): AuthInfo | undefined =>
  caller.requester && { token: "", clientId: caller.requester.name, scopes: [], extra: { ...caller } };

const callerOf = (auth: AuthInfo | undefined): Partial<AuthorizedCaller> => auth?.extra ?? {};

interface EndpointOptions {
  readonly authorize: Authorize;
  readonly recordWrongToken: RecordWrongToken;
  /** Returns the address of the protected-resource metadata. */
  readonly metadataAddress?: (() => string) | undefined;
}

/** Creates an endpoint that serves each authorized request with its own MCP server. */
function createEndpoint(
  toolboxes: ScopedToolboxes,
  { authorize, recordWrongToken, metadataAddress }: EndpointOptions,
): Endpoint {
  // Subscriptions of older revisions need sessions, which this server does not have.
  const handler = createMcpHandler(
    ({ era, authInfo }) => {
      const { requester, scopes } = callerOf(authInfo);
      return createToolboxServer(toolboxes.for(scopes), {
        subscriptionMode: era === "modern" ? "streams" : "nothing",
        requester,
      });
    },
    { maxRequestBodySize: maxBodyBytes },
  );
  const onUpdated = (uri: string) => handler.notify.resourceUpdated(uri);
  const handle = toNodeHandler(handler, { maxRequestBodySize: maxBodyBytes });

  /** Returns false once the token of a request is not valid any more. If that cannot be checked, the stream stays open. */
  const isStillAuthorized = (request: IncomingMessage): Promise<boolean> =>
    authorize(request).then(
      (caller) => caller !== undefined,
      (error: unknown) => !(error instanceof TokenExpired),
    );

  /** Handles a request that opens a stream; the resources it names are watched until the stream or its token ends. */
  function streamHandler(caller: AuthorizedCaller, response: ServerResponse): typeof handle {
    const streamEnded = new AbortController();
    const check = async () => {
      if (!(await isStillAuthorized(response.req))) response.destroy();
    };
    const checking = setInterval(() => void check(), streamCheckMs).unref();
    response.once("close", () => {
      clearInterval(checking);
      streamEnded.abort();
    });
    const fetch: typeof handler.fetch = async (request, options) => {
      const message =
        options?.parsedBody ??
        (await request
          .clone()
          .json()
          .catch(() => ({})));
      if (namesTooManyUris(message as HostMessage)) return refuseUris(message as HostMessage);
      const fetchResponse = await handler.fetch(request, options);
      if (fetchResponse.headers.get("content-type") === eventStreamType)
        subscribeToMessage(toolboxes.for(caller.scopes), message as HostMessage, {
          onUpdated,
          signal: streamEnded.signal,
          requester: caller.requester,
        });
      return fetchResponse;
    };
    return toNodeHandler({ fetch }, { maxRequestBodySize: maxBodyBytes });
  }

  async function respond(request: Authenticated, response: ServerResponse, body: unknown): Promise<unknown> {
    let caller: AuthorizedCaller | undefined;
    const isTokenSent = bearerOf(request) !== "";
    try {
      caller = await authorize(request);
      // Hosts send their first request without a token, to learn where people log in.
      if (!caller && isTokenSent) await recordWrongToken(request.socket.remoteAddress ?? "unknown");
    } catch (error) {
      if (error instanceof TokenExpired)
        return refuse(response, 401, error.message, challenge("invalid_token", metadataAddress?.()));
      if (error instanceof AttemptRefused)
        return refuse(response, 429, error.message, {
          "retry-after": String(Math.ceil(error.retryAfterMs / 1_000)),
        });
      log("error", (error as Error).message, factsOf(error));
      return refuse(response, 503, "The token could not be checked. The log of the server has the reason.");
    }
    if (!caller)
      return refuse(
        response,
        401,
        unknownTokenMessage,
        challenge(isTokenSent ? "invalid_token" : undefined, metadataAddress?.()),
      );
    if (caller.scopes?.has("read") === false)
      return refuse(
        response,
        403,
        "The token does not permit to read.",
        challenge("insufficient_scope", metadataAddress?.()),
      );
    // Overwrites what an enclosing server may have set.
    Object.assign(request, { auth: toAuthInfo(caller) });
    const opensStream = request.headers["mcp-method"] === listenMethod;
    const handleRequest = opensStream ? streamHandler(caller, response) : handle;
    return handleRequest(request as Parameters<typeof handle>[0], response, body);
  }

  const responses = new Set<Promise<unknown>>();
  return {
    handle(request, response, body) {
      const responding = respond(request, response, body)
        .catch((error: unknown) => {
          if (!isAborted(request)) logUnexpected(error);
        })
        .finally(() => responses.delete(responding));
      responses.add(responding);
    },
    async close() {
      await Promise.all(toolboxes.all.map((toolbox) => toolbox.close()));
      await waitForDelivery(responses);
      await handler.close();
    },
    unfinishedCalls: () => toolboxes.all.flatMap((toolbox) => toolbox.unfinishedCalls()),
  };
}

/** Creates an endpoint that requires the token. Throws a TypeError if the token is too short. */
export function endpointOver(toolbox: Toolbox, token: string): Endpoint {
  assertTokenLength(token);
  return createEndpoint(new ScopedToolboxes(toolbox), {
    authorize: createAuthorize(token, undefined),
    recordWrongToken: createTokenRecorder(undefined),
  });
}

/** Serves a toolbox over HTTP at /mcp. */
export async function serveOverHttp(
  toolbox: Toolbox,
  {
    token,
    holderOf,
    people,
    login,
    restrict,
    allow = [],
    readOnly,
    ...listening
  }: McpListenOptions &
    Pick<Offer, "allow" | "readOnly"> & {
      readonly holderOf?: TokenHolderLookup | undefined;
      readonly login?: CompanyLogin | undefined;
      /** Creates the tools of a caller who may use only some effects. */
      readonly restrict: (allow: readonly AllowableEffect[]) => Toolbox;
      /** Path of the people file, beside which wrong tokens are recorded. */
      readonly people?: string | undefined;
    },
): Promise<HttpServer> {
  assertTokenLength(token);
  if (token === undefined && holderOf === undefined && !login) assertToken(listening, readOnly ? [] : allow);
  if (login && people === undefined) throw new TypeError("A company login needs a people file.");
  const company =
    login && people !== undefined
      ? new (await import("./company-login.js")).CompanyTokens(login, people, () => server.origin + path)
      : undefined;
  const toolboxes = new ScopedToolboxes(toolbox, readOnly ? [] : allow, company && restrict);
  const endpoint = createEndpoint(toolboxes, {
    authorize: createAuthorize(token, holderOf, company),
    recordWrongToken: createTokenRecorder(people),
    metadataAddress: company && (() => server.origin + metadataPath + path),
  });
  const server = await listenSafely(listening, {
    async handle(request, response) {
      const asked = request.url?.split("?")[0];
      if (asked === path) endpoint.handle(request, response);
      else if (company && (asked === metadataPath || asked === metadataPath + path))
        sendJson(response, 200, company.metadata);
      else refuse(response, 404, `The MCP endpoint is ${path}.`);
    },
    refuse,
  });
  return {
    url: server.origin + path,
    close: () => server.close(() => endpoint.close()),
    unfinishedCalls: () => endpoint.unfinishedCalls(),
  };
}
