/** How the open-banking interfaces respond, in the standard's words. */
import type { Dialect } from "../dialect";
import { toTppErrorResponse } from "./tpp-error-response";
import { responseRequestId } from "./request-id";

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
  // What the standard lists with a status.
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
  // It may be one that a person gave for a consent or a payment.
  callerOf: (token, { tokens, openBanking, now }) => {
    const given = openBanking.tokens.check(token, now);
    return given === "unknown" ? tokens.check(token, now) : given;
  },
  toErrorResponse: toTppErrorResponse,
  requestId: responseRequestId,
};
