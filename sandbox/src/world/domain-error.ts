/** How the domain says no, in its own words: what it means to a caller is said where calls are answered. */

/** What stands in the way of what was asked of the bank. */
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

/** The same on the open-banking interfaces, in the words of their standard. */
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

/** Something the world does not allow. Nothing has been changed. `details` says more, or names the field. */
export class DomainError extends Error {
  constructor(
    readonly kind: DomainErrorKind,
    message: string,
    readonly details = "",
  ) {
    super(message);
  }
}

/** What was asked for does not fit: `details` names the field and what would be right. */
export const toValidationError = (details: string): DomainError =>
  new DomainError("validation-error", "The request is invalid.", details);
