/** Dialect of the open-banking interfaces: codes and error bodies of the standard. */
import type { Dialect } from "./dialect";
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
