/** Payments from the initiation to the end: RCVD, PATC, ACTC, ACSP and ACSC, or what goes wrong. */
import { Big } from "big.js";
import { type Money, written } from "../money/currencies";
import { dayMs, dayOf, hourOf } from "../calendar/days";
import { dayAt, dayFor } from "../calendar/systems";
import { isPayableIban } from "../accounts/iban";
import type { Movement } from "../ledger/ledger";
import { available, move, note } from "../ledger/movements";
import type { World } from "../world";
import type { Decision } from "./decision";
import { letLapse } from "./lapsing";
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
import { dayFrom, type StandingOrder } from "./standing-order";

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
  const about = { id: paymentId, subject: { scope: `PIS:${paymentId}`, clientIds: [clientId] } };
  const several = signatories > 1 ? [["To be approved by", `${signatories} people`] as const] : [];
  const payment: Payment = {
    ...terms,
    paymentId,
    initiation: {
      about: "initiation",
      ...about,
      title: "Payment",
      terms: [...termsForPeople(terms), ...several],
    },
    cancellation: {
      about: "cancellation",
      ...about,
      title: "Cancellation of a payment",
      terms: termsForPeople(terms),
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

const known = ({ openBanking }: World, paymentId: string): Payment => openBanking.payments.get(paymentId)!;

export const initiationDecision = {
  missing(world: World, id: string): number {
    const payment = known(world, id);
    return isUnauthorised(payment) ? payment.unsigned : 0;
  },

  decide(world: World, id: string, approved: boolean): void {
    const payment = known(world, id);
    if (approved) sign(world, payment);
    else reject(payment, refused);
  },
};

export const cancellationDecision = {
  missing(world: World, id: string): number {
    const { status, cancelling } = known(world, id);
    return status === "ACTC" && cancelling ? 1 : 0;
  },

  decide(world: World, id: string, approved: boolean): void {
    const payment = known(world, id);
    if (approved) cancel(world, payment);
    else payment.cancelling = false;
  },
};

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
    scheduleNext(world, payment, order, 0);
    return;
  }
  const at = executionTime(world, payment, requestedAt ?? world.now);
  world.agenda.schedule(at, "payment-settles", payment, payment.rejectWithoutFunds ? 0 : daysToWait);
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
export function settle(world: World, payment: Payment, daysLeft: number): void {
  if (payment.status !== "ACTC") return;
  if (daysLeft > 0 && !hasFunds(world, payment)) {
    const next = executionTime(world, payment, world.after(dayMs));
    world.agenda.schedule(next, "payment-settles", payment, daysLeft - 1);
    return;
  }
  payment.status = "ACSP";
  world.agenda.schedule(world.after(stepMs), "payment-is-executed", payment);
}

export function execute(world: World, payment: Payment): void {
  commit(world, payment, totalOf(payment).neg());
  const paid = new Set(pay(world, payment));
  const unpaid = payment.transfers.filter((transfer) => !paid.has(transfer));
  const reasons = unpaid.map(({ creditorAccount }) => (isPayable(creditorAccount) ? noFunds : wrongAccount));
  payment.unpaid = new Map(unpaid.map((transfer, index) => [transfer, reasons[index]!]));
  payment.status = unpaid.length === 0 ? "ACSC" : "PART";
  if (paid.size === 0) reject(payment, reasons[0]!);
}

/** Lets a standing order pay on its next day from the one with a number on; behind its last it is complete. */
function scheduleNext(world: World, payment: Payment, order: StandingOrder, from: number): void {
  const next = dayFrom(order, systemBehind(payment), from);
  if (next === undefined) {
    payment.status = "ACSC";
    return;
  }
  const at = executionTime(world, payment, atExecutionHour(next.day));
  world.agenda.schedule(at, "standing-order-pays", payment, next.number);
}

/** A standing order pays, and so on to its last day. A day without funds is left out. */
export function payOrder(world: World, payment: Payment, number: number): void {
  if (payment.status !== "ACTC") return;
  pay(world, payment);
  scheduleNext(world, payment, payment.order!, number + 1);
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
