/** Payments from the proceeds of trades: ordering, approval, validation, execution and return. */
import type { TradePaymentStatus } from "../common/enumerations";
import type { Big } from "big.js";
import { approversOf, isApproved } from "../parties/approvals";
import {
  nextBusinessDay,
  nextBusinessTime,
  firstInstructableDay,
  paymentSystemOf,
  dayOf,
  timeAtHour,
  laterDay,
} from "@fxdesk/toolkit/calendars";
import { fitsMinorUnits } from "../money/currencies";
import { DomainError, toValidationError } from "../common/domain-error";
import { convertAmount, pairOf } from "../money/fx";
import type { Bucket } from "../ledger/ledger";
import { availableBalance, moveMoney, recordExpectation } from "../accounts/accounts";
import { buyAccount, settlementHour, settlementOf } from "./trade-entries";
import {
  type Beneficiary,
  finalPaymentStatuses,
  hasAccount,
  openDrawdowns,
  type Trade,
  type TradePayment,
  unallocatedAmount,
} from "../model/trade";
import type { World } from "../model/world";

const toStateError = (message: string) => new DomainError("payment-state", message);

/** Durations of the beneficiary check and of execution. */
const validationMs = 60_000;
const executionMs = 3_600_000;

/** Allocates part of the proceeds of a trade to a beneficiary. */
export function allocateFunds(
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
  if (status === "Validating beneficiary information") startValidation(world, trade, payment);
  if (!finalPaymentStatuses.has(status)) recordPaymentExpectation(world, trade, payment, "Outgoing", amount);
  executeTradePayment(world, trade, payment);
  return payment;
}

/** A payment order of a contact. `date` defaults to maturity. */
export interface PaymentOrder {
  readonly beneficiary: Beneficiary;
  readonly amount: Big;
  readonly date?: string | undefined;
  readonly contactId: string;
}

/** Returns why a payment cannot be ordered, naming the field; undefined if it can. */
function orderViolation(
  world: World,
  trade: Trade,
  { beneficiary, amount, date = earliestDate(world, trade) }: PaymentOrder,
): string | undefined {
  const { currency } = trade.buy;
  if (trade.ended || trade.type === "ndf")
    return `trade_id: no payment can be made from trade ${trade.tradeId}`;
  if (beneficiary.clientId !== trade.clientId || beneficiary.currency !== currency)
    return `beneficiary_id: ${beneficiary.name} (${beneficiary.beneficiaryId}) is not a beneficiary in ${currency}`;
  if (amount.lte(0)) return "amount must be more than zero";
  if (!fitsMinorUnits(amount, currency)) return `amount has too many decimals for ${currency}`;
  if (amount.gt(unallocatedAmount(trade)))
    return `amount is more than the remaining ${unallocatedAmount(trade).toFixed()} ${currency}`;
  const earliest = earliestDate(world, trade);
  if (date < earliest) return `payment_date ${date} is too early: the earliest is ${earliest}`;
  const next = nextBusinessDay(date, [currency]);
  if (date !== next) return `payment_date ${date} is not a business day: the next is ${next}`;
  return undefined;
}

/** Returns maturity, or if that has passed the next day that can still be instructed. */
const earliestDate = ({ now }: World, { maturityDate, buy }: Trade): string =>
  firstInstructableDay(paymentSystemOf(buy.currency), now, laterDay(maturityDate, dayOf(now)));

/**
 * Orders a payment. It waits for approval if the client uses approvals, then for the beneficiary check, then for its
 * day. Throws a DomainError if it cannot be ordered.
 */
export function orderPayment(world: World, trade: Trade, order: PaymentOrder): TradePayment {
  const violation = orderViolation(world, trade, order);
  if (violation !== undefined) throw toValidationError(violation);
  const { beneficiary, amount, date = earliestDate(world, trade), contactId: createdBy } = order;
  const status = "Payment pending of authorization";
  const payment = allocateFunds(world, trade, beneficiary, amount, { status, date, createdBy });
  if (!world.approvals.get(trade.clientId)?.settings.enabled) startValidation(world, trade, payment);
  return payment;
}

/**
 * Records an approval or a final rejection. Throws a DomainError if the payment is not pending, or the contact ordered
 * it, is in no approval group or has already approved it.
 */
export function decidePayment(
  world: World,
  trade: Trade,
  payment: TradePayment,
  { contactId, approve }: { readonly contactId: string; readonly approve: boolean },
): void {
  if (payment.status !== "Payment pending of authorization")
    throw toStateError(`Payment ${payment.paymentId} is not waiting for approval.`);
  if (contactId === payment.createdBy)
    throw toStateError("The contact who ordered a payment cannot decide on it.");
  const { config } = world.approvals.get(trade.clientId)!;
  if (!approversOf(config).includes(contactId))
    throw toStateError(`${contactId} is not in a group that approves payments.`);
  if (payment.approvedBy.includes(contactId))
    throw toStateError(`${contactId} has already approved this payment.`);
  if (!approve) {
    endPayment(world, trade, payment, "Payment rejected");
    closeWhenPaidOut(trade);
    return;
  }
  payment.approvedBy.push(contactId);
  if (isApproved(config, amountInEuro(world, trade, payment), payment.approvedBy))
    startValidation(world, trade, payment);
}

/** Returns the amount in EUR, which selects the approval rule. */
function amountInEuro(world: World, { buy: { currency } }: Trade, { amount }: TradePayment): Big {
  if (currency === "EUR") return amount;
  const { base, quoted } = pairOf("EUR", currency);
  return convertAmount({ amount, currency }, world.rates.midRate(base, quoted, dayOf(world.now))).amount;
}

function startValidation(world: World, trade: Trade, payment: TradePayment): void {
  payment.status = "Validating beneficiary information";
  world.scheduledEvents.schedule(world.timeAfter(validationMs), "beneficiary-is-validated", trade, payment);
}

export function completeValidation(world: World, trade: Trade, payment: TradePayment): void {
  if (payment.status !== "Validating beneficiary information") return;
  if (!hasAccount(payment.beneficiary)) {
    payment.status = "Need more beneficiary information";
    return;
  }
  payment.status = "Waiting for payment date";
  payment.date = laterDay(payment.date, earliestDate(world, trade));
  executeTradePayment(world, trade, payment);
}

/** Adds the missing account of a beneficiary. Throws a DomainError if nothing is missing. */
export function completeBeneficiary(
  world: World,
  trade: Trade,
  payment: TradePayment,
  account: Pick<Beneficiary, "iban" | "accountNumber">,
): void {
  if (payment.status !== "Need more beneficiary information")
    throw toStateError(`Payment ${payment.paymentId} does not need more information.`);
  payment.beneficiary = Object.freeze({ ...payment.beneficiary, ...account });
  startValidation(world, trade, payment);
}

function recordPaymentExpectation(
  world: World,
  trade: Trade,
  { paymentId }: TradePayment,
  bucket: Bucket,
  amount: Big,
): void {
  const valueAt = settlementOf(trade);
  recordExpectation(world, buyAccount(world, trade), bucket, amount, { reference: paymentId, valueAt });
}

/** Executes a payment of a settled trade on its day. It completes an hour later. */
export function executeTradePayment(world: World, trade: Trade, payment: TradePayment): void {
  if (!trade.settled || payment.status !== "Waiting for payment date") return;
  const day = timeAtHour(payment.date, settlementHour);
  if (world.now < day) {
    world.scheduledEvents.schedule(day, "trade-payment-is-executed", trade, payment);
    return;
  }
  payment.status = "Executing Payment";
  recordPaymentExpectation(world, trade, payment, "Outgoing", payment.amount.neg());
  recordPaymentExpectation(world, trade, payment, "Processing", payment.amount);
  world.scheduledEvents.schedule(world.timeAfter(executionMs), "trade-payment-completes", trade, payment);
}

export function completeTradePayment(world: World, trade: Trade, payment: TradePayment): void {
  const { paymentId: reference, amount, beneficiary: counterparty } = payment;
  const account = buyAccount(world, trade);
  if (availableBalance(world, account).lt(amount)) {
    const next = nextBusinessTime(world.now, [account.currency]);
    world.scheduledEvents.schedule(next, "trade-payment-completes", trade, payment);
    return;
  }
  recordPaymentExpectation(world, trade, payment, "Processing", amount.neg());
  const information = `Payment to ${counterparty.name}`;
  moveMoney(world, account, amount.neg(), "nostro", { type: "debit", reference, information, counterparty });
  payment.status = "Payment complete";
  closeWhenPaidOut(trade);
}

/**
 * Simulates a return by the beneficiary's bank. Throws a DomainError if the payment is not complete or already
 * returned.
 */
export function returnPayment(world: World, trade: Trade, payment: TradePayment): void {
  const { paymentId: reference, amount, beneficiary: counterparty, status, returned } = payment;
  if (status !== "Payment complete" || returned)
    throw toStateError(`Payment ${reference} is not complete, or was already returned.`);
  const information = `Returned payment to ${counterparty.name}`;
  const type = "payment_returned";
  moveMoney(world, buyAccount(world, trade), amount, "nostro", {
    type,
    reference,
    information,
    counterparty,
  });
  payment.returned = true;
}

function endPayment(world: World, trade: Trade, payment: TradePayment, status: TradePaymentStatus): void {
  recordPaymentExpectation(world, trade, payment, "Outgoing", payment.amount.neg());
  payment.status = status;
}

/** Cancels a payment unless it is final. */
export function cancelTradePayment(world: World, trade: Trade, payment: TradePayment): void {
  if (!finalPaymentStatuses.has(payment.status)) endPayment(world, trade, payment, "Payment cancelled");
}

/** Closes a settled trade once its payments are final and its drawdowns settled. */
export function closeWhenPaidOut(trade: Trade): void {
  const isPaidOut = trade.payments.every(({ status }) => finalPaymentStatuses.has(status));
  if (trade.settled && isPaidOut && openDrawdowns(trade).length === 0) trade.ended = "Closed";
}
