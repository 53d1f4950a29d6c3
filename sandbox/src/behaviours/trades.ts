/** Trades. Contract: endpoints 26 to 28. */
import type { BehavioursOf } from "../calls/behaviour";
import { type DocumentKind, documentPath, hasInstruction, hasReceipt } from "../files/trade-documents";
import { header, type HttpRequest } from "../http/http";
import { toPageResponse } from "../calls/responses";
import { DomainError } from "../world/common/domain-error";
import { receivingAccount } from "../world/banks/banks";
import type { Client } from "../world/parties/parties";
import {
  drawdownViolation,
  statusOf,
  type Trade,
  type TradePayment,
  toDrawdownError,
} from "../world/model/trade";
import { bookTrade } from "../world/trades/trading";
import type { World } from "../world/model/world";

/** Builds document URLs on the host that the request was sent to. */
const documentUrls =
  (request: HttpRequest) =>
  (kind: DocumentKind, id: string): string =>
    `http://${header(request, "host")}${documentPath(kind, id)}`;

type DocumentUrls = ReturnType<typeof documentUrls>;

const toBookedTrade = (trade: Trade, documents: DocumentUrls) => ({
  trade_id: trade.tradeId,
  trade_type: trade.type,
  status: statusOf(trade),
  buy_currency: trade.buy.currency,
  buy_amount: trade.buy.amount.toNumber(),
  sell_currency: trade.sell.currency,
  sell_amount: trade.sell.amount.toNumber(),
  rate: trade.rate.rate.toNumber(),
  rate_symbol: trade.rate.symbol,
  parent_trade_id: trade.parent?.tradeId ?? null,
  order_date: trade.orderDate,
  maturity_date: trade.maturityDate,
  beneficiaries: [...new Set(trade.payments.map(({ beneficiary }) => beneficiary.name))],
  fee_currency: trade.fee.currency,
  fee_amount: trade.fee.amount.toNumber(),
  synthetic: trade.synthetic,
  trade_receipt: documents("trade-receipts", trade.tradeId),
  reference: trade.reference,
});

const toPaymentView = (payment: TradePayment, documents: DocumentUrls) => ({
  payment_id: payment.paymentId,
  amount: payment.amount.toNumber(),
  beneficiary_name: payment.beneficiary.name,
  ...(hasInstruction(payment) && {
    payment_instruction: documents("payment-instructions", payment.paymentId),
  }),
  ...(hasReceipt(payment) && { payment_receipt: documents("payment-receipts", payment.paymentId) }),
  status: payment.status,
});

const toExtendedBookedTrade = (trade: Trade, documents: DocumentUrls) => ({
  ...toBookedTrade(trade, documents),
  payments: trade.payments.map((payment) => toPaymentView(payment, documents)),
});

const toConfirmedTrade = (trade: Trade) => ({
  trade_id: trade.tradeId,
  bank_account: receivingAccount(trade.sell.currency),
  maturity_date: trade.maturityDate,
  initial_margin_amount: trade.initialMargin?.amount.toNumber(),
  initial_margin_due_date: trade.initialMargin?.dueDate,
});

/** Returns the client's trades, newest first. */
const tradesOf = (client: Client, world: World): Trade[] =>
  [...world.trades.values()].filter(({ clientId }) => clientId === client.clientId).toReversed();

/** Returns the client's quote. Throws if it is unknown, used or expired. */
function findBookableQuote(quoteId: string, client: Client, world: World) {
  const quote = world.quotes.get(quoteId);
  if (!quote || quote.terms.clientId !== client.clientId)
    throw new DomainError("quote-not-found", "The quote is unknown.", quoteId);
  if (quote.used)
    throw new DomainError("quote-already-used", "A trade was already booked from this quote.", quoteId);
  if (quote.expiresAt <= world.now)
    throw new DomainError(
      "quote-expired",
      "The quote has expired.",
      "Request a new quote and book it before it expires.",
    );
  return quote;
}

export const trades: BehavioursOf<"trades"> = {
  "trades.book": ({ values, client, world }) => {
    const quote = findBookableQuote(values.quote_id, client, world);
    if (values.reason === "not_related_to_goods_or_services" && quote.terms.type !== "spot")
      throw new DomainError(
        "validation-error",
        "The reason is allowed for spot trades only.",
        `reason ${values.reason}`,
      );
    const { parent, sell, buy } = quote.terms;
    const violation = parent && drawdownViolation(parent, sell.amount, buy.amount);
    if (violation !== undefined) throw toDrawdownError(violation);
    const trade = bookTrade(world, { ...quote.terms, reference: values.reference });
    quote.used = !world.settings.reusableQuotes;
    return { status: 201, body: toConfirmedTrade(trade) };
  },

  "trades.list": (call) => {
    const { values, client, world } = call;
    const { trade_type: types, parent_trade_id: parent } = values;
    const found = tradesOf(client, world).filter(
      (trade) =>
        (types?.includes(trade.type) ?? true) && (parent === undefined || trade.parent?.tradeId === parent),
    );
    const documents = documentUrls(call.request);
    return toPageResponse(call, found, (trade) => toBookedTrade(trade, documents));
  },

  "trades.get": ({ values, client, request, world }) => {
    const trade = world.trades.get(values.trade_id);
    if (!trade || trade.clientId !== client.clientId)
      throw new DomainError("trade-not-found", "The trade is unknown.", values.trade_id);
    const model = values.response_model === "ExtendedBookedTrade" ? toExtendedBookedTrade : toBookedTrade;
    return { status: 200, body: model(trade, documentUrls(request)) };
  },
};
