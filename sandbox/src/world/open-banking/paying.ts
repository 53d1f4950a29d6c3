/** Payments from the initiation to the end: RCVD, PATC, ACTC, ACSP and ACSC, or what goes wrong. */
import { Big } from "big.js";
import { type Money, written } from "../money/currencies";
import { dayMs, dayOf, hourOf } from "../calendar/days";
import { dayAt, dayFor } from "../calendar/systems";
import { isPayableIban } from "../accounts/iban";
import { available, move, type Movement, note } from "../ledger/movements";
import type { World } from "../world";
import { letLapse } from "./authorisations";
import type { Decision, Subject } from "./decision";
import {
  isUnauthorised,
  type Payment,
  type PaymentTerms,
  type StatusReason,
  totalOf,
  type Transfer,
} from "./payment";
import { systemFor } from "./products";
import { type AccountReference, bicOf, numberOf, referenceTo, referredTo } from "./references";
import { daysOf } from "./standing-order";

const wrongAccount: StatusReason = { code: "AC01", text: "The creditor's account is not one." };
const noFunds: StatusReason = { code: "AM04", text: "There are not enough funds." };
const refused: StatusReason = { code: "DS02", text: "It was refused, or not authorised in time." };

/** From the authorisation to the beginning of settlement, and from there to its end. */
const stepMs = 2_000;
/** How many days a payment waits for funds. */
const daysToWait = 3;
/** The hour (UTC) at which payments for a day are made. */
const hourOfExecution = 8;

export const atExecutionHour = (day: string): Date => hourOf(day, hourOfExecution);

export const hasFunds = (world: World, payment: Payment): boolean =>
  available(world, payment.account).gte(totalOf(payment));

export function initiate(world: World, terms: PaymentTerms): Payment {
  const { signatories } = world.openBanking;
  const paymentId = world.ids.uuid();
  const { clientId } = terms.client;
  const subject: Subject = { scope: `PIS:${paymentId}`, clientIds: [clientId], isOpen: () => true };
  const several = signatories > 1 ? [["To be approved by", `${signatories} people`] as const] : [];
  const payment: Payment = {
    ...terms,
    paymentId,
    initiation: {
      subject,
      title: "Payment",
      terms: [...termsForPeople(terms), ...several],
      missing: () => (isUnauthorised(payment) ? payment.unsigned : 0),
      decide: (approved) => (approved ? sign(world, payment) : reject(payment, refused)),
    },
    cancellation: {
      subject,
      title: "Cancellation of a payment",
      terms: termsForPeople(terms),
      missing: () => (payment.status === "ACTC" && payment.cancelling ? 1 : 0),
      decide: (approved) => (approved ? cancel(world, payment) : void (payment.cancelling = false)),
    },
    status: "RCVD",
    authorisedAt: undefined,
    unsigned: signatories,
    unpaid: new Map(),
    rejection: undefined,
    cancelling: false,
  };
  world.openBanking.payments.set(payment.paymentId, payment);
  letLapse(world, payment.initiation);
  return payment;
}

const shown = ({ amount, currency }: Money) => `${written(amount, currency)} ${currency}`;

function termsForPeople({ transfers, account, order, requestedAt }: PaymentTerms): Decision["terms"] {
  const { currency } = account;
  return [
    ["From", numberOf(referenceTo(account))],
    ...transfers.map(
      ({ amount, creditorName, creditorAccount }) =>
        [`To ${creditorName}`, `${shown(amount)}, account ${numberOf(creditorAccount)}`] as const,
    ),
    ["In total", shown({ amount: totalOf({ transfers }), currency })],
    ...(order ? [["Repeated", `${order.frequency} from ${order.startDate}`] as const] : []),
    ...(requestedAt ? [["On", dayOf(requestedAt)] as const] : []),
  ];
}

function reject(payment: Payment, reason: StatusReason): void {
  payment.status = "RJCT";
  payment.rejection = reason;
}

/** One of the people who must authorise it has. Throws, and changes nothing, when the books cannot hold it. */
function sign(world: World, payment: Payment): void {
  if (payment.unsigned > 1) payment.status = "PATC";
  else authorise(world, payment);
  payment.unsigned -= 1;
}

function authorise(world: World, payment: Payment): void {
  if (payment.rejectWithoutFunds && !hasFunds(world, payment)) {
    reject(payment, noFunds);
    return;
  }
  const { order, requestedAt } = payment;
  if (!order) commit(world, payment, totalOf(payment));
  payment.status = "ACTC";
  payment.authorisedAt = world.now;
  if (order) {
    payNext(world, payment, daysOf(order, systemBehind(payment)));
    return;
  }
  const at = executionTime(world, payment, requestedAt ?? world.now);
  world.agenda.schedule(at, () => settle(world, payment, payment.rejectWithoutFunds ? 0 : daysToWait));
}

const systemBehind = ({ product, account }: Payment) => systemFor(product, account.currency);

/**
 * When a payment that is authorised now begins to settle: as soon as it can, but not before a time that was asked for. What
 * comes after the cut-off or on a closed day waits for the morning of the next day that can be had.
 */
function executionTime(world: World, payment: Payment, asked: Date): Date {
  const soonest = world.after(stepMs);
  const wanted = asked > soonest ? asked : soonest;
  const system = systemBehind(payment);
  const day = dayFor(system, world.now, dayAt(system, wanted));
  return day === dayOf(wanted) ? wanted : atExecutionHour(day);
}

/** Notes what is going to leave the account; a negative amount takes it back. */
function commit(world: World, { account, paymentId: reference }: Payment, amount: Big): void {
  note(world, account, "Outgoing", amount, { reference, valueAt: world.now });
}

/** Cancels what is not executed yet. */
export function cancel(world: World, payment: Payment): void {
  if (payment.status === "ACTC" && !payment.order) commit(world, payment, totalOf(payment).neg());
  payment.status = "CANC";
}

/** Begins settlement, or waits another business day for funds. */
function settle(world: World, payment: Payment, daysLeft: number): void {
  if (payment.status !== "ACTC") return;
  if (daysLeft > 0 && !hasFunds(world, payment)) {
    const next = executionTime(world, payment, world.after(dayMs));
    world.agenda.schedule(next, () => settle(world, payment, daysLeft - 1));
    return;
  }
  payment.status = "ACSP";
  world.agenda.schedule(world.after(stepMs), () => execute(world, payment));
}

function execute(world: World, payment: Payment): void {
  commit(world, payment, totalOf(payment).neg());
  const paid = new Set(pay(world, payment));
  const unpaid = payment.transfers.filter((transfer) => !paid.has(transfer));
  const reasons = unpaid.map(({ creditorAccount }) => (isPayable(creditorAccount) ? noFunds : wrongAccount));
  payment.unpaid = new Map(unpaid.map((transfer, index) => [transfer, reasons[index]!]));
  payment.status = unpaid.length === 0 ? "ACSC" : "PART";
  if (paid.size === 0) reject(payment, reasons[0]!);
}

/** Pays a standing order on its next day, and so on to its last. A day without funds is left out. */
function payNext(world: World, payment: Payment, days: Iterator<string, undefined>): void {
  const { value: day } = days.next();
  if (day === undefined) {
    payment.status = "ACSC";
    return;
  }
  world.agenda.schedule(executionTime(world, payment, atExecutionHour(day)), () => {
    if (payment.status !== "ACTC") return;
    pay(world, payment);
    payNext(world, payment, days);
  });
}

/** Pays the transfers for which there are funds and a creditor's account, and returns them. */
function pay(world: World, payment: Payment): Transfer[] {
  const { account, asBatch } = payment;
  let funds = available(world, account);
  const payable = payment.transfers.filter(({ amount: { amount }, creditorAccount }) => {
    const possible = isPayable(creditorAccount) && funds.gte(amount);
    if (possible) funds = funds.minus(amount);
    return possible;
  });
  if (asBatch && payable.length > 1) debitBatch(world, payment, payable);
  else for (const transfer of payable) debit(world, payment, transfer);
  for (const transfer of payable) credit(world, payment, transfer);
  return payable;
}

/** An account number that is an IBAN must be a right one. */
export const isPayable = ({ iban }: AccountReference): boolean => iban === undefined || isPayableIban(iban);

/** The payer's reference, or else the payment's. */
const referenceOf = ({ paymentId }: Payment, { endToEndIdentification }: Transfer) => ({
  reference: endToEndIdentification ?? paymentId.replaceAll("-", ""),
  endToEnd: endToEndIdentification !== undefined,
});

function debit(world: World, payment: Payment, transfer: Transfer): void {
  const { amount, creditorName, creditorAccount, creditorAgent, remittanceInformationUnstructured } =
    transfer;
  const counterparty: Movement["counterparty"] = {
    name: creditorName,
    ...(creditorAccount.iban !== undefined && { iban: creditorAccount.iban }),
    ...(creditorAccount.bban !== undefined && { accountNumber: creditorAccount.bban }),
    ...(creditorAgent !== undefined && { bic: creditorAgent }),
  };
  move(world, payment.account, amount.amount.neg(), "nostro", {
    type: "debit",
    ...referenceOf(payment, transfer),
    information: remittanceInformationUnstructured ?? `Payment to ${creditorName}`,
    counterparty,
  });
}

function debitBatch(world: World, payment: Payment, transfers: readonly Transfer[]): void {
  move(world, payment.account, totalOf({ transfers }).neg(), "nostro", {
    type: "debit",
    reference: payment.paymentId.replaceAll("-", ""),
    information: `Batch of ${transfers.length} payments`,
  });
}

/** Where the creditor's account is kept here too, the money arrives on it. */
function credit(world: World, payment: Payment, transfer: Transfer): void {
  const { amount, creditorAccount, remittanceInformationUnstructured } = transfer;
  const currency = creditorAccount.currency ?? amount.currency;
  const account = referredTo(world.accounts.values(), { ...creditorAccount, currency });
  if (account?.currency !== amount.currency) return;
  const { iban, bban } = referenceTo(payment.account);
  move(world, account, amount.amount, "nostro", {
    type: "incoming",
    ...referenceOf(payment, transfer),
    information: remittanceInformationUnstructured ?? `Payment from ${payment.client.name}`,
    counterparty: {
      name: payment.client.name,
      bic: bicOf(payment.account),
      ...(iban !== undefined && { iban }),
      ...(bban !== undefined && { accountNumber: bban }),
    },
  });
}
