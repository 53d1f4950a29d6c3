/** Errors of the bank's domain. The `http` folder translates them to responses. */
type BankError =
  | "account-details-decided"
  | "account-details-not-active"
  | "account-details-not-found"
  | "account-full"
  | "account-not-assignable"
  | "account-not-found"
  | "account-not-requestable"
  | "application-unknown"
  | "approvals-update-pending"
  | "authorisation-decided"
  | "clock-past"
  | "config-not-found"
  | "contact-conflict"
  | "document-not-found"
  | "drawdown-not-possible"
  | "funding-account-not-found"
  | "mail-not-sent"
  | "moment-forgotten"
  | "market-closed"
  | "not-found"
  | "nothing-pending"
  | "payment-state"
  | "pooled-account"
  | "quote-already-used"
  | "quote-expired"
  | "quote-not-found"
  | "rate-too-far"
  | "redirect-uri-mismatch"
  | "statement-not-found"
  | "trade-not-found"
  | "transaction-not-found"
  | "validation-error"
  | "virtual-account-exists";

/** Errors of the open-banking interfaces, named after the codes of their standard. */
type OpenBankingError =
  | "access-exceeded"
  | "account-unknown"
  | "cancellation-invalid"
  | "consent-expired"
  | "consent-invalid"
  | "consent-unknown"
  | "execution-date-invalid"
  | "format-error"
  | "named-consent-unknown"
  | "parameter-not-consistent"
  | "parameter-not-supported"
  | "period-invalid"
  | "product-invalid"
  | "reference-unknown"
  | "requested-formats-invalid"
  | "resource-unknown"
  | "status-invalid"
  | "token-invalid"
  | "token-unknown";

export type DomainErrorKind = BankError | OpenBankingError;

/** An operation the world rejects. Nothing was changed. `details` adds facts or names the field. */
export class DomainError extends Error {
  constructor(
    readonly kind: DomainErrorKind,
    message: string,
    readonly details = "",
  ) {
    super(message);
  }
}

/** Returns a validation error. `details` names the field and the accepted values. */
export const toValidationError = (details: string): DomainError =>
  new DomainError("validation-error", "The request is invalid.", details);
