/** How far things of the JSON interface are, as responses tell it. */
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

/** Of a payment from what a trade buys. Contract: States and transitions. */
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
