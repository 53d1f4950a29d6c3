/** Payments from what trades buy: asked for, approved, checked, sent, and sometimes returned. */
import type { TradePaymentStatus } from "../enumerations";
import type { Big } from "big.js";
import { approversIn, isApproved } from "../parties/approvals";
import { nextBusinessDay, nextBusinessTime } from "../calendar/business-days";
import { dayFor, systemOf } from "../calendar/systems";
import { fits } from "../money/currencies";
import { DomainError, unfit } from "../domain-error";
import { dayOf, hourOf, laterDay } from "../calendar/days";
import { converted, pairOf } from "../money/fx";
import type { Bucket } from "../ledger/ledger";
import { available, move, note } from "../ledger/movements";
import { buyAccount, settlementHour, settlementOf } from "./trade-entries";
import {
  type Beneficiary,
  endedPayments,
  hasAccount,
  openDraws,
  type Trade,
  type TradePayment,
  unallocated,
} from "./trades";
import type { World } from "../world";

const stateError = (message: string) => new DomainError("payment-state", message);

/** How long it takes to look at a beneficiary, and to send a payment. */
const validationMs = 60_000;
const executionMs = 3_600_000;

/** Sets a part of what a trade buys aside for a beneficiary. */
export function allocate(
  world: World,
  trade: Trade,
  beneficiary: Beneficiary,
  amount: Big,
  {
    status = "Waiting for payment date",
    date = trade.maturityDate,
    createdBy,
  }: {
    readonly status?: TradePaymentStatus | undefined;
    readonly date?: string | undefined;
    readonly createdBy?: string | undefined;
  } = {},
): TradePayment {
  const paymentId = `PM${world.ids.digits(10)}`;
  const payment: TradePayment = {
    paymentId,
    amount,
    date,
    createdBy,
    beneficiary,
    status,
    approvedBy: [],
    returned: false,
  };
  trade.payments.push(payment);
  if (status === "Validating beneficiary information") validate(world, trade, payment);
  if (!endedPayments.has(status)) notePayment(world, trade, payment, "Outgoing", amount);
  execute(world, trade, payment);
  return payment;
}

/** What a contact asks for: to pay a part of what a trade buys to a beneficiary, on a day or at maturity. */
export interface PaymentOrder {
  readonly beneficiary: Beneficiary;
  readonly amount: Big;
  readonly date?: string | undefined;
  readonly contactId: string;
}

/** Why a payment cannot be ordered, with the field it is in. */
function orderViolation(
  world: World,
  trade: Trade,
  { beneficiary, amount, date = earliestDate(world, trade) }: PaymentOrder,
): string | undefined {
  const { currency } = trade.buy;
  if (trade.ended || trade.type === "ndf") return `trade_id: nothing can be paid from trade ${trade.tradeId}`;
  if (beneficiary.clientId !== trade.clientId || beneficiary.currency !== currency)
    return `beneficiary_id: ${beneficiary.name} (${beneficiary.beneficiaryId}) is no beneficiary in ${currency}`;
  if (amount.lte(0)) return "amount must be more than zero";
  if (!fits(amount, currency)) return `amount has too many decimals for ${currency}`;
  if (amount.gt(unallocated(trade)))
    return `amount is more than the ${unallocated(trade).toFixed()} ${currency} that are left`;
  const earliest = earliestDate(world, trade);
  if (date < earliest) return `payment_date ${date} is too early: the earliest is ${earliest}`;
  const next = nextBusinessDay(date, [currency]);
  if (date !== next) return `payment_date ${date} is no business day: the next is ${next}`;
  return undefined;
}

/** Maturity, or the next day for which a payment can still be instructed when that has passed. */
const earliestDate = ({ now }: World, { maturityDate, buy }: Trade): string =>
  dayFor(systemOf(buy.currency), now, laterDay(maturityDate, dayOf(now)));

/**
 * Orders a payment. It waits for approvals where the client has them, then its beneficiary is looked at, then it waits for
 * its day. Throws a DomainError when it cannot be ordered.
 */
export function orderPayment(world: World, trade: Trade, order: PaymentOrder): TradePayment {
  const violation = orderViolation(world, trade, order);
  if (violation !== undefined) throw unfit(violation);
  const { beneficiary, amount, date = earliestDate(world, trade), contactId: createdBy } = order;
  const status = "Payment pending of authorization";
  const payment = allocate(world, trade, beneficiary, amount, { status, date, createdBy });
  if (!world.approvals.get(trade.clientId)?.settings.enabled) validate(world, trade, payment);
  return payment;
}

/**
 * A contact approves a payment, or rejects it for good. Throws a DomainError when it does not wait, or the contact made it,
 * is in no group or has approved it before.
 */
export function decidePayment(
  world: World,
  trade: Trade,
  payment: TradePayment,
  { contactId, approve }: { readonly contactId: string; readonly approve: boolean },
): void {
  if (payment.status !== "Payment pending of authorization")
    throw stateError(`Payment ${payment.paymentId} does not wait for an approval.`);
  if (contactId === payment.createdBy) throw stateError("Who asked for a payment cannot decide on it.");
  const { config } = world.approvals.get(trade.clientId)!;
  if (!approversIn(config).includes(contactId))
    throw stateError(`${contactId} is in no group that approves payments.`);
  if (payment.approvedBy.includes(contactId)) throw stateError(`${contactId} has approved it already.`);
  if (!approve) {
    stop(world, trade, payment, "Payment rejected");
    closeWhenPaidOut(trade);
    return;
  }
  payment.approvedBy.push(contactId);
  if (isApproved(config, inEuro(world, trade, payment), payment.approvedBy)) validate(world, trade, payment);
}

/** The amount by which the band of approvals is picked. */
function inEuro(world: World, { buy: { currency } }: Trade, { amount }: TradePayment): Big {
  if (currency === "EUR") return amount;
  const { base, quoted } = pairOf("EUR", currency);
  return converted({ amount, currency }, world.rates.mid(base, quoted, dayOf(world.now))).amount;
}

function validate(world: World, trade: Trade, payment: TradePayment): void {
  payment.status = "Validating beneficiary information";
  world.agenda.schedule(world.after(validationMs), "beneficiary-is-validated", trade, payment);
}

export function validated(world: World, trade: Trade, payment: TradePayment): void {
  if (payment.status !== "Validating beneficiary information") return;
  if (!hasAccount(payment.beneficiary)) {
    payment.status = "Need more beneficiary information";
    return;
  }
  payment.status = "Waiting for payment date";
  payment.date = laterDay(payment.date, earliestDate(world, trade));
  execute(world, trade, payment);
}

/** Gives the account of a beneficiary that was missing. Throws a DomainError when nothing is missing. */
export function completeBeneficiary(
  world: World,
  trade: Trade,
  payment: TradePayment,
  account: Pick<Beneficiary, "iban" | "accountNumber">,
): void {
  if (payment.status !== "Need more beneficiary information")
    throw stateError(`Payment ${payment.paymentId} needs no more information.`);
  payment.beneficiary = Object.freeze({ ...payment.beneficiary, ...account });
  validate(world, trade, payment);
}

function notePayment(
  world: World,
  trade: Trade,
  { paymentId }: TradePayment,
  bucket: Bucket,
  amount: Big,
): void {
  const valueAt = settlementOf(trade);
  note(world, buyAccount(world, trade), bucket, amount, { reference: paymentId, valueAt });
}

/** Sends a payment that waited for its day, from a settled trade: for an hour it is under way, then it is paid. */
export function execute(world: World, trade: Trade, payment: TradePayment): void {
  if (!trade.settled || payment.status !== "Waiting for payment date") return;
  const day = hourOf(payment.date, settlementHour);
  if (world.now < day) {
    world.agenda.schedule(day, "trade-payment-is-executed", trade, payment);
    return;
  }
  payment.status = "Executing Payment";
  notePayment(world, trade, payment, "Outgoing", payment.amount.neg());
  notePayment(world, trade, payment, "Processing", payment.amount);
  world.agenda.schedule(world.after(executionMs), "trade-payment-completes", trade, payment);
}

export function complete(world: World, trade: Trade, payment: TradePayment): void {
  const { paymentId: reference, amount, beneficiary: counterparty } = payment;
  const account = buyAccount(world, trade);
  if (available(world, account).lt(amount)) {
    const next = nextBusinessTime(world.now, [account.currency]);
    world.agenda.schedule(next, "trade-payment-completes", trade, payment);
    return;
  }
  notePayment(world, trade, payment, "Processing", amount.neg());
  const information = `Payment to ${counterparty.name}`;
  move(world, account, amount.neg(), "nostro", { type: "debit", reference, information, counterparty });
  payment.status = "Payment complete";
  closeWhenPaidOut(trade);
}

/** The beneficiary's bank sends a payment back. Throws a DomainError when it was not paid, or is back already. */
export function returnPayment(world: World, trade: Trade, payment: TradePayment): void {
  const { paymentId: reference, amount, beneficiary: counterparty, status, returned } = payment;
  if (status !== "Payment complete" || returned)
    throw stateError(`Payment ${reference} is not with its beneficiary.`);
  const information = `Returned payment to ${counterparty.name}`;
  const type = "payment_returned";
  move(world, buyAccount(world, trade), amount, "nostro", { type, reference, information, counterparty });
  payment.returned = true;
}

function stop(world: World, trade: Trade, payment: TradePayment, status: TradePaymentStatus): void {
  notePayment(world, trade, payment, "Outgoing", payment.amount.neg());
  payment.status = status;
}

/** Takes a payment back that waits. */
export function withdraw(world: World, trade: Trade, payment: TradePayment): void {
  if (!endedPayments.has(payment.status)) stop(world, trade, payment, "Payment cancelled");
}

/** A settled trade is closed when nothing more will come of its payments and drawdowns. */
export function closeWhenPaidOut(trade: Trade): void {
  const isPaidOut = trade.payments.every(({ status }) => endedPayments.has(status));
  if (trade.settled && isPaidOut && openDraws(trade).length === 0) trade.ended = "Closed";
}
