/** What dealers decide about requested accounts, and what becomes of statements. */
import { decide } from "../../world/accounts/account-details";
import { befall } from "../../world/statements/statements";
import { DomainError } from "../../world/domain-error";
import type { accountsControls } from "../controls/accounts";
import { type ActionsOf, missing } from "./parts";

export const accountsActions: ActionsOf<typeof accountsControls> = {
  decideAccountDetails: ({ world }, { account_details_id: id, decision }) => {
    const details = world.accountDetails.get(id.toLowerCase());
    if (!details) throw missing("account details", id);
    if (details.status !== "pending")
      throw new DomainError("account-details-decided", `The account details are ${details.status}.`);
    decide(world, details, decision === "confirm" ? "confirmed" : "failed");
    return { account_details_id: details.accountDetailsId, status: details.status };
  },

  decideStatement: ({ world }, { statement_id, decision, seconds = 0 }) => {
    const fate = { failed: decision === "fail", delayMs: seconds * 1_000 };
    if (statement_id === undefined) {
      world.nextStatement = fate;
      return;
    }
    const statement = world.statements.get(statement_id.toLowerCase());
    if (!statement) throw missing("statement", statement_id);
    befall(world, statement, fate);
  },
};
