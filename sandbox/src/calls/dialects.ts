/** Error formats and codes by server: the JSON dialect, except for open banking. */
import { type Service, describeViolations, type Declaration, errorBody } from "@fxdesk/toolkit/operations";
import {
  type HttpResponse,
  type HttpRequest,
  jsonMediaType,
  negotiateMediaType,
  problemJsonMediaType,
  extensionHeader,
} from "../http/http";
import type { HttpError } from "../http/http-error";
import type { Grant } from "../world/tokens/tokens";
import type { World } from "../world/model/world";

/** The caller: the accessible clients and, after a login, the contact. */
export type Caller = Pick<Grant, "clientIds"> & Partial<Pick<Grant, "contactId">>;

/** Codes of the errors raised before an operation runs. */
export interface ErrorCodes {
  readonly invalid: string;
  readonly tokenMissing: string;
  readonly tokenUnknown: string;
  readonly tokenExpired: string;
  readonly unknownPath: string;
  readonly wrongMethod: string;
  readonly internal: string;
}

export interface Dialect {
  readonly codes: ErrorCodes;
  /** Code to respond with when a fault forces a status. */
  readonly statusCodes: Readonly<Record<number, string>>;
  /** Returns the owner of an access token. */
  callerOf(this: void, token: string, world: World): Caller | "unknown" | "expired";
  /** Formats an error as a response. */
  toErrorResponse(this: void, refusal: HttpError, request: HttpRequest, service: Service): HttpResponse;
  /** Returns the request ID to send back, given the ID from the request. */
  requestId(this: void, sent: string | undefined): string | undefined;
}

/** Name of the open-banking server in a service value. */
export const openBankingServer = "xs2a";

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Echoed if the request has no valid ID. */
const nilRequestId = "00000000-0000-0000-0000-000000000000";

/** Returns the request ID to echo. Every response has one, and it is a UUID. */
const responseRequestId = (id: string | undefined): string =>
  id !== undefined && uuidPattern.test(id) ? id : nilRequestId;

/** Length limits of the standard. */
const maxTitleLength = 70;
const maxTextLength = 500;

/** Converts violations to messages with the path of the field. Rules over several fields name them in the text. */
const toTppMessages = ({ code, violations }: HttpError) =>
  violations.map((violation) => ({
    category: "ERROR",
    code,
    ...(!violation.rule && violation.field && { path: violation.field.slice(0, maxTextLength) }),
    text: describeViolations([violation]).slice(0, maxTextLength),
  }));

/** Formats an error as tppMessages, or as problem+json if the client prefers it. */
function toTppErrorResponse(refusal: HttpError, request: HttpRequest): HttpResponse {
  const { status, code, message, details, headers, violations } = refusal;
  const asProblem =
    negotiateMediaType(request, [jsonMediaType, problemJsonMediaType]) === problemJsonMediaType;
  const text = [message, details].filter(Boolean).join(" ").slice(0, maxTextLength);
  const body = asProblem
    ? { type: `urn:tpp-message:${code}`, code, title: message.slice(0, maxTitleLength), detail: text }
    : {
        tppMessages: violations.length > 0 ? toTppMessages(refusal) : [{ category: "ERROR", code, text }],
      };
  const type = asProblem ? problemJsonMediaType : `${jsonMediaType}; charset=utf-8`;
  return { status, headers: { "content-type": type, ...headers }, body: JSON.stringify(body) };
}

const openBankingDialect: Dialect = {
  codes: {
    invalid: "FORMAT_ERROR",
    tokenMissing: "TOKEN_UNKNOWN",
    tokenUnknown: "TOKEN_UNKNOWN",
    tokenExpired: "TOKEN_EXPIRED",
    unknownPath: "RESOURCE_UNKNOWN",
    wrongMethod: "SERVICE_INVALID",
    internal: "INTERNAL_SERVER_ERROR",
  },
  // Codes that the standard lists for each status.
  statusCodes: {
    400: "FORMAT_ERROR",
    401: "TOKEN_INVALID",
    403: "SERVICE_BLOCKED",
    404: "RESOURCE_UNKNOWN",
    405: "SERVICE_INVALID",
    406: "REQUESTED_FORMATS_INVALID",
    409: "STATUS_INVALID",
    429: "ACCESS_EXCEEDED",
  },
  // Consents and payments have their own access tokens.
  callerOf: (token, { tokens, openBanking, now }) => {
    const owner = openBanking.tokens.check(token, now);
    return owner === "unknown" ? tokens.check(token, now) : owner;
  },
  toErrorResponse: toTppErrorResponse,
  requestId: responseRequestId,
};

type ErrorTexts = Readonly<Record<"code" | "message" | "details", string>>;

/** Sets the value at a dotted path like `error.text`. */
function setAtPath(body: object, path: string, value: unknown): void {
  const keys = path.split(".");
  const last = keys.pop()!;
  let target = body as Record<string, unknown>;
  for (const key of keys) target = (target[key] ??= {}) as typeof target;
  target[last] = value;
}

/** Writes an error body. The last entry of `errorBodies` applies to all servers that have no entry of their own. */
function jsonErrorBody({ errorBodies }: Service, texts: ErrorTexts): string {
  const { messages = [""], code = [], message = [], details = [] } = errorBodies.at(-1) ?? {};
  const item = {};
  for (const [paths, value] of [
    [code, texts.code],
    [message, texts.message],
    [details, texts.details],
  ] as const)
    if (paths[0] !== undefined) setAtPath(item, paths[0], value);
  const [list = ""] = messages;
  if (list === "") return JSON.stringify(item);
  const body = {};
  setAtPath(body, list, [item]);
  return JSON.stringify(body);
}

const jsonDialect: Dialect = {
  codes: {
    invalid: "validation_error",
    tokenMissing: "token_missing",
    tokenUnknown: "token_invalid",
    tokenExpired: "token_expired",
    unknownPath: "not_found",
    wrongMethod: "method_not_allowed",
    internal: "internal_error",
  },
  statusCodes: {},
  callerOf: (token, { tokens, now }) => tokens.check(token, now),
  toErrorResponse: (refusal, _request, service) => ({
    status: refusal.status,
    headers: { "content-type": "application/json; charset=utf-8", ...refusal.headers },
    body: jsonErrorBody(service, refusal),
  }),
  requestId: (sent) => sent,
};

export const dialectOf = (server: string): Dialect =>
  server === openBankingServer ? openBankingDialect : jsonDialect;

/** Finds the server of a path by its first segment. Unknown paths belong to the first server. */
export function serverOfPath({ servers, operations }: Service): (path: string) => string {
  const firstSegment = (path: string) => path.split(/[/?]/)[1];
  const known = new Map(operations.map(({ path, server }) => [firstSegment(path), server]));
  const [first = ""] = Object.keys(servers);
  return (path) => known.get(firstSegment(path)) ?? first;
}

/**
 * Formats an error of an operation. A status documented without a body gets none; an undocumented status is marked as
 * an extension.
 */
export function toErrorResponse(
  operation: Declaration,
  request: HttpRequest,
  error: HttpError,
  service: Service,
): HttpResponse {
  const { status, headers } = error;
  const declaredError = operation.errors[status];
  if (declaredError !== undefined && !errorBody(declaredError)) return { status, headers, body: undefined };
  const response = dialectOf(operation.server).toErrorResponse(error, request, service);
  return declaredError !== undefined
    ? response
    : { ...response, headers: { ...response.headers, ...extensionHeader } };
}
