/** Panels of accounts, trades and payments. */
import { payIn, allocatePayment, returnPayment } from "../control/controls/money";
import type { SandboxSession } from "../session/sandbox-session";
import type { Account } from "../world/model/account";
import { type Bucket, balanceAccount } from "../world/ledger/ledger";
import type { World } from "../world/model/world";
import { type Html, html } from "../pages/page";
import { controlForm, type Choice } from "./form";
import {
  homeAccounts,
  statusChip,
  type Panel,
  table,
  homeTrades,
  smallText,
  foldedList,
  interleave,
  contactChoices,
} from "./panel";
import { Big } from "big.js";
import { formatAmount, formatMoney, type Money } from "../world/money/currencies";
import {
  outstandingFunds,
  statusOf,
  type Trade,
  type Beneficiary,
  type TradePayment,
  unallocatedAmount,
} from "../world/model/trade";
import { type PaymentStatus as OpenBankingStatus, totalOf } from "../world/model/payment";

const number = "number";
const minor = "number minor";

/** Columns of balances: title, ledger bucket and CSS class. */
const balanceColumns: readonly (readonly [title: string, bucket: Bucket, cssClass: string])[] = [
  ["Available", "InterimAvailable", number],
  ["Margin call", "MarginCall", number],
  ["Required", "RequiredFunds", number],
  ["Incoming", "Incoming", minor],
  ["Outgoing", "Outgoing", minor],
  ["Margin held", "InitialMargin", minor],
];

/** Returns the earliest due date of the margin calls in a currency. */
const firstMarginDueDate = (world: World, currency: string): string | undefined =>
  homeTrades(world)
    .filter(({ sell }) => sell.currency === currency)
    .flatMap(({ calls }) => calls.map(({ dueDate }) => dueDate))
    .toSorted()[0];

function marginCall(world: World, called: Money): Html {
  const due = firstMarginDueDate(world, called.currency);
  return html`${statusChip(formatAmount(called), "bad")}${due && html`<small>due from <time>${due}</time></small>`}`;
}

function balanceCell(world: World, account: Account, bucket: Bucket, cssClass: string): Html {
  const amount = world.ledger.balance(balanceAccount(account, bucket));
  const balance = { amount, currency: account.currency };
  return html`<td class="${cssClass}${amount.eq(0) ? " zero" : ""}">
    ${bucket === "MarginCall" && amount.gt(0) ? marginCall(world, balance) : formatAmount(balance)}
  </td>`;
}

const accountRow = (world: World, account: Account): Html =>
  html`<tr>
    <th scope="row">${account.currency} <small>${account.listNumber}</small></th>
    ${balanceColumns.map(([, bucket, cssClass]) => balanceCell(world, account, bucket, cssClass))}
  </tr>`;

const accountColumns = {
  Account: "",
  ...Object.fromEntries(balanceColumns.map(([title, , cssClass]) => [title, cssClass])),
};

const renderAccounts = ({ world }: SandboxSession): Html =>
  table(
    accountColumns,
    homeAccounts(world).map((account) => accountRow(world, account)),
  );

export const accountsPanel: Panel = {
  id: "accounts",
  title: "Accounts",
  area: "main",
  show: renderAccounts,
  forms: ({ world }) => {
    const currency = homeAccounts(world).map((account) => [account.currency, account.currency] as const);
    return controlForm(payIn, { omitted: ["account_id"], choices: { currency } });
  },
};

const maxTradesShown = 15;
const endedClasses: Readonly<Record<string, string>> = { Closed: "calm", Cancelled: "bad" };

const zero = new Big(0);

const isFinished = ({ ended, settled }: Trade) => ended !== undefined || settled;

/** Returns the amount to pay in by maturity. A trade without delivery requires only its loss, once that is known. */
function amountToFund(trade: Trade): Money {
  const { type, sell, fee, owedFee, difference } = trade;
  if (isFinished(trade)) return { ...fee, amount: owedFee };
  if (type !== "ndf") return { ...sell, amount: outstandingFunds(trade) };
  return difference ? { ...difference, amount: difference.amount.neg() } : { ...sell, amount: zero };
}

/** Describes the unpaid deposit of a forward. */
function depositDue(trade: Trade): string | undefined {
  const { initialMargin, deposited, sell } = trade;
  if (!initialMargin || deposited || isFinished(trade)) return undefined;
  const { amount, dueDate } = initialMargin;
  return `deposit ${formatMoney({ ...sell, amount })} by ${dueDate}`;
}

function fundingCell(trade: Trade): Html {
  const due = amountToFund(trade);
  if (due.amount.lte(0)) return html`<td class="number zero">nothing ${smallText(depositDue(trade))}</td>`;
  return html`<td class="number">
    ${formatMoney(due)} ${smallText(`by ${trade.maturityDate}`)}${smallText(depositDue(trade))}
  </td>`;
}

function tradeRow(trade: Trade): Html {
  const { tradeId, type, buy, sell, rate, maturityDate } = trade;
  const status = statusOf(trade);
  return html`<tr>
    <th scope="row">
      ${tradeId} <small>${type.replace("_", " ")}, <time>${maturityDate}</time></small>
    </th>
    <td>${statusChip(status, endedClasses[status] ?? "busy")}</td>
    ${fundingCell(trade)}
    <td class="number">${formatMoney(buy)} <small>for ${formatMoney(sell)}</small></td>
    <td class="number minor">${rate.rate.toString()}</td>
  </tr>`;
}

const byMaturity = (one: Trade, other: Trade) => one.maturityDate.localeCompare(other.maturityDate);

/** Sorts open trades by maturity, then ended trades in reverse. */
function sortForDisplay(trades: readonly Trade[]): Trade[] {
  const open = trades.filter(({ ended }) => ended === undefined);
  const ended = trades.filter((trade) => trade.ended !== undefined);
  return [...open.toSorted(byMaturity), ...ended.toSorted(byMaturity).toReversed()];
}

function renderTrades({ world }: SandboxSession): Html {
  const columns = { Trade: "", Status: "", "To be funded": number, Bought: number, Rate: minor };
  return foldedList("trades", sortForDisplay(homeTrades(world)), maxTradesShown, (some) =>
    table(columns, some.map(tradeRow)),
  );
}

export const tradesPanel: Panel = { id: "trades", title: "Trades", area: "main", show: renderTrades };

const maxPaymentsShown = 10;

/** Row for a payment of either kind. */
interface PaymentRow {
  readonly to: string;
  readonly id: string;
  readonly status: string;
  readonly cssClass: string;
  readonly amount: string;
  readonly from: string;
  readonly action?: Html;
}

const statusClasses: Readonly<Record<string, string>> = {
  "Payment complete": "good",
  "Payment rejected": "bad",
  "Payment cancelled": "bad",
  ACSC: "good",
  PART: "bad",
  RJCT: "bad",
  CANC: "bad",
};
const statusClassOf = (status: string) => statusClasses[status] ?? "busy";

const statusMeanings: Readonly<Record<OpenBankingStatus, string>> = {
  RCVD: "received",
  PATC: "partly authorised",
  ACTC: "authorised",
  ACSP: "settling",
  ACSC: "settled",
  PART: "partly settled",
  RJCT: "rejected",
  CANC: "cancelled",
};

function tradePaymentRow(trade: Trade, payment: TradePayment): PaymentRow {
  const { paymentId, beneficiary, status, amount, date, returned } = payment;
  return {
    to: beneficiary.name,
    id: paymentId,
    status: returned ? "Returned" : status,
    cssClass: returned ? "calm" : statusClassOf(status),
    amount: formatMoney({ ...trade.buy, amount }),
    from: `${trade.tradeId}, ${date}`,
    ...(status === "Payment complete" &&
      !returned && {
        action: controlForm(returnPayment, {
          fixedValues: { payment_id: paymentId },
          label: "Return",
          name: `Return ${paymentId}`,
          cssClass: "quiet",
        }),
      }),
  };
}

const openBankingRows = ({ openBanking: { payments } }: World): PaymentRow[] =>
  [...payments.values()].toReversed().map((payment) => {
    const { paymentId, transfers, status, product, account } = payment;
    return {
      to: transfers.map(({ creditorName }) => creditorName).join(", "),
      id: paymentId,
      status: `${status} ${statusMeanings[status]}`,
      cssClass: statusClassOf(status),
      amount: formatMoney({ amount: totalOf(payment), currency: account.currency }),
      from: product,
    };
  });

const tradePaymentRows = (world: World): PaymentRow[] =>
  homeTrades(world)
    .flatMap((trade) => trade.payments.map((payment) => ({ trade, payment })))
    .toSorted((one, other) => other.payment.date.localeCompare(one.payment.date))
    .map(({ trade, payment }) => tradePaymentRow(trade, payment));

const paymentRow = ({ to, id, status, cssClass, amount, from, action }: PaymentRow): Html =>
  html`<tr>
    <th scope="row">${to} ${smallText(id)}</th>
    <td>${statusChip(status, cssClass)}${action}</td>
    <td class="number">${amount} ${smallText(from)}</td>
  </tr>`;

function renderPayments({ world }: SandboxSession): Html {
  const all = interleave(openBankingRows(world), tradePaymentRows(world));
  return foldedList("payments", all, maxPaymentsShown, (some) =>
    table({ To: "", Status: "", Amount: number }, some.map(paymentRow)),
  );
}

/** Returns the trades with an unallocated amount. */
const payableTrades = (world: World): Trade[] =>
  homeTrades(world).filter((trade) => !trade.ended && trade.type !== "ndf" && unallocatedAmount(trade).gt(0));

const tradeChoice = (trade: Trade): Choice => [
  trade.tradeId,
  `${trade.tradeId}: ${formatMoney({ ...trade.buy, amount: unallocatedAmount(trade) })}`,
];

/** Lists first the beneficiaries in the currency that the preselected trade buys. */
const beneficiaryChoices = ({ beneficiaries }: World, [trade]: readonly Trade[]): Choice[] =>
  beneficiaries
    .toSorted((one, other) => isInBoughtCurrency(other, trade) - isInBoughtCurrency(one, trade))
    .map(({ beneficiaryId, name, currency }) => [beneficiaryId, `${name}, ${currency}`]);

const isInBoughtCurrency = ({ currency }: Beneficiary, trade: Trade | undefined): number =>
  Number(currency === trade?.buy.currency);

export const paymentsPanel: Panel = {
  id: "payments",
  title: "Payments",
  area: "main",
  show: renderPayments,
  forms: ({ world }) => {
    const trades = payableTrades(world);
    return controlForm(allocatePayment, {
      choices: {
        trade_id: trades.map(tradeChoice),
        beneficiary_id: beneficiaryChoices(world, trades),
        contact_id: contactChoices(world),
      },
    });
  },
};
