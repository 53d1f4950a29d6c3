/** The operations of the contract, in its order. */
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
