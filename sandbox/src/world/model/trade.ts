/** Trades, what remains of them, and the quotes they are booked from. */
import { Big } from "big.js";
import type { Money } from "../money/currencies";
import { DomainError } from "../common/domain-error";
import type { Subset, TradePaymentStatus, TradeStatus, TradeType } from "../common/enumerations";
import type { Rate } from "../money/fx";

/** A payment from the proceeds of a trade. */
export interface TradePayment {
  readonly paymentId: string;
  readonly amount: Big;
  /** Execution day, once the trade is settled. Moved to a later day if approval comes too late. */
  date: string;
  /** Contact who ordered it, and therefore cannot approve it. */
  readonly createdBy: string | undefined;
  beneficiary: Beneficiary;
  status: TradePaymentStatus;
  /** Contacts who have approved it. */
  readonly approvedBy: string[];
  /** True after the beneficiary's bank returned it. */
  returned: boolean;
}

/** A payee. Its account may be unknown. Immutable: a change creates a new object. */
export interface Beneficiary {
  readonly beneficiaryId: string;
  readonly clientId: string;
  readonly name: string;
  readonly currency: string;
  readonly iban?: string;
  readonly accountNumber?: string;
  readonly bic: string;
}

export const hasAccount = ({ iban, accountNumber }: Beneficiary): boolean =>
  iban !== undefined || accountNumber !== undefined;

/** Margin due, in the currency sold, with its due date. */
export interface MarginCall {
  readonly amount: Big;
  readonly dueDate: string;
}

/** Terms of a booking. */
export interface TradeTerms {
  readonly clientId: string;
  readonly type: TradeType;
  readonly buy: Money;
  readonly sell: Money;
  readonly rate: Rate;
  readonly fee: Money;
  readonly maturityDate: string;
  readonly reference: string | undefined;
  /** First day for drawdowns, for window forwards only. Default: the order date. */
  readonly windowFrom?: string | undefined;
  /** Forward from which a drawdown takes. */
  readonly parent?: Trade;
  readonly synthetic?: boolean;
}

export interface Trade extends TradeTerms {
  readonly tradeId: string;
  readonly orderDate: string;
  readonly synthetic: boolean;
  /** Deposit, for forwards only. */
  readonly initialMargin: MarginCall | undefined;
  readonly drawdowns: Trade[];
  readonly payments: TradePayment[];
  /** Paid funds, in the currency sold. */
  funded: Big;
  /** True once the deposit is paid. */
  deposited: boolean;
  /** Part of the deposit still held. */
  heldDeposit: Big;
  /** Unpaid margin calls, oldest first. */
  readonly calls: MarginCall[];
  /** Paid margin calls that are still held. */
  paidCalls: Big;
  /** Difference due at maturity, for non-delivered trades after the fixing; negative if the client pays. */
  difference?: Money;
  /** Part of the fee that is due but not collected. */
  owedFee: Big;
  /** True once the currencies are exchanged. Payments may still be in progress. */
  settled: boolean;
  ended?: Subset<TradeStatus, "Closed" | "Cancelled">;
}

const sumAmounts = (amounts: readonly Big[]) =>
  amounts.reduce((total, amount) => total.plus(amount), new Big(0));

/** Returns the total of unpaid margin calls. */
export const unpaidCallsTotal = ({ calls }: Trade): Big => sumAmounts(calls.map(({ amount }) => amount));

/** Returns the undrawn part of a side of the trade. */
export function remainingAmount({ drawdowns, ...trade }: Trade, side: "buy" | "sell"): Big {
  const drawn = drawdowns
    .filter(({ ended }) => ended !== "Cancelled")
    .map((drawdown) => drawdown[side].amount);
  return trade[side].amount.minus(sumAmounts(drawn));
}

/** True if drawdowns have used up the trade. */
export const isFullyDrawn = (trade: Trade): boolean =>
  remainingAmount(trade, "sell").eq(0) && remainingAmount(trade, "buy").eq(0);

/** Returns drawdowns that are neither settled nor cancelled. */
export const openDrawdowns = ({ drawdowns }: Trade): Trade[] =>
  drawdowns.filter(({ settled, ended }) => !settled && !ended);

/** Returns the settled drawdown amounts of a side of the trade. */
export const settledDrawdownAmounts = ({ drawdowns }: Trade, side: "buy" | "sell"): Big[] =>
  drawdowns.filter(({ settled }) => settled).map((drawdown) => drawdown[side].amount);

/** Returns the part of a side of the trade that settled drawdowns have not exchanged. */
export const unsettledAmount = (trade: Trade, side: "buy" | "sell"): Big =>
  trade[side].amount.minus(sumAmounts(settledDrawdownAmounts(trade, side)));

/** Statuses after which a payment does not change. */
export const finalPaymentStatuses: ReadonlySet<TradePaymentStatus> = new Set([
  "Payment complete",
  "Payment rejected",
  "Payment cancelled",
]);

/** Returns the amount still to be paid in. */
export const outstandingFunds = (trade: Trade): Big => remainingAmount(trade, "sell").minus(trade.funded);

const cancelledStatuses = new Set<TradePaymentStatus>(["Payment rejected", "Payment cancelled"]);

/** Returns the part of the proceeds allocated to payments. */
export const allocatedAmount = ({ payments }: Trade): Big =>
  sumAmounts(payments.filter(({ status }) => !cancelledStatuses.has(status)).map(({ amount }) => amount));

/** Returns the part of the proceeds not allocated yet. */
export const unallocatedAmount = (trade: Trade): Big =>
  remainingAmount(trade, "buy").minus(allocatedAmount(trade));

const drawableTypes = new Set<TradeType>(["forward", "window_forward"]);

/** Returns the days on which a forward can be drawn: its maturity, or its window. */
export const windowOf = ({ type, windowFrom, orderDate, maturityDate }: Trade) => ({
  from: type === "window_forward" ? (windowFrom ?? orderDate) : maturityDate,
  to: maturityDate,
});

/** Returns why amounts cannot be drawn from a trade; undefined if they can. */
export function drawdownViolation(parent: Trade, sell: Big, buy: Big): string | undefined {
  const { tradeId, type, ended, settled } = parent;
  if (!drawableTypes.has(type)) return `Trade ${tradeId} is not a forward.`;
  if (ended || settled) return `Trade ${tradeId} is settled or cancelled.`;
  if (sell.gt(remainingAmount(parent, "sell")))
    return `${sell.toFixed()} is more than is left of trade ${tradeId}.`;
  if (buy.gt(unallocatedAmount(parent))) return `${buy.toFixed()} is more than is left of trade ${tradeId}.`;
  return undefined;
}

/** Thrown at pricing and again at booking, because another drawdown may have been booked in between. */
export const toDrawdownError = (details: string): DomainError =>
  new DomainError("drawdown-not-possible", "The drawdown is not possible.", details);

/** Derives the status from the funds paid in and the payments made. */
export function statusOf(trade: Trade): TradeStatus {
  if (trade.ended) return trade.ended;
  if (trade.funded.eq(0) && !trade.settled) return "Created";
  if (trade.funded.lt(remainingAmount(trade, "sell")) && !trade.settled) return "Funds In Partially";
  const allocatedTotal = allocatedAmount(trade);
  if (allocatedTotal.eq(0)) return "Funds in Full";
  return allocatedTotal.lt(remainingAmount(trade, "buy"))
    ? "Funds Out Partially Allocated"
    : "Funds Out Full Allocated";
}

/** Terms offered for a short while. */
export interface Quote {
  readonly quoteId: string;
  readonly terms: Omit<TradeTerms, "reference">;
  readonly expiresAt: Date;
  used: boolean;
}
