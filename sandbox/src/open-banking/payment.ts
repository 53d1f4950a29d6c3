/** Payments from the initiation to the end: RCVD, PATC, ACTC, ACSP and ACSC, or what goes wrong. */
import { Big } from "big.js";
import type { Account } from "../world/accounts";
import { type Money, written } from "../world/currencies";
import { dayMs, dayOf, hourOf } from "../world/days";
import { isPayableIban } from "../world/iban";
import { available, move, type Movement, note } from "../world/movements";
import type { Client } from "../world/parties";
import type { World } from "../world/world";
import { type Decision, letLapse, type Subject } from "./authorisation";
import type { Pain001 } from "./pain001";
import { type AccountReference, bicOf, numberOf, referenceTo, referredTo } from "./references";
import { daysOf, type StandingOrder } from "./standing-order";

export type PaymentStatus = "RCVD" | "PATC" | "ACTC" | "ACSP" | "ACSC" | "PART" | "RJCT" | "CANC";

/** One of the credits a payment is made of. */
export interface Transfer {
  readonly amount: Money;
  readonly creditorName: string;
  readonly creditorAccount: AccountReference;
  readonly creditorAgent: string | undefined;
  readonly endToEndIdentification: string | undefined;
  readonly remittanceInformationUnstructured: string | undefined;
}

export interface PaymentTerms {
  readonly client: Client;
  readonly service: string;
  readonly product: string;
  readonly account: Account;
  readonly transfers: readonly Transfer[];
  /** For a standing order: when it pays. */
  readonly order: StandingOrder | undefined;
  /** Not before this time. */
  readonly requestedAt: Date | undefined;
  /** One entry on the account for all transfers. */
  readonly asBatch: boolean;
  readonly rejectWithoutFunds: boolean;
  /** The document it was initiated with. */
  readonly document: Pain001 | undefined;
  /** The JSON in the caller's words; beside a document, what went along. */
  readonly content: Readonly<Record<string, unknown>>;
}

export interface Payment extends PaymentTerms {
  readonly paymentId: string;
  readonly initiation: Decision;
  readonly cancellation: Decision;
  status: PaymentStatus;
  /** From when on it is expected to leave the account. */
  authorisedAt: Date | undefined;
  /** How many people must still authorise it. */
  unsigned: number;
  /** What could not be paid when it was executed. */
  unpaid: readonly Transfer[];
  /** Whether the cancellation was asked for and waits for a person. */
  cancelling: boolean;
}

/** From the authorisation to the beginning of settlement, and from there to its end. */
const stepMs = 2_000;
/** How many days a payment waits for funds. */
const daysToWait = 3;
/** The hour (UTC) at which payments for a day are made. */
const hourOfExecution = 8;

export const atExecutionHour = (day: string): Date => hourOf(day, hourOfExecution);

export const totalOf = ({ transfers }: Pick<Payment, "transfers">): Big =>
  transfers.reduce((sum, { amount }) => sum.plus(amount.amount), new Big(0));

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
      decide: (approved) => (approved ? sign(world, payment) : void (payment.status = "RJCT")),
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
    unpaid: [],
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

/** Whether nobody has authorised it yet, or not everybody who must. */
export const isUnauthorised = ({ status }: Payment): boolean => status === "RCVD" || status === "PATC";

/** One of the people who must authorise it has. Throws, and changes nothing, when the books cannot hold it. */
function sign(world: World, payment: Payment): void {
  if (payment.unsigned > 1) payment.status = "PATC";
  else authorise(world, payment);
  payment.unsigned -= 1;
}

function authorise(world: World, payment: Payment): void {
  if (payment.rejectWithoutFunds && !hasFunds(world, payment)) {
    payment.status = "RJCT";
    return;
  }
  const { order, account, requestedAt } = payment;
  if (!order) commit(world, payment, totalOf(payment));
  payment.status = "ACTC";
  payment.authorisedAt = world.now;
  if (order) {
    payNext(world, payment, daysOf(order, account.currency));
    return;
  }
  const soonest = world.after(stepMs);
  const at = requestedAt && requestedAt > soonest ? requestedAt : soonest;
  world.agenda.schedule(at, () => settle(world, payment, payment.rejectWithoutFunds ? 0 : daysToWait));
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

/** Begins settlement, or waits another day for funds. */
function settle(world: World, payment: Payment, daysLeft: number): void {
  if (payment.status !== "ACTC") return;
  if (daysLeft > 0 && !hasFunds(world, payment)) {
    world.agenda.schedule(world.after(dayMs), () => settle(world, payment, daysLeft - 1));
    return;
  }
  payment.status = "ACSP";
  world.agenda.schedule(world.after(stepMs), () => execute(world, payment));
}

function execute(world: World, payment: Payment): void {
  commit(world, payment, totalOf(payment).neg());
  const paid = new Set(pay(world, payment));
  payment.unpaid = payment.transfers.filter((transfer) => !paid.has(transfer));
  payment.status = payment.unpaid.length === 0 ? "ACSC" : paid.size > 0 ? "PART" : "RJCT";
}

/** Pays a standing order on its next day, and so on to its last. A day without funds is left out. */
function payNext(world: World, payment: Payment, days: Iterator<string, undefined>): void {
  const { value: day } = days.next();
  if (day === undefined) {
    payment.status = "ACSC";
    return;
  }
  const due = atExecutionHour(day);
  const soonest = world.after(stepMs);
  world.agenda.schedule(due > soonest ? due : soonest, () => {
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
