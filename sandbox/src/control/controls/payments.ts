/** Payments from trades, and to whom they are made. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { day, DecimalText } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { isPayableIban } from "../../world/accounts/iban";
import { local, described } from "./parts";

const Beneficiary = z.object({ beneficiary_id: z.string(), name: z.string(), currency: z.string() });

export const listBeneficiaries = operation({
  ...local,
  name: "sandbox.listBeneficiaries",
  tool: "sandbox_list_beneficiaries",
  title: "Beneficiaries",
  summary: "Lists to whom can be paid.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/beneficiaries",
  responses: { 200: json(z.array(Beneficiary), "The beneficiaries.") },
});

const Payment = z.object({ payment_id: z.string(), status: z.string() });
const payment = json(Payment, "The payment.");
const paymentId = {
  payment_id: z.string().meta({ title: "Payment ID", ...described("As the trade lists it.") }),
};

export const allocatePayment = operation({
  ...local,
  name: "sandbox.allocatePayment",
  tool: "sandbox_allocate_payment",
  title: "Allocate payment",
  summary: "Orders a payment from what a trade buys. It waits for approvals where there are any.",
  method: "POST",
  path: "/_sandbox/payments",
  body: z.object({
    trade_id: z.string().meta({ title: "Trade ID", ...described("The trade it is paid from.") }),
    beneficiary_id: z.string().meta({ title: "Beneficiary ID", ...described("Who is paid.") }),
    amount: DecimalText,
    payment_date: day("Payment date", "When it is sent; at the trade's maturity, without.").optional(),
    contact_id: z
      .string()
      .optional()
      .meta({ title: "Contact ID", ...described("Who orders it; the demo contact, without.") }),
  }),
  responses: { 200: payment },
});

export const decidePayment = operation({
  ...local,
  name: "sandbox.decidePayment",
  tool: "sandbox_decide_payment",
  title: "Decide payment",
  summary: "Approves or rejects a payment that waits for it, as a contact of the approval groups.",
  method: "POST",
  path: "/_sandbox/payments/{payment_id}",
  parameters: paymentId,
  body: z.object({
    decision: z.enum(["approve", "reject"]).meta(described("What the contact says.")),
    contact_id: z.string().meta({ title: "Contact ID", ...described("Who says it.", "contact-approver") }),
  }),
  responses: { 200: payment },
});

export const completeBeneficiary = operation({
  ...local,
  name: "sandbox.completeBeneficiary",
  tool: "sandbox_complete_beneficiary",
  title: "Complete beneficiary",
  summary: "Gives the account that a payment needs to know of its beneficiary.",
  method: "POST",
  path: "/_sandbox/payments/{payment_id}/beneficiary",
  parameters: paymentId,
  body: z.object({
    iban: z
      .string()
      .refine(isPayableIban, "must be an IBAN with the right check digits")
      .optional()
      .meta({ title: "IBAN", examples: ["NL13TEST0123456789"], ...described("An IBAN.") }),
    account_number: z.string().optional().meta(described("Or an account number.")),
  }),
  rules: [
    {
      kind: "exactly-one",
      fields: ["iban", "account_number"],
      description: "Either iban or account_number.",
    },
  ],
  responses: { 200: payment },
});

export const returnPayment = operation({
  ...local,
  name: "sandbox.returnPayment",
  tool: "sandbox_return_payment",
  title: "Return payment",
  summary: "Lets a payment that was made come back.",
  method: "POST",
  path: "/_sandbox/payments/{payment_id}/return",
  parameters: paymentId,
  responses: { 200: payment },
});

export const paymentsControls = [
  listBeneficiaries,
  allocatePayment,
  decidePayment,
  completeBeneficiary,
  returnPayment,
] as const;
