/** Panel of the payments: from trades and over open banking. */
import { allocatePayment, returnPayment } from "../control/controls";
import { type PaymentStatus as OpenBankingStatus, totalOf } from "../world/model/payment";
import type { SandboxSession } from "../session/sandbox-session";
import { type Beneficiary, type Trade, type TradePayment, unallocatedAmount } from "../world/model/trade";
import type { World } from "../world/model/world";
import { type Html, html } from "../pages/html";
import { type Choice, controlForm } from "./form";
import {
  statusChip,
  foldedList,
  headCell,
  interleave,
  moneyText,
  emptyState,
  type Panel,
  smallText,
  scrollableTable,
  homeTrades,
  contactChoices,
} from "./panel";

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
    amount: moneyText({ ...trade.buy, amount }),
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
      amount: moneyText({ amount: totalOf(payment), currency: account.currency }),
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
  if (all.length === 0) return emptyState("No payments yet.");
  const heads = [headCell("To"), headCell("Status"), headCell("Amount", "number")];
  return foldedList("payments", all, maxPaymentsShown, (some) =>
    scrollableTable(heads, some.map(paymentRow)),
  );
}

/** Returns the trades with an unallocated amount. */
const payableTrades = (world: World): Trade[] =>
  homeTrades(world).filter((trade) => !trade.ended && trade.type !== "ndf" && unallocatedAmount(trade).gt(0));

const tradeChoice = (trade: Trade): Choice => [
  trade.tradeId,
  `${trade.tradeId}: ${moneyText({ ...trade.buy, amount: unallocatedAmount(trade) })}`,
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
