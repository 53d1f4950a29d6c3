/** Money that comes in. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { DecimalText } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { local, described } from "./parts";

export const payIn = operation({
  ...local,
  name: "sandbox.payIn",
  tool: "sandbox_pay_in",
  title: "Pay in",
  summary: "Lets money come in from outside, to an account or to the demo company's account in a currency.",
  method: "POST",
  path: "/_sandbox/pay-ins",
  body: z.object({
    account_id: z
      .string()
      .optional()
      .meta({ title: "Account ID", ...described("The account.") }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR")
      .optional()
      .meta(described("Or the currency of the demo company's account.", "EUR")),
    amount: DecimalText.meta(described("Decimal amount with a dot, such as 1234.50.", "1234.50")),
    reference: z
      .string()
      .max(35)
      .default("PAY-IN")
      .meta(described("What it refers to: it pays for the trade with that ID or reference.")),
    debtor_name: z.string().max(70).default("Somebody").meta(described("Who pays.")),
  }),
  rules: [
    {
      kind: "exactly-one",
      fields: ["account_id", "currency"],
      description: "Exactly one of account_id and currency must be given.",
    },
  ],
  responses: {
    200: json(z.object({ account_id: z.string(), transaction_id: z.string() }), "What was booked."),
  },
});

export const incomingControls = [payIn] as const;
