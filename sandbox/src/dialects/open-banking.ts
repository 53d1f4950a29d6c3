/** Dialect of the open-banking interfaces: codes and error bodies of the standard. */
import type { Dialect } from "./dialect";
import {
  type HttpResponse,
  type HttpRequest,
  jsonMediaType,
  negotiateMediaType,
  problemJsonMediaType,
} from "../http/http";
import { describeViolations } from "@fxdesk/toolkit/operations";
import type { HttpError } from "../http/http-error";

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

export const openBankingDialect: Dialect = {
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
