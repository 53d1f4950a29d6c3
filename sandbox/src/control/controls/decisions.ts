/** Controls for decisions of people and the bank: account details, statements, authorisations and approvals. */
import { json } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import {
  identifier,
  control,
  maxSeconds,
  requiredWith,
  toNotFoundError,
  emptyResponse,
} from "./define-control";
import { applyDecision } from "../../world/accounts/account-details";
import { applyOutcome } from "../../world/statements/account-statement";
import { DomainError } from "../../world/common/domain-error";
import type { Authorisation } from "../../world/model/decision";
import { concludeAuthorisation, scaStatusOf } from "../../world/open-banking/authorisations";
import { activateConfig } from "../../world/parties/approvals";
import type { World } from "../../world/model/world";

export const decideAccountDetails = control(
  "decideAccountDetails",
  {
    title: "Decide account details",
    summary: "Confirms or fails pending account details.",
    method: "POST",
    path: "/_sandbox/account-details/{account_details_id}",
    parameters: {
      account_details_id: identifier("Account details ID", "ID of the account details."),
    },
    body: z.object({
      decision: z.enum(["confirm", "fail"]).describe("Outcome of the request."),
    }),
    responses: {
      200: json(z.object({ account_details_id: z.string(), status: z.string() }), "The account details."),
    },
  },
  ({ world }, { account_details_id: detailsId, decision }) => {
    const details = world.accountDetails.get(detailsId.toLowerCase());
    if (!details) throw toNotFoundError("account details", detailsId);
    if (details.status !== "pending")
      throw new DomainError("account-details-decided", `The account details are ${details.status}.`);
    applyDecision(world, details, decision === "confirm" ? "confirmed" : "failed");
    return { account_details_id: details.accountDetailsId, status: details.status };
  },
);

export const addStatementFault = control(
  "addStatementFault",
  {
    title: "Add statement fault",
    summary: "Fails or delays a statement file: a requested one, or the next one.",
    method: "POST",
    path: "/_sandbox/statements",
    body: z.object({
      statement_id: identifier("Statement ID", "Statement to change. Defaults to the next one.").optional(),
      decision: z.enum(["fail", "delay"]).describe("Fail or delay the statement."),
      seconds: z.int().min(1).max(maxSeconds).optional().describe("Delay in seconds."),
    }),
    rules: [requiredWith("seconds", "decision", "delay")],
    responses: emptyResponse,
  },
  ({ world }, { statement_id, decision, seconds = 0 }) => {
    const outcome = { failed: decision === "fail", delayMs: seconds * 1_000 };
    if (statement_id === undefined) {
      world.nextStatement = outcome;
      return;
    }
    const statement = world.statements.get(statement_id.toLowerCase());
    if (!statement) throw toNotFoundError("statement", statement_id);
    applyOutcome(world, statement, outcome);
  },
);

const isUndecided = (world: World, authorisation: Authorisation) =>
  !["finalised", "failed"].includes(scaStatusOf(world, authorisation));

const Authorisation = z.object({
  authorisation_id: z.string(),
  title: z.string(),
  terms: z.array(z.object({ name: z.string(), value: z.string() })),
});

export const listAuthorisations = control(
  "listAuthorisations",
  {
    title: "Authorisations",
    summary: "Lists the pending open-banking authorisations.",
    method: "GET",
    path: "/_sandbox/authorisations",
    responses: { 200: json(z.array(Authorisation), "The pending authorisations.") },
  },
  ({ world }) =>
    [...world.openBanking.authorisations.values()]
      .filter((authorisation) => isUndecided(world, authorisation))
      .map(({ authorisationId, decision: { title, terms } }) => ({
        authorisation_id: authorisationId,
        title,
        terms: terms.map(([name, value]) => ({ name, value })),
      })),
);

export const decideAuthorisation = control(
  "decideAuthorisation",
  {
    title: "Decide authorisation",
    summary: "Approves or refuses an open-banking authorisation.",
    method: "POST",
    path: "/_sandbox/authorisations/{authorisation_id}",
    parameters: {
      authorisation_id: identifier(
        "Authorisation ID",
        "ID from listAuthorisations or from the link to the page.",
      ),
    },
    body: z.object({
      decision: z.enum(["approve", "refuse"]).describe("Decision of the person."),
    }),
    responses: emptyResponse,
  },
  ({ world }, { authorisation_id: authorisationId, decision }) => {
    const authorisation = world.openBanking.authorisations.get(authorisationId);
    if (!authorisation) throw toNotFoundError("authorisation", authorisationId);
    if (!isUndecided(world, authorisation))
      throw new DomainError("authorisation-decided", "The authorisation was already decided or has expired.");
    concludeAuthorisation(world, authorisation, decision === "approve");
  },
);

export const setSignatories = control(
  "setSignatories",
  {
    title: "Set signatories",
    summary: "Sets how many people must authorise each new open-banking payment.",
    method: "POST",
    path: "/_sandbox/signatories",
    body: z.object({
      signatories: z
        .int()
        .min(1)
        .max(5)
        .meta({ description: "Number of people.", examples: [2] }),
    }),
    responses: emptyResponse,
  },
  ({ world }, { signatories }) => {
    world.openBanking.signatories = signatories;
  },
);

export const decideApprovals = control(
  "decideApprovals",
  {
    title: "Decide approvals configuration",
    summary: "Approves or rejects the pending approvals configuration as the second administrator.",
    method: "POST",
    path: "/_sandbox/approvals-config",
    body: z.object({
      decision: z.enum(["approve", "reject"]).describe("Decision of the second administrator."),
    }),
    responses: emptyResponse,
  },
  ({ world }, { decision }) => {
    const approvals = world.approvals.get(world.home.clientId);
    if (!approvals?.pending)
      throw new DomainError("nothing-pending", "No approvals configuration is pending.");
    if (decision === "approve") activateConfig(approvals, approvals.pending.config);
    else delete approvals.pending;
  },
);
