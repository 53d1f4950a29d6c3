/** Controls for decisions of people: authorisations and the approvals configuration. */
import { empty, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { defineControl, controlDefaults, withDescription, toNotFoundError } from "./define-control";
import type { Authorisation } from "../../world/model/decision";
import { concludeAuthorisation, scaStatusOf } from "../../world/open-banking/authorisations";
import { activateConfig } from "../../world/parties/approvals";
import { DomainError } from "../../world/common/domain-error";
import type { World } from "../../world/model/world";

const isUndecided = (world: World, authorisation: Authorisation) =>
  !["finalised", "failed"].includes(scaStatusOf(world, authorisation));

const Authorisation = z.object({
  authorisation_id: z.string(),
  title: z.string(),
  terms: z.array(z.object({ name: z.string(), value: z.string() })),
});

export const listAuthorisations = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.listAuthorisations",
    tool: "sandbox_list_authorisations",
    title: "Authorisations",
    summary: "Lists the pending open-banking authorisations.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/authorisations",
    responses: { 200: json(z.array(Authorisation), "The pending authorisations.") },
  }),
  ({ world }) =>
    [...world.openBanking.authorisations.values()]
      .filter((authorisation) => isUndecided(world, authorisation))
      .map(({ authorisationId, decision: { title, terms } }) => ({
        authorisation_id: authorisationId,
        title,
        terms: terms.map(([name, value]) => ({ name, value })),
      })),
);

export const decideAuthorisation = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.decideAuthorisation",
    tool: "sandbox_decide_authorisation",
    title: "Decide authorisation",
    summary: "Approves or refuses an open-banking authorisation.",
    method: "POST",
    path: "/_sandbox/authorisations/{authorisation_id}",
    parameters: {
      authorisation_id: z.string().meta({
        title: "Authorisation ID",
        ...withDescription("ID from listAuthorisations or from the link to the page."),
      }),
    },
    body: z.object({
      decision: z.enum(["approve", "refuse"]).meta(withDescription("Decision of the person.")),
    }),
    responses: { 204: empty("Done.") },
  }),
  ({ world }, { authorisation_id: id, decision }) => {
    const authorisation = world.openBanking.authorisations.get(id);
    if (!authorisation) throw toNotFoundError("authorisation", id);
    if (!isUndecided(world, authorisation))
      throw new DomainError("authorisation-decided", "The authorisation was already decided or has expired.");
    concludeAuthorisation(world, authorisation, decision === "approve");
  },
);

export const setSignatories = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.setSignatories",
    tool: "sandbox_set_signatories",
    title: "Set signatories",
    summary: "Sets how many people must authorise each new open-banking payment.",
    method: "POST",
    path: "/_sandbox/signatories",
    body: z.object({ signatories: z.int().min(1).max(5).meta(withDescription("Number of people.", 2)) }),
    responses: { 204: empty("Done.") },
  }),
  ({ world }, { signatories }) => {
    world.openBanking.signatories = signatories;
  },
);

export const decideApprovals = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.decideApprovals",
    tool: "sandbox_decide_approvals",
    title: "Decide approvals configuration",
    summary: "Approves or rejects the pending approvals configuration as the second administrator.",
    method: "POST",
    path: "/_sandbox/approvals-config",
    body: z.object({
      decision: z.enum(["approve", "reject"]).meta(withDescription("Decision of the second administrator.")),
    }),
    responses: { 204: empty("Done.") },
  }),
  ({ world }, { decision }) => {
    const approvals = world.approvals.get(world.home.clientId);
    if (!approvals?.pending)
      throw new DomainError("nothing-pending", "No approvals configuration is pending.");
    if (decision === "approve") activateConfig(approvals, approvals.pending.config);
    else delete approvals.pending;
  },
);

export const peopleControls = [
  listAuthorisations,
  decideAuthorisation,
  setSignatories,
  decideApprovals,
] as const;
