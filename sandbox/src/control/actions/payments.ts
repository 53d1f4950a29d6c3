/** Payments from trades: ordered, decided, completed, returned. */
import type { Stage } from "../../stage";
import { mayActFor } from "../../world/parties/parties";
import { completeBeneficiary, decidePayment, orderPayment, returnPayment } from "../../world/trades/payments";
import type { Trade, TradePayment } from "../../world/trades/trades";
import type { World } from "../../world/world";
import { DomainError } from "../../world/domain-error";
import type { paymentsControls } from "../controls/payments";
import { type ActionsOf, missing } from "./parts";
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

export const paymentsActions: ActionsOf<typeof paymentsControls> = {
  listBeneficiaries: ({ world }) =>
    world.beneficiaries.map(({ beneficiaryId, name, currency }) => ({
      beneficiary_id: beneficiaryId,
      name,
      currency,
    })),

  allocatePayment: ({ world }, values) => {
    const { trade_id: tradeId, beneficiary_id: beneficiaryId, payment_date: date } = values;
    const trade = world.trades.get(tradeId);
    if (!trade) throw missing("trade", tradeId);
    const beneficiary = world.beneficiaries.find((each) => each.beneficiaryId === beneficiaryId);
    if (!beneficiary) throw missing("beneficiary", beneficiaryId);
    const contactId = contactFor(world, trade, values.contact_id ?? world.home.contactId);
    const order = { beneficiary, amount: new Big(values.amount), date, contactId };
    return paymentView(orderPayment(world, trade, order));
  },

  decidePayment: (stage, { payment_id: id, decision, contact_id: contact }) =>
    withPayment(stage, id, (world, trade, payment) => {
      const contactId = contactFor(world, trade, contact);
      decidePayment(world, trade, payment, { contactId, approve: decision === "approve" });
    }),

  completeBeneficiary: (stage, { payment_id: id, iban, account_number: accountNumber }) =>
    withPayment(stage, id, (world, trade, payment) =>
      completeBeneficiary(world, trade, payment, {
        ...(iban !== undefined && { iban }),
        ...(accountNumber !== undefined && { accountNumber }),
      }),
    ),

  returnPayment: (stage, { payment_id: id }) => withPayment(stage, id, returnPayment),
};
