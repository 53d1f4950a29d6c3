/** Payments from trades, and to whom they are made. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { day, DecimalText } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { isPayableIban } from "../../world/accounts/iban";
import { control, local, described, missing } from "./parts";
import type { Stage } from "../../stage";
import { mayActFor } from "../../world/parties/parties";
import * as payments from "../../world/trades/payments";
import type { Trade, TradePayment } from "../../world/trades/trades";
import type { World } from "../../world/world";
import { DomainError } from "../../world/domain-error";
import { Big } from "big.js";

const paymentView = ({ paymentId, status }: TradePayment) => ({ payment_id: paymentId, status });

/** Does something with a payment; what its state does not allow is a conflict. */
function withPayment(
  { world }: Stage,
  id: string,
  act: (world: World, trade: Trade, payment: TradePayment) => void,
) {
  for (const trade of world.trades.values()) {
    const payment = trade.payments.find(({ paymentId }) => paymentId === id);
    if (!payment) continue;
    act(world, trade, payment);
    return paymentView(payment);
  }
  throw missing("payment", id);
}

/** A contact who acts for the client of the trade. */
function contactFor({ contacts }: World, trade: Trade, contactId: string): string {
  const contact = contacts.get(contactId);
  if (!contact?.clientIds.includes(trade.clientId)) throw missing("contact", contactId);
  if (!mayActFor(contact, trade)) throw new DomainError("contact-conflict", `${contactId} may do nothing.`);
  return contactId;
}

const Beneficiary = z.object({ beneficiary_id: z.string(), name: z.string(), currency: z.string() });

export const listBeneficiaries = control(
  operation({
    ...local,
    name: "sandbox.listBeneficiaries",
    tool: "sandbox_list_beneficiaries",
    title: "Beneficiaries",
    summary: "Lists to whom can be paid.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/beneficiaries",
    responses: { 200: json(z.array(Beneficiary), "The beneficiaries.") },
  }),
  ({ world }) =>
    world.beneficiaries.map(({ beneficiaryId, name, currency }) => ({
      beneficiary_id: beneficiaryId,
      name,
      currency,
    })),
);

const Payment = z.object({ payment_id: z.string(), status: z.string() });
const paymentResponse = json(Payment, "The payment.");
const paymentId = {
  payment_id: z.string().meta({ title: "Payment ID", ...described("As the trade lists it.") }),
};

export const allocatePayment = control(
  operation({
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
    responses: { 200: paymentResponse },
  }),
  ({ world }, values) => {
    const { trade_id: tradeId, beneficiary_id: beneficiaryId, payment_date: date } = values;
    const trade = world.trades.get(tradeId);
    if (!trade) throw missing("trade", tradeId);
    const beneficiary = world.beneficiaries.find((each) => each.beneficiaryId === beneficiaryId);
    if (!beneficiary) throw missing("beneficiary", beneficiaryId);
    const contactId = contactFor(world, trade, values.contact_id ?? world.home.contactId);
    const order = { beneficiary, amount: new Big(values.amount), date, contactId };
    return paymentView(payments.orderPayment(world, trade, order));
  },
);

export const decidePayment = control(
  operation({
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
    responses: { 200: paymentResponse },
  }),
  (stage, { payment_id: id, decision, contact_id: contact }) =>
    withPayment(stage, id, (world, trade, payment) => {
      const contactId = contactFor(world, trade, contact);
      payments.decidePayment(world, trade, payment, { contactId, approve: decision === "approve" });
    }),
);

export const completeBeneficiary = control(
  operation({
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
    responses: { 200: paymentResponse },
  }),
  (stage, { payment_id: id, iban, account_number: accountNumber }) =>
    withPayment(stage, id, (world, trade, payment) =>
      payments.completeBeneficiary(world, trade, payment, {
        ...(iban !== undefined && { iban }),
        ...(accountNumber !== undefined && { accountNumber }),
      }),
    ),
);

export const returnPayment = control(
  operation({
    ...local,
    name: "sandbox.returnPayment",
    tool: "sandbox_return_payment",
    title: "Return payment",
    summary: "Lets a payment that was made come back.",
    method: "POST",
    path: "/_sandbox/payments/{payment_id}/return",
    parameters: paymentId,
    responses: { 200: paymentResponse },
  }),
  (stage, { payment_id: id }) => withPayment(stage, id, payments.returnPayment),
);

export const paymentsControls = [
  listBeneficiaries,
  allocatePayment,
  decidePayment,
  completeBeneficiary,
  returnPayment,
] as const;
