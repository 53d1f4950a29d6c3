/** What people decide: authorisations and approvals. */
import type { Authorisation } from "../../world/open-banking/decision";
import { conclude, scaStatusOf } from "../../world/open-banking/decisions";
import { putInForce } from "../../world/parties/approvals";
import { DomainError } from "../../world/domain-error";
import type { World } from "../../world/world";
import type { peopleControls } from "../controls/people";
import { type ActionsOf, missing } from "./parts";

const isWaiting = (world: World, authorisation: Authorisation) =>
  !["finalised", "failed"].includes(scaStatusOf(world, authorisation));

export const peopleActions: ActionsOf<typeof peopleControls> = {
  listAuthorisations: ({ world }) =>
    [...world.openBanking.authorisations.values()]
      .filter((authorisation) => isWaiting(world, authorisation))
      .map(({ authorisationId, decision: { title, terms } }) => ({
        authorisation_id: authorisationId,
        title,
        terms: terms.map(([name, value]) => ({ name, value })),
      })),

  decideAuthorisation: ({ world }, { authorisation_id: id, decision }) => {
    const authorisation = world.openBanking.authorisations.get(id);
    if (!authorisation) throw missing("authorisation", id);
    if (!isWaiting(world, authorisation))
      throw new DomainError("authorisation-decided", "The authorisation is decided or has lapsed.");
    conclude(world, authorisation, decision === "approve");
  },

  setSignatories: ({ world }, { signatories }) => {
    world.openBanking.signatories = signatories;
  },

  decideApprovals: ({ world }, { decision }) => {
    const approvals = world.approvals.get(world.home.clientId);
    if (!approvals?.pending) throw new DomainError("nothing-pending", "No approvals configuration waits.");
    if (decision === "approve") putInForce(approvals, approvals.pending.config);
    else delete approvals.pending;
  },
};
