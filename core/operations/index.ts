/** The contract of the service as data: every operation, in the contract's order. */
import { accountDetails } from "./account-details";
import { accounts } from "./accounts";
import { approvalsWorkflow } from "./approvals-workflow";
import { consents } from "./consents";
import { login } from "./login";
import { openBanking } from "./open-banking";
import { payments } from "./payments";
import { statements } from "./statements";
import { trades } from "./trades";
import { transactions } from "./transactions";

export const operations = [
  ...accountDetails,
  ...accounts,
  ...statements,
  ...transactions,
  ...approvalsWorkflow,
  ...login,
  ...trades,
  ...payments,
  ...consents,
  ...openBanking,
] as const;

export { decodeBody, UnreadableBody } from "./body";
export * from "./check";
export * from "./declaration";
export * from "./fields";
export * from "./input";
export * from "./memo";
export { identifies } from "./proof";
export { transactionTypes } from "./transactions";
export * from "./wire";
