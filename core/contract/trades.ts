/** Trades: booking from a quote, and reading. Contract: endpoints 26 to 28. */
import { z } from "zod";
import { accountFields, optionalText, textField } from "../values/response-fields";
import { TradePaymentStatus, TradeStatus } from "../values/statuses";
import { day, id, openEnum, page, pageSize } from "../values/values";
import { commaSeparated, json, section } from "../spec/declare";
import { clientId, usualErrors, withErrorMessage } from "./json-interface";

/** The trade endpoints also declare the API-key scheme. Contract: Authentication, 4. */
const credentials = ["accessToken", "apiKey", "contactId?"] as const;

const TradeId = id("Trade ID", "`trade_id` from trades.list.");

const tradeTypes = ["spot", "forward", "window_forward", "drawdown", "ndf"] as const;
export const TradeType = z.enum(tradeTypes);

export const NewTrade = z
  .object({
    trade_type: z
      .string()
      .optional()
      .meta({ title: "Trade type", description: "Ignored; deprecated.", deprecated: true }),
    reason: z
      .enum([
        "charitable_aid",
        "payment_for_goods",
        "capital_investment",
        "payment_for_services",
        "repatriation_of_goods",
        "repatriation_of_services",
        "property_purchase",
        // Misspelt in the contract.
        "mortage_repayment",
        "property_rental_or_maintenance",
        "salary_payroll",
        "travel_costs",
        "living_costs",
        "repayment_of_loan",
        "balance_hedging",
        "repatriation_from_investment",
        "portfolio_netting",
        "not_related_to_goods_or_services",
        "other",
      ])
      .meta({
        title: "Reason",
        description: "Purpose of the trade.",
        alsoSpelled: new Map([["mortgage_repayment", "mortage_repayment"]]),
      }),
    reference: z.string().optional().meta({
      title: "Reference",
      description: "Your reference. Generated if omitted.",
    }),
  })
  .meta({ id: "NewTrade" });

const BankAccount = z.object({
  account_number: textField(accountFields.account_number),
  iban: textField(accountFields.iban),
  swift_code: textField(accountFields.bic),
  bank_identifier: textField(accountFields.bank_identifier),
  bank_identifier_type: textField(accountFields.bank_identifier_type),
  bank_name: textField(accountFields.bank_name),
  bank_address_line_1: textField(accountFields.bank_address_line_1),
  bank_address_line_2: textField(accountFields.bank_address_line_2),
  bank_city: textField(accountFields.bank_city),
  bank_post_code: textField(accountFields.bank_post_code),
});

const tradeId = textField("Trade ID, for trades.get.");
const maturityDate = day("Maturity date", "Date (UTC) by which the funds must be received.");

export const ConfirmedTrade = z
  .object({
    trade_id: tradeId,
    bank_account: BankAccount.meta({
      description: "Account to which the client sends the funds for the trade.",
    }),
    maturity_date: maturityDate,
    initial_margin_amount: z.number().optional().meta({
      description: "Forwards only: initial margin (deposit); the response does not state its currency.",
    }),
    initial_margin_due_date: day(
      "Initial margin due date",
      "Forwards only: date (UTC) by which the initial margin must be received.",
    ).optional(),
  })
  .meta({ id: "ConfirmedTrade", description: "A newly booked trade, with the account to fund." });

const uri = (description: string) => z.string().optional().meta({ description, format: "uri" });

export const BookedTrade = z
  .object({
    trade_id: tradeId,
    trade_type: openEnum(tradeTypes).meta({
      description: "Trade type; a drawdown uses part of its parent trade.",
    }),
    status: TradeStatus.meta({
      description: "Trade status: created, funded, paid out, closed or cancelled.",
    }),
    buy_currency: textField("Currency that the client buys, ISO 4217 code."),
    buy_amount: z.number().meta({ description: "Amount that the client buys, in buy_currency." }),
    sell_currency: textField("Currency that the client sells, ISO 4217 code."),
    sell_amount: z.number().meta({ description: "Amount that the client sells, in sell_currency." }),
    rate: z.number().meta({ description: "Booked rate, for the currency pair in rate_symbol." }),
    rate_symbol: textField("Currency pair of the rate: EURUSD is the price of one EUR in USD."),
    parent_trade_id: z
      .string()
      .nullable()
      .meta({ description: "Parent trade of a drawdown; null for other trades." }),
    order_date: day("Order date", "Date of the order."),
    maturity_date: maturityDate,
    beneficiaries: z.array(z.string()).meta({ description: "Beneficiary names." }),
    fee_currency: textField("Currency of fee_amount, ISO 4217 code."),
    fee_amount: z.number().meta({ description: "Fee, in fee_currency." }),
    synthetic: z.boolean().meta({ description: "True for a synthetic future-contracts trade." }),
    trade_receipt: uri("URL of the trade receipt."),
    reference: optionalText("Additional reference, such as an invoice number."),
  })
  .meta({ id: "BookedTrade", description: "A booked trade with its status." });

export const ExtendedBookedTrade = BookedTrade.extend({
  payments: z
    .array(
      z.object({
        payment_id: optionalText("Payment ID at the service."),
        amount: z.number().optional().meta({
          description: "Amount paid; the response does not state its currency.",
        }),
        beneficiary_name: optionalText("Beneficiary name."),
        payment_instruction: uri("URL of the payment instruction."),
        payment_receipt: uri("URL of the payment receipt."),
        status: TradePaymentStatus.optional().meta({
          description: "Payment status; complete, rejected and cancelled are final.",
        }),
        url: uri("URL of the payment."),
      }),
    )
    .optional()
    .meta({ description: "Payments of the trade; only with response_model ExtendedBookedTrade." }),
}).meta({
  id: "ExtendedBookedTrade",
  description: "A booked trade, with its payments if requested.",
});

const operation = section({
  section: {
    title: "Trades",
    icon: "trades.svg",
    category: "fxdesk trades",
    daily: ["order", "list", "get", "watch", "watchPayments"],
    advanced: "fxdesk quotes",
    order: 6,
  },
  server: "service",
  credentials,
});

export const bookTrade = operation({
  name: "trades.book",
  tool: "book_trade",
  title: "Book trade",
  summary: "Books an FX trade from a quote and returns the trade ID and the account to fund.",
  notes: "The reason not_related_to_goods_or_services is for spot trades only.",
  keywords: [
    "deal",
    "buy",
    "sell",
    "convert",
    "exchange",
    "hedge",
    "spot",
    "forward",
    "drawdown",
    "Devisengeschäft",
    "kaufen",
    "verkaufen",
    "tauschen",
  ],
  effect: "money",
  method: "POST",
  path: "/trades",
  query: { quote_id: id("Quote ID", "Quote to book."), client_id: clientId },
  body: NewTrade,
  responses: { 201: json(ConfirmedTrade, "The trade is booked.") },
  errors: {
    ...usualErrors([401], [400, 403, 502]),
    404: "Client ID or quote ID not found.",
    409: withErrorMessage("There is a conflict that you can correct; see the error details."),
  },
  identifiedBy: "trade_id",
  lookup: "trades.list",
  recovery: {
    kind: "listed",
    reference: "reference",
    entry: { reference: "reference", day: "order_date", identity: "trade_id" },
  },
  generates: { reference: "reference" },
  singleUseField: "quote_id",
  commits: { quote: "quote_id" },
  contract: "26",
});

export const listTrades = operation({
  name: "trades.list",
  tool: "list_trades",
  title: "List trades",
  summary:
    "Lists FX trades with amounts, rates, dates and status. For remaining amounts of forwards, use forwards.list.",
  keywords: ["deals", "blotter", "spot", "drawdowns", "NDF", "Devisengeschäfte", "Kassa"],
  effect: "read",
  method: "GET",
  path: "/trades",
  query: {
    client_id: clientId,
    trade_type: commaSeparated(
      z.array(TradeType).optional().meta({ title: "Trade types", description: "Default: all." }),
    ),
    parent_trade_id: id("Parent trade ID", "Only drawdowns of this trade.").optional(),
    page: page.default(1),
    page_size: pageSize.default(50),
  },
  pages: { page: "page", size: "page_size", defaultSize: 50 },
  responses: { 200: json(z.array(BookedTrade), "Trades of the client.") },
  errors: { ...usualErrors([400, 401, 403, 502]), 404: "Client ID or quote ID not found." },
  contract: "27",
});

export const getTrade = operation({
  name: "trades.get",
  tool: "get_trade",
  title: "Get trade",
  summary: "Returns one trade: amounts, rate, dates and status.",
  keywords: ["deal", "confirmation", "value date", "Geschäft", "Abschluss", "Valuta"],
  effect: "read",
  method: "GET",
  path: "/trades/{trade_id}",
  parameters: { trade_id: TradeId },
  query: {
    client_id: clientId,
    response_model: z.enum(["BookedTrade", "ExtendedBookedTrade"]).optional().meta({
      title: "Response model",
      description: "`ExtendedBookedTrade` adds the payments.",
    }),
  },
  responses: { 200: json(ExtendedBookedTrade, "The trade.") },
  errors: { ...usualErrors([400, 401, 403, 502]), 404: "Client or trade ID not found." },
  contract: "28",
});

export const trades = [bookTrade, listTrades, getTrade] as const;
