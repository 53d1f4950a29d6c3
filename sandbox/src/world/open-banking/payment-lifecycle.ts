/** Life cycle of open-banking payments: RCVD, PATC, ACTC, ACSP, ACSC, or rejection and cancellation. */
import { Big } from "big.js";
import { type Money, formatDecimalAmount } from "../money/currencies";
import {
  dayMs,
  dayOf,
  paymentSystemOf,
  timeAtHour,
  settlementStartDay,
  firstInstructableDay,
} from "@fxdesk/toolkit/calendars";
import { isPayableIban } from "../banks/account-numbers";
import type { Movement } from "../ledger/ledger";
import { availableBalance, moveMoney, recordExpectation } from "../accounts/accounts";
import type { World } from "../model/world";
import type { Decision } from "../model/decision";
import { scheduleLapse } from "./consents";
import {
  isUnauthorised,
  type Payment,
  type PaymentTerms,
  type StatusReason,
  totalOf,
  type Transfer,
  nextExecutionDay,
  type StandingOrder,
} from "../model/payment";
import {
  type AccountReference,
  bicOf,
  accountNumberOf,
  toAccountReference,
  findReferencedAccount,
} from "../model/account";

const wrongAccount: StatusReason = { code: "AC01", text: "The creditor's account number is invalid." };
const wrongAddress: StatusReason = {
  code: "BE04",
  text: "The creditor's address has no town or country of its own.",
};
const noFunds: StatusReason = { code: "AM04", text: "Insufficient funds." };
const refused: StatusReason = { code: "DS02", text: "Rejected, or not authorised in time." };

/** Delay from authorisation to settlement, and from there to completion. */
const stepMs = 2_000;
/** Business days a payment waits for funds. */
const maxDaysForFunds = 3;
/** Hour (UTC) at which payments for a day are executed. */
const hourOfExecution = 8;
/** First day on which addresses need town and country in fields of their own. */
const structuredFrom = "2026-11-15";

export const atExecutionHour = (day: string): Date => timeAtHour(day, hourOfExecution);

export const hasSufficientFunds = (world: World, payment: Payment): boolean =>
  availableBalance(world, payment.account).gte(totalOf(payment));

export function initiatePayment(world: World, terms: PaymentTerms): Payment {
  const { signatories } = world.openBanking;
  const paymentId = world.ids.uuid();
  const { clientId } = terms.client;
  const about = { id: paymentId, subject: { scope: `PIS:${paymentId}`, clientIds: [clientId] } };
  const signatoryTerms = signatories > 1 ? [["Approvals required", `${signatories} people`] as const] : [];
  const payment: Payment = {
    ...terms,
    paymentId,
    initiation: {
      about: "initiation",
      ...about,
      title: "Payment",
      terms: [...describeTerms(terms), ...signatoryTerms],
    },
    cancellation: {
      about: "cancellation",
      ...about,
      title: "Cancellation of a payment",
      terms: describeTerms(terms),
    },
    status: "RCVD",
    authorisedAt: undefined,
    unsigned: signatories,
    unpaid: new Map(),
    rejection: undefined,
    cancelling: false,
  };
  world.openBanking.payments.set(payment.paymentId, payment);
  scheduleLapse(world, payment.initiation);
  return payment;
}

const paymentById = ({ openBanking }: World, paymentId: string): Payment =>
  openBanking.payments.get(paymentId)!;

export const initiationDecision = {
  missing(world: World, id: string): number {
    const payment = paymentById(world, id);
    return isUnauthorised(payment) ? payment.unsigned : 0;
  },

  decide(world: World, id: string, approved: boolean): void {
    const payment = paymentById(world, id);
    if (approved) addSignature(world, payment);
    else rejectPayment(payment, refused);
  },
};

export const cancellationDecision = {
  missing(world: World, id: string): number {
    const { status, cancelling } = paymentById(world, id);
    return status === "ACTC" && cancelling ? 1 : 0;
  },

  decide(world: World, id: string, approved: boolean): void {
    const payment = paymentById(world, id);
    if (approved) cancelPayment(world, payment);
    else payment.cancelling = false;
  },
};

const formatMoney = ({ amount, currency }: Money) => `${formatDecimalAmount(amount, currency)} ${currency}`;

function describeTerms({ transfers, account, order, requestedAt }: PaymentTerms): Decision["terms"] {
  const { currency } = account;
  return [
    ["From", accountNumberOf(toAccountReference(account))],
    ...transfers.map(
      ({ amount, creditorName, creditorAccount }) =>
        [
          `To ${creditorName}`,
          `${formatMoney(amount)}, account ${accountNumberOf(creditorAccount)}`,
        ] as const,
    ),
    ["Total", formatMoney({ amount: totalOf({ transfers }), currency })],
    ...(order ? [["Schedule", `${order.frequency} from ${order.startDate}`] as const] : []),
    ...(requestedAt ? [["Execution date", dayOf(requestedAt)] as const] : []),
  ];
}

function rejectPayment(payment: Payment, reason: StatusReason): void {
  payment.status = "RJCT";
  payment.rejection = reason;
}

/** Records one authorisation. */
function addSignature(world: World, payment: Payment): void {
  if (payment.unsigned > 1) payment.status = "PATC";
  else authorisePayment(world, payment);
  payment.unsigned -= 1;
}

function authorisePayment(world: World, payment: Payment): void {
  if (payment.rejectWithoutFunds && !hasSufficientFunds(world, payment)) {
    rejectPayment(payment, noFunds);
    return;
  }
  const { order, requestedAt } = payment;
  if (!order) recordOutgoing(world, payment, totalOf(payment));
  payment.status = "ACTC";
  payment.authorisedAt = world.now;
  if (order) {
    scheduleNextExecution(world, payment, order, 0);
    return;
  }
  const at = executionTime(world, payment, requestedAt ?? world.now);
  world.scheduledEvents.schedule(
    at,
    "payment-settles",
    payment,
    payment.rejectWithoutFunds ? 0 : maxDaysForFunds,
  );
}

const systemOfPayment = ({ product, account }: Payment) => paymentSystemOf(account.currency, product);

/**
 * Returns when a payment authorised now starts to settle: as soon as possible, but not before `notBefore`. After the
 * cut-off or on a closed day it waits for the morning of the next possible day.
 */
function executionTime(world: World, payment: Payment, notBefore: Date): Date {
  const soonest = world.timeAfter(stepMs);
  const earliestTime = notBefore > soonest ? notBefore : soonest;
  const system = systemOfPayment(payment);
  const day = firstInstructableDay(system, world.now, settlementStartDay(system, earliestTime));
  return day === dayOf(earliestTime) ? earliestTime : atExecutionHour(day);
}

/** Records an expected debit; a negative amount reverses it. */
function recordOutgoing(world: World, { account, paymentId: reference }: Payment, amount: Big): void {
  recordExpectation(world, account, "Outgoing", amount, { reference, valueAt: world.now });
}

/** Cancels a payment that is not executed. */
export function cancelPayment(world: World, payment: Payment): void {
  if (payment.status === "ACTC" && !payment.order) recordOutgoing(world, payment, totalOf(payment).neg());
  payment.status = "CANC";
}

/** Starts settlement, or waits another business day for funds. */
export function settlePayment(world: World, payment: Payment, daysLeft: number): void {
  if (payment.status !== "ACTC") return;
  if (daysLeft > 0 && !hasSufficientFunds(world, payment)) {
    const next = executionTime(world, payment, world.timeAfter(dayMs));
    world.scheduledEvents.schedule(next, "payment-settles", payment, daysLeft - 1);
    return;
  }
  payment.status = "ACSP";
  world.scheduledEvents.schedule(world.timeAfter(stepMs), "payment-is-executed", payment);
}

export function executePayment(world: World, payment: Payment): void {
  recordOutgoing(world, payment, totalOf(payment).neg());
  const paid = new Set(payTransfers(world, payment));
  const unpaid = payment.transfers.filter((transfer) => !paid.has(transfer));
  const reasons = unpaid.map((transfer) => refusalOf(world, transfer) ?? noFunds);
  payment.unpaid = new Map(unpaid.map((transfer, index) => [transfer, reasons[index]!]));
  payment.status = unpaid.length === 0 ? "ACSC" : "PART";
  if (paid.size === 0) rejectPayment(payment, reasons[0]!);
}

/**
 * Schedules the next execution day with at least the number `from`. After the last one the order is complete.
 */
function scheduleNextExecution(world: World, payment: Payment, order: StandingOrder, from: number): void {
  const next = nextExecutionDay(order, systemOfPayment(payment), from);
  if (next === undefined) {
    payment.status = "ACSC";
    return;
  }
  const at = executionTime(world, payment, atExecutionHour(next.day));
  world.scheduledEvents.schedule(at, "standing-order-pays", payment, next.number);
}

/**
 * Executes a standing order on one of its days and schedules the next. Transfers without funds are skipped.
 */
export function payStandingOrder(world: World, payment: Payment, number: number): void {
  if (payment.status !== "ACTC") return;
  payTransfers(world, payment);
  scheduleNextExecution(world, payment, payment.order!, number + 1);
}

/** Pays and returns the transfers that have funds and a valid creditor account. */
function payTransfers(world: World, payment: Payment): Transfer[] {
  const { account, asBatch } = payment;
  let funds = availableBalance(world, account);
  const payable = payment.transfers.filter((transfer) => {
    const { amount } = transfer.amount;
    const canPay = !refusalOf(world, transfer) && funds.gte(amount);
    if (canPay) funds = funds.minus(amount);
    return canPay;
  });
  if (asBatch && payable.length > 1) debitBatch(world, payment, payable);
  else for (const transfer of payable) debit(world, payment, transfer);
  for (const transfer of payable) {
    credit(world, payment, transfer);
    if (isReturned(transfer))
      world.scheduledEvents.schedule(world.timeAfter(dayMs), "transfer-is-returned", payment, transfer);
  }
  return payable;
}

/** An IBAN must be valid; other numbers are not checked. */
const isPayable = ({ iban }: AccountReference): boolean => iban === undefined || isPayableIban(iban);

/** Returns why a transfer can never be paid; undefined if it can. */
export function refusalOf(
  world: World,
  { creditorAccount, hasIncompleteAddress }: Pick<Transfer, "creditorAccount" | "hasIncompleteAddress">,
): StatusReason | undefined {
  if (!isPayable(creditorAccount)) return wrongAccount;
  return hasIncompleteAddress && dayOf(world.now) >= structuredFrom ? wrongAddress : undefined;
}

/** True if the creditor's bank returns the transfer on the next day, as its text asks for. */
const isReturned = ({ remittanceInformationUnstructured: text = "" }: Transfer): boolean =>
  /\bRETURN\b/.test(text);

export function returnTransfer(world: World, payment: Payment, transfer: Transfer): void {
  moveMoney(world, payment.account, transfer.amount.amount, "nostro", {
    type: "payment_returned",
    ...referenceOf(payment, transfer),
    information: `Returned payment to ${transfer.creditorName}`,
    additionalInformation: "AC04 The account is closed.",
    counterparty: creditorOf(transfer),
  });
}

/** Uses the payer's reference, else the payment ID. */
const referenceOf = ({ paymentId }: Payment, { endToEndIdentification }: Transfer) => ({
  reference: endToEndIdentification ?? paymentId.replaceAll("-", ""),
  endToEnd: endToEndIdentification !== undefined,
});

const creditorOf = ({
  creditorName,
  creditorAccount,
  creditorAgent,
}: Transfer): Movement["counterparty"] => ({
  name: creditorName,
  ...(creditorAccount.iban !== undefined && { iban: creditorAccount.iban }),
  ...(creditorAccount.bban !== undefined && { accountNumber: creditorAccount.bban }),
  ...(creditorAgent !== undefined && { bic: creditorAgent }),
});

function debit(world: World, payment: Payment, transfer: Transfer): void {
  const { amount, creditorName, remittanceInformationUnstructured } = transfer;
  moveMoney(world, payment.account, amount.amount.neg(), "nostro", {
    type: "debit",
    ...referenceOf(payment, transfer),
    information: remittanceInformationUnstructured ?? `Payment to ${creditorName}`,
    counterparty: creditorOf(transfer),
  });
}

function debitBatch(world: World, payment: Payment, transfers: readonly Transfer[]): void {
  moveMoney(world, payment.account, totalOf({ transfers }).neg(), "nostro", {
    type: "debit",
    reference: payment.paymentId.replaceAll("-", ""),
    information: `Batch of ${transfers.length} payments`,
  });
}

/** Credits the transfer if the creditor's account is in the sandbox. */
function credit(world: World, payment: Payment, transfer: Transfer): void {
  const { amount, creditorAccount, remittanceInformationUnstructured } = transfer;
  const currency = creditorAccount.currency ?? amount.currency;
  const account = findReferencedAccount(world.accounts.values(), { ...creditorAccount, currency });
  if (account?.currency !== amount.currency) return;
  const { iban, bban } = toAccountReference(payment.account);
  moveMoney(world, account, amount.amount, "nostro", {
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
