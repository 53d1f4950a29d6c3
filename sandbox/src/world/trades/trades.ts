/** Trades, as the bank keeps them. */
import { Big } from "big.js";
import type { Money } from "../money/currencies";
import { DomainError } from "../domain-error";
import type { Subset, TradePaymentStatus, TradeStatus, TradeType } from "../enumerations";
import type { Rate } from "../money/fx";

/** A payment from what a trade buys. */
export interface TradePayment {
  readonly paymentId: string;
  readonly amount: Big;
  /** The day on which it is sent, once the trade is settled: a later one where it is approved too late for it. */
  date: string;
  /** The contact who asked for it; they cannot approve it. */
  readonly createdBy: string | undefined;
  beneficiary: Beneficiary;
  status: TradePaymentStatus;
  /** The contacts who have approved it. */
  readonly approvedBy: string[];
  /** Whether it came back after it was paid. */
  returned: boolean;
}

/** Whom payments are made to; the account may not be known yet. It does not change: another takes its place. */
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

/** Margin that is asked for, in the currency sold, and the day by which it is due. */
export interface MarginCall {
  readonly amount: Big;
  readonly dueDate: string;
}

/** What a trade is booked from. */
export interface TradeTerms {
  readonly clientId: string;
  readonly type: TradeType;
  readonly buy: Money;
  readonly sell: Money;
  readonly rate: Rate;
  readonly fee: Money;
  readonly maturityDate: string;
  readonly reference: string | undefined;
  /** Window forwards only: the first day for which something can be drawn; from the beginning, without. */
  readonly windowFrom?: string | undefined;
  /** The forward a drawdown takes from. */
  readonly parent?: Trade;
  readonly synthetic?: boolean;
}

export interface Trade extends TradeTerms {
  readonly tradeId: string;
  readonly orderDate: string;
  readonly synthetic: boolean;
  /** Forwards only: the deposit. */
  readonly initialMargin: MarginCall | undefined;
  readonly drawdowns: Trade[];
  readonly payments: TradePayment[];
  /** What was paid in for it, in the currency sold. */
  funded: Big;
  /** Whether the deposit was paid. */
  deposited: boolean;
  /** What of the deposit is held. */
  heldDeposit: Big;
  /** What was called because the market moved, and is not paid; the oldest first. */
  readonly calls: MarginCall[];
  /** What was called and paid, and is held. */
  paidCalls: Big;
  /** Non-delivered trades only, from the fixing on: what is paid at maturity, less than zero by the client. */
  difference?: Money;
  /** What of the fee was due and could not be taken. */
  owedFee: Big;
  /** Whether what was bought was given for what was sold; its payments may still be under way. */
  settled: boolean;
  ended?: Subset<TradeStatus, "Closed" | "Cancelled">;
}

const sumAmounts = (amounts: readonly Big[]) =>
  amounts.reduce((total, amount) => total.plus(amount), new Big(0));

/** What was called and is not paid. */
export const unpaidCallsTotal = ({ calls }: Trade): Big => sumAmounts(calls.map(({ amount }) => amount));

/** What of a side of the trade its drawdowns have left. */
export function remainingAmount({ drawdowns, ...trade }: Trade, side: "buy" | "sell"): Big {
  const drawn = drawdowns
    .filter(({ ended }) => ended !== "Cancelled")
    .map((drawdown) => drawdown[side].amount);
  return trade[side].amount.minus(sumAmounts(drawn));
}

/** Whether drawdowns have left nothing of the trade. */
export const isFullyDrawn = (trade: Trade): boolean =>
  remainingAmount(trade, "sell").eq(0) && remainingAmount(trade, "buy").eq(0);

/** The drawdowns that are still to be settled. */
export const openDrawdowns = ({ drawdowns }: Trade): Trade[] =>
  drawdowns.filter(({ settled, ended }) => !settled && !ended);

/** What was drawn from a side of the trade and settled. */
export const settledDrawdownAmounts = ({ drawdowns }: Trade, side: "buy" | "sell"): Big[] =>
  drawdowns.filter(({ settled }) => settled).map((drawdown) => drawdown[side].amount);

/** What of a side of the trade is not exchanged by its drawdowns yet. */
export const unsettledAmount = (trade: Trade, side: "buy" | "sell"): Big =>
  trade[side].amount.minus(sumAmounts(settledDrawdownAmounts(trade, side)));

/** Payments of which nothing more will come. */
export const finalPaymentStatuses: ReadonlySet<TradePaymentStatus> = new Set([
  "Payment complete",
  "Payment rejected",
  "Payment cancelled",
]);

/** What is still to be paid in. */
export const outstandingFunds = (trade: Trade): Big => remainingAmount(trade, "sell").minus(trade.funded);

const cancelledStatuses = new Set<TradePaymentStatus>(["Payment rejected", "Payment cancelled"]);

/** What of the bought amount payments were made from. */
export const allocatedAmount = ({ payments }: Trade): Big =>
  sumAmounts(payments.filter(({ status }) => !cancelledStatuses.has(status)).map(({ amount }) => amount));

/** What of the bought amount nothing was done with yet. */
export const unallocatedAmount = (trade: Trade): Big =>
  remainingAmount(trade, "buy").minus(allocatedAmount(trade));

const drawableTypes = new Set<TradeType>(["forward", "window_forward"]);

/** The days for which something can be drawn from a forward: the last one only, unless it has a window. */
export const windowOf = ({ type, windowFrom, orderDate, maturityDate }: Trade) => ({
  from: type === "window_forward" ? (windowFrom ?? orderDate) : maturityDate,
  to: maturityDate,
});

/** Why amounts cannot be drawn from a trade. */
export function drawdownViolation(parent: Trade, sell: Big, buy: Big): string | undefined {
  const { tradeId, type, ended, settled } = parent;
  if (!drawableTypes.has(type)) return `Trade ${tradeId} is no forward.`;
  if (ended || settled) return `Trade ${tradeId} is settled or cancelled.`;
  if (sell.gt(remainingAmount(parent, "sell")))
    return `${sell.toFixed()} is more than is left of trade ${tradeId}.`;
  if (buy.gt(unallocatedAmount(parent))) return `${buy.toFixed()} is more than is left of trade ${tradeId}.`;
  return undefined;
}

/** Said when a drawdown is priced, and when it is booked: something else may have been drawn in between. */
export const toDrawdownError = (details: string): DomainError =>
  new DomainError("drawdown-not-possible", "This cannot be drawn from the trade.", details);

/** Follows from what was paid in and what is paid out. */
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
