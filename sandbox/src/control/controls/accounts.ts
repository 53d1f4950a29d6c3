/** What becomes of account details and statements that were asked for. */
import { empty, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { local, longestSeconds, needed, described } from "./parts";

export const decideAccountDetails = operation({
  ...local,
  name: "sandbox.decideAccountDetails",
  tool: "sandbox_decide_account_details",
  title: "Decide account details",
  summary: "Confirms account details that were requested and are pending, or lets them fail.",
  method: "POST",
  path: "/_sandbox/account-details/{account_details_id}",
  parameters: {
    account_details_id: z.string().meta({ title: "Account details ID", ...described("As they are listed.") }),
  },
  body: z.object({ decision: z.enum(["confirm", "fail"]).meta(described("What the dealers say.")) }),
  responses: {
    200: json(z.object({ account_details_id: z.string(), status: z.string() }), "The account details."),
  },
});

export const decideStatement = operation({
  ...local,
  name: "sandbox.decideStatement",
  tool: "sandbox_decide_statement",
  title: "Spoil statement",
  summary: "Lets a statement file fail, or take longer: one that was asked for, or the next one.",
  method: "POST",
  path: "/_sandbox/statements",
  body: z.object({
    statement_id: z
      .string()
      .optional()
      .meta({ title: "Statement ID", ...described("The next one, without.") }),
    decision: z.enum(["fail", "delay"]).meta(described("What becomes of it.")),
    seconds: z.int().min(1).max(longestSeconds).optional().meta(described("How much longer it takes.")),
  }),
  rules: [needed("seconds", "decision", "delay")],
  responses: { 204: empty("Done.") },
});

export const accountsControls = [decideAccountDetails, decideStatement] as const;
