/** Behaviours of the contract's operations, by operation name. */
import type { AnyBehaviour } from "../calls/behaviour";
import { openBankingBehaviours } from "../open-banking";
import { accountDetails } from "./account-details";
import { accounts } from "./accounts";
import { approvalsWorkflow } from "./approvals-workflow";
import { login } from "./login";
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
  ...openBankingBehaviours,
};
