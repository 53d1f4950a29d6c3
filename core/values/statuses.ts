/** Statuses in responses. */
import { openEnum } from "./values";

/** Contract: States and transitions. */
export const TradeStatus = openEnum([
  "Created",
  "Funds In Partially",
  "Funds in Full",
  "Funds Out Partially Allocated",
  "Funds Out Full Allocated",
  "Closed",
  "Cancelled",
]);

/** Status of a payment from the bought amount of a trade. Contract: States and transitions. */
export const TradePaymentStatus = openEnum([
  "Need more beneficiary information",
  "Validating beneficiary information",
  "Waiting for payment date",
  "Payment complete",
  "Executing Payment",
  "Payment pending of authorization",
  "Payment rejected",
  "Payment cancelled",
]);

export const AccountDetailsStatus = openEnum(["pending", "confirmed", "failed"]);

export const TransactionStatus = openEnum([
  "ACCC",
  "ACCP",
  "ACSC",
  "ACSP",
  "ACTC",
  "ACWC",
  "ACWP",
  "RCVD",
  "PDNG",
  "RJCT",
  "CANC",
  "ACFC",
  "PATC",
  "PART",
]).meta({
  description:
    "ISO 20022 code: RCVD received, PDNG in checks, PATC authorised by some, ACTC, ACCP, ACFC, ACWC and ACWP accepted, ACSP settling, ACSC settled for the debtor, ACCC for the creditor, RJCT rejected, CANC cancelled, PART accepted in part (bulk). The last five are final.",
});

export const ConsentStatus = openEnum([
  "received",
  "rejected",
  "valid",
  "revokedByPsu",
  "expired",
  "terminatedByTpp",
  "partiallyAuthorised",
]).meta({
  description:
    "Consent status: only `valid` consents can be used. `received` awaits the person, `partiallyAuthorised` further persons; `revokedByPsu` was ended by the person, `terminatedByTpp` by the caller.",
});

export const ScaStatus = openEnum([
  "received",
  "psuIdentified",
  "psuAuthenticated",
  "scaMethodSelected",
  "started",
  "unconfirmed",
  "finalised",
  "failed",
  "exempted",
]).meta({
  description:
    "Status of the strong customer authentication (SCA); finalised, failed and exempted are final.",
});
