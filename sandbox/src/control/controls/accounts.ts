/** Controls for requested account details and statement files. */
import { empty, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import {
  defineControl,
  controlDefaults,
  maxSeconds,
  requiredWith,
  withDescription,
  toNotFoundError,
} from "./define-control";
import { applyDecision } from "../../world/accounts/account-details";
import { applyOutcome } from "../../world/statements/account-statement";
import { DomainError } from "../../world/common/domain-error";

export const decideAccountDetails = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.decideAccountDetails",
    tool: "sandbox_decide_account_details",
    title: "Decide account details",
    summary: "Confirms or fails pending account details.",
    method: "POST",
    path: "/_sandbox/account-details/{account_details_id}",
    parameters: {
      account_details_id: z
        .string()
        .meta({ title: "Account details ID", ...withDescription("ID of the account details.") }),
    },
    body: z.object({
      decision: z.enum(["confirm", "fail"]).meta(withDescription("Outcome of the request.")),
    }),
    responses: {
      200: json(z.object({ account_details_id: z.string(), status: z.string() }), "The account details."),
    },
  }),
  ({ world }, { account_details_id: id, decision }) => {
    const details = world.accountDetails.get(id.toLowerCase());
    if (!details) throw toNotFoundError("account details", id);
    if (details.status !== "pending")
      throw new DomainError("account-details-decided", `The account details are ${details.status}.`);
    applyDecision(world, details, decision === "confirm" ? "confirmed" : "failed");
    return { account_details_id: details.accountDetailsId, status: details.status };
  },
);

export const decideStatement = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.decideStatement",
    tool: "sandbox_decide_statement",
    title: "Add statement fault",
    summary: "Fails or delays a statement file: a requested one, or the next one.",
    method: "POST",
    path: "/_sandbox/statements",
    body: z.object({
      statement_id: z
        .string()
        .optional()
        .meta({
          title: "Statement ID",
          ...withDescription("Statement to change. Defaults to the next one."),
        }),
      decision: z.enum(["fail", "delay"]).meta(withDescription("Fail or delay the statement.")),
      seconds: z.int().min(1).max(maxSeconds).optional().meta(withDescription("Delay in seconds.")),
    }),
    rules: [requiredWith("seconds", "decision", "delay")],
    responses: { 204: empty("Done.") },
  }),
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

export const accountsControls = [decideAccountDetails, decideStatement] as const;
