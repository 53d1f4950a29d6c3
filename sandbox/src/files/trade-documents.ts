/** Documents of trades and payments: their URLs and contents. */
import type { TradePaymentStatus } from "../world/common/enumerations";
import { bankIn, homeCountryOf, receivingAccount, type Bank } from "../world/banks/banks";
import { formatMoney } from "../world/money/currencies";
import { startOf } from "@fxdesk/toolkit/calendars";
import { type Trade, type TradePayment, windowOf } from "../world/model/trade";
import type { World } from "../world/model/world";
import { drawPdf, fonts, ink, page, toPrintable } from "./pdf";

/** One page with a title and a list of names and values. */
interface Letter {
  readonly bank: Bank;
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly writtenAt: Date;
}

const valueX = 200;
const valueWidth = page.right - valueX;
const lineGap = 8;

export const letterPdf = (letter: Letter): Promise<Buffer> =>
  drawPdf(letter, (canvas) => {
    let y = page.top + 72;
    for (const [name, value] of letter.facts) {
      canvas.setStyle(fonts.plain, 10, ink.quiet).text(name, page.left, y);
      canvas.setStyle(fonts.plain, 10, ink.text).text(toPrintable(value), valueX, y, { width: valueWidth });
      y = canvas.document.y + lineGap;
    }
  });

export type DocumentKind = "trade-receipts" | "payment-instructions" | "payment-receipts";

export const documentPath = (kind: DocumentKind, id: string): string =>
  `/documents/${kind}/${encodeURIComponent(id)}`;

const withoutInstruction = new Set<TradePaymentStatus>([
  "Need more beneficiary information",
  "Validating beneficiary information",
  "Payment pending of authorization",
  "Payment rejected",
  "Payment cancelled",
]);

/** True once the beneficiary is complete and the payment is approved. */
export const hasInstruction = ({ status }: TradePayment): boolean => !withoutInstruction.has(status);
export const hasReceipt = ({ status }: TradePayment): boolean => status === "Payment complete";

/** Returns the bank and the recipient of the letters about a trade. */
function letterParties(world: World, { clientId }: Trade) {
  const { name, address, country } = world.clients.get(clientId)!;
  return { bank: bankIn(country), holder: ["Client", `${name}, ${address}`] as const };
}

function tradeReceipt(world: World, trade: Trade): Letter {
  const { sell, buy, rate, fee, initialMargin, parent } = trade;
  const receiving = receivingAccount(sell.currency);
  const { bank, holder } = letterParties(world, trade);
  return {
    bank,
    title: `Trade receipt ${trade.tradeId}`,
    writtenAt: startOf(trade.orderDate),
    facts: [
      holder,
      ["Type", trade.type.replace("_", " ")],
      ...(parent ? [["Drawn from", parent.tradeId] as const] : []),
      ["Ordered on", trade.orderDate],
      ...(trade.type === "window_forward"
        ? [["Window", `${windowOf(trade).from} to ${trade.maturityDate}`] as const]
        : []),
      ["Matures on", trade.maturityDate],
      ["You sell", formatMoney(sell)],
      ["You buy", formatMoney(buy)],
      ["Rate", `${rate.symbol} ${rate.rate.toFixed()}`],
      ["Fee", formatMoney(fee)],
      ...(initialMargin
        ? [
            [
              "Initial margin",
              `${formatMoney({ ...initialMargin, currency: sell.currency })} by ${initialMargin.dueDate}`,
            ] as const,
          ]
        : []),
      ["Pay to", `${receiving.bank_name}, ${receiving.iban || receiving.account_number}`],
      ["Reference", trade.reference ?? ""],
    ],
  };
}

const paymentFacts = (world: World, trade: Trade, payment: TradePayment): Letter["facts"] => {
  const { beneficiary, amount, date, paymentId } = payment;
  return [
    letterParties(world, trade).holder,
    ["Payment", paymentId],
    ["From trade", trade.tradeId],
    ["Beneficiary", beneficiary.name],
    ["Account", beneficiary.iban ?? beneficiary.accountNumber ?? ""],
    ["Bank", beneficiary.bic],
    ["Amount", formatMoney({ amount, currency: trade.buy.currency })],
    ["Payment date", date],
    ["Ordering bank", bankIn(homeCountryOf(trade.buy.currency)).name],
  ];
};

const paymentLetter =
  (title: string) =>
  (world: World, trade: Trade, payment: TradePayment): Letter => ({
    bank: letterParties(world, trade).bank,
    title: `${title} ${payment.paymentId}`,
    writtenAt: startOf(payment.date),
    facts: paymentFacts(world, trade, payment),
  });

const paymentKinds = {
  "payment-instructions": { isAvailable: hasInstruction, letter: paymentLetter("Payment instruction") },
  "payment-receipts": { isAvailable: hasReceipt, letter: paymentLetter("Payment receipt") },
};

/** Returns the document of one of the client's trades or payments, or undefined if none exists. */
export function findDocument(
  world: World,
  clientId: string,
  kind: DocumentKind,
  id: string,
): Letter | undefined {
  const trades = [...world.trades.values()].filter((trade) => trade.clientId === clientId);
  if (kind === "trade-receipts") {
    const trade = trades.find(({ tradeId }) => tradeId === id);
    return trade && tradeReceipt(world, trade);
  }
  const { isAvailable, letter } = paymentKinds[kind];
  for (const trade of trades) {
    const payment = trade.payments.find(({ paymentId }) => paymentId === id);
    if (payment) return isAvailable(payment) ? letter(world, trade, payment) : undefined;
  }
  return undefined;
}
