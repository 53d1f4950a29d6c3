/** Errors with an HTTP status, and the statuses of domain errors. */
import type { Declaration, Violation } from "@fxdesk/toolkit/operations";
import { DomainError, type DomainErrorKind } from "../world/common/domain-error";

/**
 * Error of a request. `code` is a message code of the standard on the open-banking interfaces, and a stable code of the
 * sandbox elsewhere. `details` adds specifics, for example the field.
 */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details = "",
    readonly headers: Readonly<Record<string, string>> = {},
    /** Invalid fields of the request, if they caused the error. */
    readonly violations: readonly Violation[] = [],
  ) {
    super(message);
  }
}

/** Returns the status for invalid values: 400, or 422 if only that is documented. */
export const invalidRequestStatus = ({ errors }: Declaration): number =>
  !(400 in errors) && 422 in errors ? 422 : 400;

const bankStatuses = {
  "account-details-decided": 409,
  "account-details-not-active": 409,
  "account-details-not-found": 404,
  "account-full": 409,
  "account-not-assignable": 403,
  "account-not-found": 404,
  "account-not-requestable": 409,
  "application-unknown": 400,
  "approvals-update-pending": 409,
  "authorisation-decided": 409,
  "clock-past": 409,
  "config-not-found": 404,
  "contact-conflict": 409,
  "document-not-found": 404,
  "drawdown-not-possible": 409,
  "funding-account-not-found": 404,
  "mail-not-sent": 502,
  "moment-forgotten": 404,
  "market-closed": 409,
  "not-found": 404,
  "nothing-pending": 409,
  "payment-state": 409,
  "pooled-account": 405,
  "quote-already-used": 409,
  "quote-expired": 409,
  "quote-not-found": 404,
  "rate-too-far": 409,
  "redirect-uri-mismatch": 400,
  "statement-not-found": 404,
  "trade-not-found": 404,
  "transaction-not-found": 404,
  "validation-error": 400,
  "virtual-account-exists": 409,
} as const;

/** The kinds are the codes of the standard in lower case, unless listed in `otherCodes`. */
const openBankingStatuses = {
  "access-exceeded": 429,
  "account-unknown": 404,
  "cancellation-invalid": 405,
  "consent-expired": 401,
  "consent-invalid": 401,
  "consent-unknown": 403,
  "execution-date-invalid": 400,
  "format-error": 400,
  "named-consent-unknown": 400,
  "parameter-not-consistent": 400,
  "parameter-not-supported": 400,
  "period-invalid": 400,
  "product-invalid": 403,
  "reference-unknown": 400,
  "requested-formats-invalid": 406,
  "resource-unknown": 403,
  "status-invalid": 409,
  "token-invalid": 401,
  "token-unknown": 401,
} as const;

const statuses: Readonly<Record<DomainErrorKind, number>> = { ...bankStatuses, ...openBankingStatuses };

/** Codes that differ from the kind. */
const otherCodes: Partial<Record<DomainErrorKind, string>> = {
  "account-not-assignable": "capability_disabled",
  "account-not-requestable": "capability_disabled",
  "account-unknown": "RESOURCE_UNKNOWN",
  "named-consent-unknown": "CONSENT_UNKNOWN",
  "reference-unknown": "RESOURCE_UNKNOWN",
};

function codeOf(kind: DomainErrorKind): string {
  const code = kind.replaceAll("-", "_");
  return otherCodes[kind] ?? (kind in openBankingStatuses ? code.toUpperCase() : code);
}

/** Converts a DomainError into the HttpError that the contract documents. Returns other errors unchanged. */
export function toHttpError(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const { kind, message, details } = error;
  return new HttpError(statuses[kind], codeOf(kind), message, details);
}
