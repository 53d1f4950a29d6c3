/** Controls for payments from trades and their beneficiaries. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { day, DecimalText } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { isPayableIban } from "../../world/banks/account-numbers";
import { defineControl, controlDefaults, withDescription, toNotFoundError } from "./define-control";
import type { SandboxSession } from "../../session/sandbox-session";
import { canActFor } from "../../world/parties/parties";
import * as payments from "../../world/trades/payments";
import type { Trade, TradePayment } from "../../world/model/trade";
import type { World } from "../../world/model/world";
import { DomainError } from "../../world/common/domain-error";
import { Big } from "big.js";

const toPaymentView = ({ paymentId, status }: TradePayment) => ({ payment_id: paymentId, status });

/** Applies a change to a payment. Throws a DomainError if its status does not allow the change. */
function withPayment(
  { world }: SandboxSession,
  id: string,
  act: (world: World, trade: Trade, payment: TradePayment) => void,
) {
  for (const trade of world.trades.values()) {
    const payment = trade.payments.find(({ paymentId }) => paymentId === id);
    if (!payment) continue;
    act(world, trade, payment);
    return toPaymentView(payment);
  }
  throw toNotFoundError("payment", id);
}

/** Returns a contact that acts for the trade's client. Throws if it is unknown or blocked. */
function findContact({ contacts }: World, trade: Trade, contactId: string): string {
  const contact = contacts.get(contactId);
  if (!contact?.clientIds.includes(trade.clientId)) throw toNotFoundError("contact", contactId);
  if (!canActFor(contact, trade)) throw new DomainError("contact-conflict", `${contactId} is blocked.`);
  return contactId;
}

const Beneficiary = z.object({ beneficiary_id: z.string(), name: z.string(), currency: z.string() });

export const listBeneficiaries = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.listBeneficiaries",
    tool: "sandbox_list_beneficiaries",
    title: "Beneficiaries",
    summary: "Lists the beneficiaries.",
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
  payment_id: z.string().meta({ title: "Payment ID", ...withDescription("ID of the payment in the trade.") }),
};

export const allocatePayment = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.allocatePayment",
    tool: "sandbox_allocate_payment",
    title: "Allocate payment",
    summary:
      "Orders a payment from the bought amount of a trade. It waits for approval if the approvals workflow is enabled.",
    method: "POST",
    path: "/_sandbox/payments",
    body: z.object({
      trade_id: z.string().meta({ title: "Trade ID", ...withDescription("Trade that funds the payment.") }),
      beneficiary_id: z
        .string()
        .meta({ title: "Beneficiary ID", ...withDescription("Beneficiary of the payment.") }),
      amount: DecimalText,
      payment_date: day("Payment date", "Date to send it. Defaults to the trade's maturity.").optional(),
      contact_id: z
        .string()
        .optional()
        .meta({
          title: "Contact ID",
          ...withDescription("Contact who orders it. Defaults to the demo contact."),
        }),
    }),
    responses: { 200: paymentResponse },
  }),
  ({ world }, values) => {
    const { trade_id: tradeId, beneficiary_id: beneficiaryId, payment_date: date } = values;
    const trade = world.trades.get(tradeId);
    if (!trade) throw toNotFoundError("trade", tradeId);
    const beneficiary = world.beneficiaries.find((each) => each.beneficiaryId === beneficiaryId);
    if (!beneficiary) throw toNotFoundError("beneficiary", beneficiaryId);
    const contactId = findContact(world, trade, values.contact_id ?? world.home.contactId);
    const order = { beneficiary, amount: new Big(values.amount), date, contactId };
    return toPaymentView(payments.orderPayment(world, trade, order));
  },
);

export const decidePayment = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.decidePayment",
    tool: "sandbox_decide_payment",
    title: "Decide payment",
    summary: "Approves or rejects a pending payment as a contact of the approval groups.",
    method: "POST",
    path: "/_sandbox/payments/{payment_id}",
    parameters: paymentId,
    body: z.object({
      decision: z.enum(["approve", "reject"]).meta(withDescription("Decision of the contact.")),
      contact_id: z
        .string()
        .meta({ title: "Contact ID", ...withDescription("Contact who decides.", "contact-approver") }),
    }),
    responses: { 200: paymentResponse },
  }),
  (session, { payment_id: id, decision, contact_id: contact }) =>
    withPayment(session, id, (world, trade, payment) => {
      const contactId = findContact(world, trade, contact);
      payments.decidePayment(world, trade, payment, { contactId, approve: decision === "approve" });
    }),
);

export const completeBeneficiary = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.completeBeneficiary",
    tool: "sandbox_complete_beneficiary",
    title: "Complete beneficiary",
    summary: "Adds the missing account of a payment's beneficiary.",
    method: "POST",
    path: "/_sandbox/payments/{payment_id}/beneficiary",
    parameters: paymentId,
    body: z.object({
      iban: z
        .string()
        .refine(isPayableIban, "must be an IBAN with valid check digits")
        .optional()
        .meta({
          title: "IBAN",
          examples: ["NL13TEST0123456789"],
          ...withDescription("IBAN of the beneficiary."),
        }),
      account_number: z.string().optional().meta(withDescription("Account number, instead of an IBAN.")),
    }),
    rules: [
      {
        kind: "exactly-one",
        fields: ["iban", "account_number"],
        description: "Exactly one of iban and account_number must be given.",
      },
    ],
    responses: { 200: paymentResponse },
  }),
  (session, { payment_id: id, iban, account_number: accountNumber }) =>
    withPayment(session, id, (world, trade, payment) =>
      payments.completeBeneficiary(world, trade, payment, {
        ...(iban !== undefined && { iban }),
        ...(accountNumber !== undefined && { accountNumber }),
      }),
    ),
);

export const returnPayment = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.returnPayment",
    tool: "sandbox_return_payment",
    title: "Return payment",
    summary: "Returns a completed payment.",
    method: "POST",
    path: "/_sandbox/payments/{payment_id}/return",
    parameters: paymentId,
    responses: { 200: paymentResponse },
  }),
  (session, { payment_id: id }) => withPayment(session, id, payments.returnPayment),
);

export const paymentsControls = [
  listBeneficiaries,
  allocatePayment,
  decidePayment,
  completeBeneficiary,
  returnPayment,
] as const;
