/** A request and a response, as the sandbox's parts hand them to each other. */
import type { FastifyReply, FastifyRequest } from "fastify";
import Negotiator from "negotiator";
import type { Readable } from "node:stream";

declare module "fastify" {
  interface FastifyRequest {
    /** Why it is refused. */
    loggedError?: string;
  }
}

type TextValues = Readonly<Record<string, string | string[] | undefined>>;

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Path parameters by the contract's names. */
  readonly path: TextValues;
  readonly query: TextValues;
  /** By name in lower case. */
  readonly headers: TextValues;
  /** As it arrived; empty when there was none. */
  readonly body: Buffer;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable | undefined;
}

/** A header that may be given once. */
export function header({ headers }: Pick<HttpRequest, "headers">, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value[0] : value;
}

/** The form of a request; empty where there is none. */
export const parseForm = ({ body }: Pick<FastifyRequest, "body">): URLSearchParams =>
  new URLSearchParams(Buffer.isBuffer(body) ? body.toString("utf8") : "");

/** The access token of a request. */
export const bearerToken = (
  request: Pick<HttpRequest, "headers">,
  name = "authorization",
): string | undefined => /^Bearer +(.+)$/i.exec(header(request, name) ?? "")?.[1];

export const jsonMediaType = "application/json";
/** How refusals come to who likes that better. RFC 9457 */
export const problemJsonMediaType = "application/problem+json";

/**
 * Which of the media types on offer the caller likes best, the first of equals; undefined when it accepts none of them. Who
 * accepts problems in JSON can read JSON.
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

/** Whether a browser sends a request for a page of another origin. */
export const isCrossOrigin = ({ headers: { host, origin } }: Pick<FastifyRequest, "headers">): boolean =>
  origin !== undefined && origin !== `http://${host}`;

/** Says for the log why a page or a form refuses a request. */
export function withLoggedError(reply: FastifyReply, message: string): FastifyReply {
  reply.request.loggedError = message;
  return reply;
}

/** On every response that the contract does not show. */
export const extensionHeader = { "x-fxdesk-extension": "true" } as const;
