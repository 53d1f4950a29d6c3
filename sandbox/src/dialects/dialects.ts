/** Dialects by server, and error responses: the JSON dialect, except for open banking. */
import { type Service, type Declaration, errorBody } from "@fxdesk/toolkit/operations";
import type { Dialect } from "./dialect";
import { openBankingDialect, openBankingServer } from "./open-banking";
import { extensionHeader, type HttpResponse, type HttpRequest } from "../http/http";
import type { HttpError } from "../http/http-error";

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

/** Formats an error outside any operation. It always has a body. */
export const toPlainErrorResponse = (
  server: string,
  request: HttpRequest,
  error: HttpError,
  service: Service,
): HttpResponse => dialectOf(server).toErrorResponse(error, request, service);

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
  const response = toPlainErrorResponse(operation.server, request, error, service);
  return declaredError !== undefined
    ? response
    : { ...response, headers: { ...response.headers, ...extensionHeader } };
}
