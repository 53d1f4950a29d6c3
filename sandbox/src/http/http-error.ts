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

type ErrorStatus = readonly [status: number, code: string];

const errorStatuses: Readonly<Record<DomainErrorKind, ErrorStatus>> = {
  "account-details-decided": [409, "account_details_decided"],
  "account-details-not-active": [409, "account_details_not_active"],
  "account-details-not-found": [404, "account_details_not_found"],
  "account-full": [409, "account_full"],
  "account-not-assignable": [403, "capability_disabled"],
  "account-not-found": [404, "account_not_found"],
  "account-not-requestable": [409, "capability_disabled"],
  "application-unknown": [400, "application_unknown"],
  "approvals-update-pending": [409, "approvals_update_pending"],
  "authorisation-decided": [409, "authorisation_decided"],
  "clock-past": [409, "clock_past"],
  "config-not-found": [404, "config_not_found"],
  "contact-conflict": [409, "contact_conflict"],
  "document-not-found": [404, "document_not_found"],
  "drawdown-not-possible": [409, "drawdown_not_possible"],
  "funding-account-not-found": [404, "funding_account_not_found"],
  "mail-not-sent": [502, "mail_not_sent"],
  "moment-forgotten": [404, "moment_forgotten"],
  "market-closed": [409, "market_closed"],
  "not-found": [404, "not_found"],
  "nothing-pending": [409, "nothing_pending"],
  "payment-state": [409, "payment_state"],
  "pooled-account": [405, "pooled_account"],
  "quote-already-used": [409, "quote_already_used"],
  "quote-expired": [409, "quote_expired"],
  "quote-not-found": [404, "quote_not_found"],
  "rate-too-far": [409, "rate_too_far"],
  "redirect-uri-mismatch": [400, "redirect_uri_mismatch"],
  "statement-not-found": [404, "statement_not_found"],
  "trade-not-found": [404, "trade_not_found"],
  "transaction-not-found": [404, "transaction_not_found"],
  "validation-error": [400, "validation_error"],
  "virtual-account-exists": [409, "virtual_account_exists"],
  "access-exceeded": [429, "ACCESS_EXCEEDED"],
  "account-unknown": [404, "RESOURCE_UNKNOWN"],
  "cancellation-invalid": [405, "CANCELLATION_INVALID"],
  "consent-expired": [401, "CONSENT_EXPIRED"],
  "consent-invalid": [401, "CONSENT_INVALID"],
  "consent-unknown": [403, "CONSENT_UNKNOWN"],
  "execution-date-invalid": [400, "EXECUTION_DATE_INVALID"],
  "format-error": [400, "FORMAT_ERROR"],
  "named-consent-unknown": [400, "CONSENT_UNKNOWN"],
  "parameter-not-consistent": [400, "PARAMETER_NOT_CONSISTENT"],
  "parameter-not-supported": [400, "PARAMETER_NOT_SUPPORTED"],
  "period-invalid": [400, "PERIOD_INVALID"],
  "product-invalid": [403, "PRODUCT_INVALID"],
  "reference-unknown": [400, "RESOURCE_UNKNOWN"],
  "requested-formats-invalid": [406, "REQUESTED_FORMATS_INVALID"],
  "resource-unknown": [403, "RESOURCE_UNKNOWN"],
  "status-invalid": [409, "STATUS_INVALID"],
  "token-invalid": [401, "TOKEN_INVALID"],
  "token-unknown": [401, "TOKEN_UNKNOWN"],
};

/** Converts a DomainError into the HttpError that the contract documents. Returns other errors unchanged. */
export function toHttpError(error: unknown): unknown {
  if (!(error instanceof DomainError)) return error;
  const { kind, message, details } = error;
  const [status, code] = errorStatuses[kind];
  return new HttpError(status, code, message, details);
}
