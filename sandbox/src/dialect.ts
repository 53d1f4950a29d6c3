/** How the servers of a service respond: all alike, but for what the sandbox knows of open banking. */
import type { Service } from "@fxdesk/toolkit/operations";
import type { HttpResponse, HttpRequest } from "./http";
import { openBankingDialect } from "./open-banking/dialect";
import { openBankingServer } from "./open-banking/server";
import type { Refusal } from "./refusal";
import type { Grant } from "./world/tokens";
import type { World } from "./world/world";

/** Who calls: for which clients, and by whose token where somebody logged in. */
export type Caller = Pick<Grant, "clientIds"> & Partial<Pick<Grant, "contactId">>;

/** What the door says. */
export interface DoorCodes {
  readonly invalid: string;
  readonly tokenMissing: string;
  readonly tokenUnknown: string;
  readonly tokenExpired: string;
  readonly unknownPath: string;
  readonly wrongMethod: string;
  readonly internal: string;
}

export interface Dialect {
  readonly codes: DoorCodes;
  /** The code of a status that was asked for, where there is one. */
  readonly statusCodes: Readonly<Record<number, string>>;
  /** For whom a token is. */
  callerOf(this: void, token: string, world: World): Caller | "unknown" | "expired";
  /** A refusal with its body. */
  refused(this: void, refusal: Refusal, request: HttpRequest, service: Service): HttpResponse;
  /** What the response calls a request that was sent with an identifier, or without. */
  requestId(this: void, sent: string | undefined): string | undefined;
}

type ErrorTexts = Readonly<Record<"code" | "message" | "details", string>>;

/** Sets what is at a path: `errors.0.text`. */
function place(body: object, path: string, value: string): void {
  const keys = path.split(".");
  const last = keys.pop()!;
  let target = body as Record<string, object | string>;
  for (const [index, key] of keys.entries())
    target = (target[key] ??= /^\d+$/.test(keys[index + 1] ?? last) ? [] : {}) as typeof target;
  target[last] = value;
}

/** A service lists the error bodies of particular servers first: the last one is that of all others. */
function errorBody({ errorBodies }: Service, texts: ErrorTexts): string {
  const { code = [], message = [], details = [] } = errorBodies.at(-1) ?? {};
  const body = {};
  for (const [paths, value] of [
    [code, texts.code],
    [message, texts.message],
    [details, texts.details],
  ] as const)
    if (paths[0] !== undefined) place(body, paths[0], value);
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
  refused: (refusal, _request, service) => ({
    status: refusal.status,
    headers: { "content-type": "application/json; charset=utf-8", ...refusal.headers },
    body: errorBody(service, refusal),
  }),
  requestId: (sent) => sent,
};

export const dialectOf = (server: string): Dialect =>
  server === openBankingServer ? openBankingDialect : jsonDialect;

/** Which server a path belongs to: that of the operations that begin like it, else the first one. */
export function serverOfPath({ servers, operations }: Service): (path: string) => string {
  const beginning = (path: string) => path.split(/[/?]/)[1];
  const known = new Map(operations.map(({ path, server }) => [beginning(path), server]));
  const [first = ""] = Object.keys(servers);
  return (path) => known.get(beginning(path)) ?? first;
}
