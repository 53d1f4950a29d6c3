/** What people decide: authorisations, and the approvals configuration. */
import { empty, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { local, described } from "./parts";

const Authorisation = z.object({
  authorisation_id: z.string(),
  title: z.string(),
  terms: z.array(z.object({ name: z.string(), value: z.string() })),
});

export const listAuthorisations = operation({
  ...local,
  name: "sandbox.listAuthorisations",
  tool: "sandbox_list_authorisations",
  title: "Authorisations",
  summary: "Lists the open-banking authorisations that wait for a person.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/authorisations",
  responses: { 200: json(z.array(Authorisation), "Those that wait.") },
});

export const decideAuthorisation = operation({
  ...local,
  name: "sandbox.decideAuthorisation",
  tool: "sandbox_decide_authorisation",
  title: "Decide authorisation",
  summary: "Approves or refuses an open-banking authorisation in the person's place.",
  method: "POST",
  path: "/_sandbox/authorisations/{authorisation_id}",
  parameters: {
    authorisation_id: z
      .string()
      .meta({ title: "Authorisation ID", ...described("As listed, or in its link.") }),
  },
  body: z.object({ decision: z.enum(["approve", "refuse"]).meta(described("What the person says.")) }),
  responses: { 204: empty("Done.") },
});

export const setSignatories = operation({
  ...local,
  name: "sandbox.setSignatories",
  tool: "sandbox_set_signatories",
  title: "Set signatories",
  summary: "Says how many people must authorise each open-banking payment that is initiated from now on.",
  method: "POST",
  path: "/_sandbox/signatories",
  body: z.object({ signatories: z.int().min(1).max(5).meta(described("How many people.", 2)) }),
  responses: { 204: empty("Done.") },
});

export const decideApprovals = operation({
  ...local,
  name: "sandbox.decideApprovals",
  tool: "sandbox_decide_approvals",
  title: "Decide approvals configuration",
  summary: "Approves or rejects, as second administrator, the approvals configuration that waits.",
  method: "POST",
  path: "/_sandbox/approvals-config",
  body: z.object({
    decision: z.enum(["approve", "reject"]).meta(described("What the second administrator says.")),
  }),
  responses: { 204: empty("Done.") },
});

export const peopleControls = [
  listAuthorisations,
  decideAuthorisation,
  setSignatories,
  decideApprovals,
] as const;
