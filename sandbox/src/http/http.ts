/** Request and response types shared by all parts of the sandbox. */
import type { FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";

declare module "fastify" {
  interface FastifyRequest {
    /** Reason of a refusal, for the request log. */
    loggedError?: string;
  }
}

type TextValues = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Path parameters by their names in the contract. */
  readonly path: TextValues;
  readonly query: TextValues;
  /** Header values by lower-case name. */
  readonly headers: TextValues;
  /** Raw body; empty if the request has none. */
  readonly body: Buffer;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** Returns the first value of a header. */
export function header({ headers }: Pick<HttpRequest, "headers">, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value[0] : value;
}

/** Parses the form of a request; empty if the request has no body. */
export const parseForm = ({ body }: Pick<FastifyRequest, "body">): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(body) ? body.toString("utf8") : "");

/** Returns the bearer token of a request. */
export const bearerToken = (
  request: Pick<HttpRequest, "headers">,
  name = "authorization",
): string | undefined => /^Bearer +(.+)$/i.exec(header(request, name) ?? "")?.[1];

export const jsonMediaType = "application/json";
/** Media type of errors for clients that prefer it (RFC 9457). */
export const problemJsonMediaType = "application/problem+json";

/**
 * Returns the offered media type that the client prefers, the first of equals, or undefined if it accepts none. A
 * client that accepts application/problem+json also accepts JSON.
 */
export function negotiateMediaType<T extends string>(
  request: Pick<HttpRequest, "headers">,
  types: readonly T[],
): T | undefined {
  const negotiator = new Negotiator(request as { headers: Record<string, string> });
  const acceptsProblemJson = () => negotiator.mediaType([problemJsonMediaType]) !== undefined;
  return (
    (negotiator.mediaType(types) as T | undefined) ??
    types.find((type) => type === jsonMediaType && acceptsProblemJson())
  );
}

export const send = (reply: FastifyReply, { status, headers, body }: HttpResponse): FastifyReply =>
  reply.code(status).headers(headers).send(body);

/** True if a browser sends the request for a page of another origin. */
export const isCrossOrigin = ({ headers: { host, origin } }: Pick<FastifyRequest, "headers">): boolean =>
  origin !== undefined && origin !== `http://${host}`;

/** Records in the request log why a page or form refuses the request. */
export function withLoggedError(reply: FastifyReply, message: string): FastifyReply {
  reply.request.loggedError = message;
  return reply;
}

/** Header of every response that is not part of the contract. */
export const extensionHeader = { "x-fxdesk-extension": "true" } as const;
