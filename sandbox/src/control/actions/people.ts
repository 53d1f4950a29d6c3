/** What people decide: authorisations and approvals. */
import { conclude, scaStatusOf } from "../../open-banking/authorisation";
import { putInForce } from "../../world/approvals";
import { demo } from "../../world/parties";
import type { peopleControls } from "../controls/people";
import { type ActionsOf, conflict, missing } from "./parts";

const isWaiting = (authorisation: Parameters<typeof scaStatusOf>[0]) =>
  !["finalised", "failed"].includes(scaStatusOf(authorisation));

export const peopleActions: ActionsOf<typeof peopleControls> = {
  listAuthorisations: ({ world }) =>
    [...world.openBanking.authorisations.values()]
      .filter(isWaiting)
      .map(({ authorisationId, decision: { title, terms } }) => ({
        authorisation_id: authorisationId,
        title,
        terms: terms.map(([name, value]) => ({ name, value })),
      })),

  decideAuthorisation: ({ world }, { authorisation_id: id, decision }) => {
    const authorisation = world.openBanking.authorisations.get(id);
    if (!authorisation) throw missing("authorisation", id);
    if (!isWaiting(authorisation))
      throw conflict("authorisation_decided", "The authorisation is decided or has lapsed.");
    conclude(authorisation, decision === "approve");
  },

  setSignatories: ({ world }, { signatories }) => {
    world.openBanking.signatories = signatories;
  },

  decideApprovals: ({ world }, { decision }) => {
    const approvals = world.approvals.get(demo.clientId);
    if (!approvals?.pending) throw conflict("nothing_pending", "No approvals configuration waits.");
    if (decision === "approve") putInForce(approvals, approvals.pending.config);
    else delete approvals.pending;
  },
};
