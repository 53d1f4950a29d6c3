/** Payments: from what trades buy, and over the open-banking interfaces. */
import { allocatePayment, returnPayment } from "../../control/controls";
import { type PaymentStatus as OpenBankingStatus, totalOf } from "../../world/open-banking/payment";
import type { Stage } from "../../stage";
import { type Beneficiary, type Trade, type TradePayment, unallocated } from "../../world/trades/trades";
import type { World } from "../../world/world";
import { type Html, html } from "../html";
import { type Choice, form } from "./form";
import { chip, folded, head, inTurn, moneyOf, nothing, type Panel, small, table, tradesOf } from "./parts";
import { contactChoices } from "./people";

const paymentsShown = 10;

/** A payment of either kind, as it is listed. */
interface Listed {
  readonly to: string;
  readonly id: string;
  readonly status: string;
  readonly look: string;
  readonly amount: string;
  readonly from: string;
  readonly action?: Html;
}

const looks: Readonly<Record<string, string>> = {
  "Payment complete": "good",
  "Payment rejected": "bad",
  "Payment cancelled": "bad",
  ACSC: "good",
  PART: "bad",
  RJCT: "bad",
  CANC: "bad",
};
const lookOf = (status: string) => looks[status] ?? "busy";

const meanings: Readonly<Record<OpenBankingStatus, string>> = {
  RCVD: "received",
  PATC: "accepted by some",
  ACTC: "accepted",
  ACSP: "settling",
  ACSC: "settled",
  PART: "settled in part",
  RJCT: "rejected",
  CANC: "cancelled",
};

function fromTrade(trade: Trade, payment: TradePayment): Listed {
  const { paymentId, beneficiary, status, amount, date, returned } = payment;
  return {
    to: beneficiary.name,
    id: paymentId,
    status: returned ? "Returned" : status,
    look: returned ? "calm" : lookOf(status),
    amount: moneyOf({ ...trade.buy, amount }),
    from: `${trade.tradeId}, ${date}`,
    ...(status === "Payment complete" &&
      !returned && {
        action: form(returnPayment, {
          given: { payment_id: paymentId },
          label: "Return",
          name: `Return ${paymentId}`,
          look: "quiet",
        }),
      }),
  };
}

const openBanking = ({ openBanking: { payments } }: World): Listed[] =>
  [...payments.values()].toReversed().map((payment) => {
    const { paymentId, transfers, status, product, account } = payment;
    return {
      to: transfers.map(({ creditorName }) => creditorName).join(", "),
      id: paymentId,
      status: `${status} ${meanings[status]}`,
      look: lookOf(status),
      amount: moneyOf({ amount: totalOf(payment), currency: account.currency }),
      from: product,
    };
  });

const ofTrades = (world: World): Listed[] =>
  tradesOf(world)
    .flatMap((trade) => trade.payments.map((payment) => ({ trade, payment })))
    .toSorted((one, other) => other.payment.date.localeCompare(one.payment.date))
    .map(({ trade, payment }) => fromTrade(trade, payment));

const row = ({ to, id, status, look, amount, from, action }: Listed): Html =>
  html`<tr>
    <th scope="row">${to} ${small(id)}</th>
    <td>${chip(status, look)}${action}</td>
    <td class="number">${amount} ${small(from)}</td>
  </tr>`;

function show({ world }: Stage): Html {
  const all = inTurn(openBanking(world), ofTrades(world));
  if (all.length === 0) return nothing("Nothing was paid yet.");
  const heads = [head("To"), head("Status"), head("Amount", "number")];
  return folded("payments", all, paymentsShown, (some) => table(heads, some.map(row)));
}

/** The trades from which something can still be paid. */
const payableFrom = (world: World): Trade[] =>
  tradesOf(world).filter((trade) => !trade.ended && trade.type !== "ndf" && unallocated(trade).gt(0));

const tradeChoice = (trade: Trade): Choice => [
  trade.tradeId,
  `${trade.tradeId}: ${moneyOf({ ...trade.buy, amount: unallocated(trade) })}`,
];

/** Those first who can be paid from the trade that is chosen at first. */
const beneficiaryChoices = ({ beneficiaries }: World, [trade]: readonly Trade[]): Choice[] =>
  beneficiaries
    .toSorted((one, other) => isIn(other, trade) - isIn(one, trade))
    .map(({ beneficiaryId, name, currency }) => [beneficiaryId, `${name}, ${currency}`]);

const isIn = ({ currency }: Beneficiary, trade: Trade | undefined): number =>
  Number(currency === trade?.buy.currency);

export const payments: Panel = {
  id: "payments",
  title: "Payments",
  place: "main",
  show,
  forms: ({ world }) => {
    const trades = payableFrom(world);
    return form(allocatePayment, {
      choices: {
        trade_id: trades.map(tradeChoice),
        beneficiary_id: beneficiaryChoices(world, trades),
        contact_id: contactChoices(world),
      },
    });
  },
};
