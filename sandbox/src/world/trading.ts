/** Trades from the booking to the end: what they promise, and what they move. */
import { Big } from "big.js";
import { type Account, accountIn } from "./accounts";
import { nextBusinessDay } from "./calendar";
import { larger, rounded, smaller } from "./currencies";
import { addDays, dayMs, dayOf, hourOf } from "./days";
import { converted } from "./fx";
import { available, move, type Movement, note, shift } from "./movements";
import {
  type Beneficiary,
  endedPayments,
  outstanding,
  type PaymentStatus,
  remaining,
  type Trade,
  type TradePayment,
  type TradeTerms,
} from "./trades";
import type { Bucket } from "./ledger";
import type { World } from "./world";

const marginShare = new Big("0.05");
const daysToDeposit = 2;
/** The hour (UTC) at which a day's trades settle. */
const settlementHour = 15;

const zero = new Big(0);

const hasMargin = ({ type }: TradeTerms) => type === "forward" || type === "window_forward";
/** What is settled in cash exchanges nothing: only the difference is paid. */
const isDelivered = ({ type }: TradeTerms) => type !== "ndf";

const sellAccount = (world: World, trade: TradeTerms) => accountIn(world, trade, trade.sell.currency);
const buyAccount = (world: World, trade: TradeTerms) => accountIn(world, trade, trade.buy.currency);

const settlementOf = ({ maturityDate }: TradeTerms) => hourOf(maturityDate, settlementHour);

function initialMargin(terms: TradeTerms, orderDate: string): Trade["initialMargin"] {
  if (!hasMargin(terms)) return undefined;
  const { amount, currency } = terms.sell;
  const dueDate = nextBusinessDay(addDays(orderDate, daysToDeposit), [currency]);
  return { amount: rounded(amount.times(marginShare), currency), dueDate };
}

/** Books a trade: from now on its funds are required and its proceeds are coming in. */
export function book(world: World, terms: TradeTerms): Trade {
  const orderDate = dayOf(world.now);
  const trade: Trade = {
    synthetic: false,
    ...terms,
    tradeId: `TR${world.ids.digits(10)}`,
    orderDate,
    initialMargin: initialMargin(terms, orderDate),
    drawdowns: [],
    payments: [],
    funded: zero,
    margin: zero,
    settled: false,
  };
  if (terms.parent) drawFrom(world, terms.parent, trade);
  world.trades.set(trade.tradeId, trade);
  promise(world, trade, trade.sell.amount, trade.buy.amount);
  if (trade.initialMargin)
    world.agenda.schedule(hourOf(trade.initialMargin.dueDate, settlementHour), () => deposit(world, trade));
  world.agenda.schedule(settlementOf(trade), () => mature(world, trade));
  return trade;
}

/** What a drawdown takes is no longer expected from its forward. */
function drawFrom(world: World, parent: Trade, drawdown: Trade): void {
  if (drawdown.sell.amount.gt(outstanding(parent)))
    throw new RangeError(
      `${drawdown.sell.amount.toFixed()} is more than is left of trade ${parent.tradeId}.`,
    );
  parent.drawdowns.push(drawdown);
  promise(world, parent, drawdown.sell.amount.neg(), drawdown.buy.amount.neg());
}

/** Notes what the trade still requires and still brings; negative amounts take it back. */
function promise(world: World, trade: Trade, sell: Big, buy: Big): void {
  if (!isDelivered(trade)) return;
  const about = { reference: trade.tradeId, valueAt: settlementOf(trade) };
  if (!sell.eq(0)) note(world, sellAccount(world, trade), "RequiredFunds", sell, about);
  if (!buy.eq(0)) note(world, buyAccount(world, trade), "Incoming", buy, about);
}

const about = (trade: Trade, type: Movement["type"], says: string): Movement => ({
  type,
  reference: trade.tradeId,
  information: `${says} ${trade.tradeId}`,
  additionalInformation: `${trade.rate.symbol} ${trade.rate.rate.toFixed()}`,
});

/** Pays for a trade, in part or in full, from what is available. */
export function fund(world: World, trade: Trade, amount: Big): void {
  move(world, sellAccount(world, trade), amount.neg(), "exchange", about(trade, "debit", "Funds for trade"));
  promise(world, trade, amount.neg(), zero);
  trade.funded = trade.funded.plus(amount);
}

function deposit(world: World, trade: Trade): void {
  const account = sellAccount(world, trade);
  const { amount } = trade.initialMargin!;
  if (trade.ended || available(world, account).lt(amount)) return;
  shift(world, account, amount.neg(), "InitialMargin", about(trade, "margin", "Initial margin for trade"));
  trade.margin = amount;
}

function returnDeposit(world: World, trade: Trade): void {
  if (trade.margin.eq(0)) return;
  const says = about(trade, "margin", "Initial margin returned for trade");
  shift(world, sellAccount(world, trade), trade.margin, "InitialMargin", says);
  trade.margin = zero;
}

/** Settles a trade on its maturity date, or on the first day after it on which its funds are there. */
function mature(world: World, trade: Trade): void {
  if (trade.ended) return;
  if (isDelivered(trade) && !exchange(world, trade)) {
    world.agenda.schedule(later(world, dayMs), () => mature(world, trade));
    return;
  }
  if (!isDelivered(trade)) settleDifference(world, trade);
  trade.settled = true;
  returnDeposit(world, trade);
  for (const payment of trade.payments) execute(world, trade, payment);
  closeWhenPaidOut(trade);
}

const later = (world: World, milliseconds: number) => new Date(world.now.getTime() + milliseconds);

function closeWhenPaidOut(trade: Trade): void {
  if (trade.payments.every(({ status }) => endedPayments.has(status))) trade.ended = "Closed";
}

/** Gives what was bought for what was sold; answers whether the funds were there. */
function exchange(world: World, trade: Trade): boolean {
  const account = sellAccount(world, trade);
  const due = outstanding(trade);
  if (due.gt(available(world, account))) return false;
  if (due.gt(0)) fund(world, trade, due);
  const proceeds = remaining(trade, "buy");
  if (proceeds.eq(0)) return true;
  move(world, buyAccount(world, trade), proceeds, "exchange", about(trade, "credit", "Proceeds of trade"));
  promise(world, trade, zero, proceeds.neg());
  charge(world, account, trade);
  return true;
}

function charge(world: World, account: Account, trade: Trade): void {
  const fee = smaller(trade.fee.amount, available(world, account));
  if (fee.gt(0)) move(world, account, fee.neg(), "fees", about(trade, "debit", "Fee for trade"));
}

/** A non-delivered trade pays what its amount is worth more or less at the day's rate. */
function settleDifference(world: World, trade: Trade): void {
  const { buy, sell, maturityDate } = trade;
  const fixing = world.rates.customer(buy.currency, sell.currency, maturityDate);
  const difference = converted(buy, fixing).amount.minus(sell.amount);
  const account = sellAccount(world, trade);
  const paid = larger(difference, available(world, account).neg());
  if (paid.eq(0)) return;
  const says = about(trade, paid.gt(0) ? "credit" : "debit", "Cash settlement of trade");
  move(world, account, paid, "exchange", says);
}

/** Sets a part of what a trade buys aside for a beneficiary. */
export function allocate(
  world: World,
  trade: Trade,
  beneficiary: Beneficiary,
  amount: Big,
  status: PaymentStatus = "Waiting for payment date",
): TradePayment {
  const payment: TradePayment = { paymentId: `PM${world.ids.digits(10)}`, amount, beneficiary, status };
  trade.payments.push(payment);
  if (!endedPayments.has(status)) notePayment(world, trade, payment, "Outgoing", amount);
  if (trade.settled) execute(world, trade, payment);
  return payment;
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

const executionMs = 3_600_000;

/** Sends a payment that waited for its day: for an hour it is under way, then it is paid. */
function execute(world: World, trade: Trade, payment: TradePayment): void {
  if (payment.status !== "Waiting for payment date") return;
  payment.status = "Executing Payment";
  notePayment(world, trade, payment, "Outgoing", payment.amount.neg());
  notePayment(world, trade, payment, "Processing", payment.amount);
  world.agenda.schedule(later(world, executionMs), () => complete(world, trade, payment));
}

function complete(world: World, trade: Trade, payment: TradePayment): void {
  const { paymentId: reference, amount, beneficiary: counterparty } = payment;
  const account = buyAccount(world, trade);
  if (available(world, account).lt(amount)) {
    world.agenda.schedule(later(world, dayMs), () => complete(world, trade, payment));
    return;
  }
  notePayment(world, trade, payment, "Processing", amount.neg());
  const information = `Payment to ${counterparty.name}`;
  move(world, account, amount.neg(), "nostro", { type: "debit", reference, information, counterparty });
  payment.status = "Payment complete";
  closeWhenPaidOut(trade);
}

/** Takes a payment back that waits. */
function withdraw(world: World, trade: Trade, payment: TradePayment): void {
  if (endedPayments.has(payment.status)) return;
  notePayment(world, trade, payment, "Outgoing", payment.amount.neg());
  payment.status = "Payment cancelled";
}

/** Takes a trade back that is not settled: nothing is expected of it any more, and what was paid in returns. */
export function cancel(world: World, trade: Trade): void {
  promise(world, trade, outstanding(trade).neg(), remaining(trade, "buy").neg());
  for (const payment of trade.payments) withdraw(world, trade, payment);
  if (trade.funded.gt(0)) {
    const says = about(trade, "credit", "Funds returned from cancelled trade");
    move(world, sellAccount(world, trade), trade.funded, "exchange", says);
  }
  returnDeposit(world, trade);
  trade.ended = "Cancelled";
}
