/** How the sandbox says no: a status of the contract, in the body the contract gives that status. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import { tppError } from "./open-banking/errors";
import { extensionMark, type HttpAnswer, type HttpRequest } from "./http";

/**
 * Thrown anywhere behind a route. `code` is one of the sandbox's own stable codes on the JSON interface, one of the
 * standard's message codes on the open-banking interfaces. `details` says more, or names the field.
 */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details = "",
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** What the door says, in the words of the JSON interface. */
const jsonCodes = {
  invalid: "validation_error",
  tokenMissing: "token_missing",
  tokenUnknown: "token_invalid",
  tokenExpired: "token_expired",
  unknownPath: "not_found",
  wrongMethod: "method_not_allowed",
  internal: "internal_error",
};

export type DoorCodes = Readonly<typeof jsonCodes>;

const xs2aCodes: DoorCodes = {
  invalid: "FORMAT_ERROR",
  tokenMissing: "TOKEN_UNKNOWN",
  tokenUnknown: "TOKEN_UNKNOWN",
  tokenExpired: "TOKEN_EXPIRED",
  unknownPath: "RESOURCE_UNKNOWN",
  wrongMethod: "SERVICE_INVALID",
  internal: "INTERNAL_SERVER_ERROR",
};

/** What the door says in the words of each server. */
export const doorCodesOf = (server: string): DoorCodes => (server === "xs2a" ? xs2aCodes : jsonCodes);

/** Paths of the open-banking interfaces start with /v1/. Contract: What the service does, rule 2. */
export const serverOfPath = (path: string): string => (path.startsWith("/v1/") ? "xs2a" : "service");

/** The status in which an operation refuses values that do not fit: 400, or 422 where that is documented instead. */
export const invalidStatus = ({ errors }: Declaration): number =>
  !(400 in errors) && 422 in errors ? 422 : 400;

function errorMessage({ status, code, message, details, headers }: Refusal): HttpAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify({ code, message, details }),
  };
}

/** A refusal outside any operation: it carries a body, as no contract says that it has none. */
export const plainRefusal = (server: string, request: HttpRequest, refusal: Refusal): HttpAnswer =>
  server === "xs2a" ? tppError(refusal, request) : errorMessage(refusal);

/** A refusal by an operation: without a body where the status is documented without, and marked where it is not. */
export function refusalAnswer(operation: Declaration, request: HttpRequest, refusal: Refusal): HttpAnswer {
  const { status, headers } = refusal;
  const failure = operation.errors[status];
  if (typeof failure === "string") return { status, headers, body: undefined };
  const answer = plainRefusal(operation.server, request, refusal);
  return failure ? answer : { ...answer, headers: { ...answer.headers, ...extensionMark } };
}
