/** Behaviours of the contract's operations, by operation name. */
import type { AnyBehaviour } from "../calls/behaviour";
import { openBanking } from "../open-banking/account-information";
import { consents } from "../open-banking/consents";
import { payments } from "../open-banking/payments";
import { accountDetails } from "./account-details";
import { accounts } from "./accounts";
import { approvalsWorkflow } from "./approvals-workflow";
import { login } from "./sign-in";
import { statements } from "./statements";
import { trades } from "./trades";
import { transactions } from "./transactions";

export const behaviours: Readonly<Record<string, AnyBehaviour>> = {
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
};
