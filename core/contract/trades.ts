/** Trades: booking one from a quote, and reading what was booked. Contract: endpoints 26 to 28. */
import { z } from "zod";
import { ErrorMessage } from "../schema/messages";
import { accountFields, textField } from "../schema/response-fields";
import { TradePaymentStatus, TradeStatus } from "../schema/statuses";
import { day, id, openEnum, page, pageSize } from "../schema/values";
import { commaSeparated, json, section } from "../declaration/declare";
import { clientId, meaning } from "./json-interface";

/** The trade endpoints also declare the API-key scheme. Contract: Authentication, 4. */
const credentials = ["accessToken", "apiKey", "contactId?"] as const;

const TradeId = id("Trade ID", "As trade_id in trades.list.");

const tradeTypes = ["spot", "forward", "window_forward", "drawdown", "ndf"] as const;
const TradeType = z.enum(tradeTypes);

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
        // The contract's spelling.
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
        description: "Why the trade is made.",
      }),
    reference: z.string().optional().meta({
      title: "Reference",
      description: "Free; fxdesk makes one where left out.",
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

const tradeId = textField("Identifies the trade, as trades.get takes it.");
const maturityDate = day("Maturity date", "Day (UTC) by which the funds must be received.");

export const ConfirmedTrade = z
  .object({
    trade_id: tradeId,
    bank_account: BankAccount.meta({ description: "Account to which the funds for the trade are sent." }),
    maturity_date: maturityDate,
    initial_margin_amount: z.number().optional().meta({
      description: "Forwards only: deposit for the trade; no field of the response names its currency.",
    }),
    initial_margin_due_date: day(
      "Initial margin due date",
      "Forwards only: day (UTC) on or before which the deposit must be received.",
    ).optional(),
  })
  .meta({ id: "ConfirmedTrade", description: "A trade that has just been booked, and where its funds go." });

const uri = (description: string) => z.string().optional().meta({ description, format: "uri" });

export const BookedTrade = z
  .object({
    trade_id: tradeId,
    trade_type: openEnum(tradeTypes).meta({
      description: "Kind of trade; a drawdown takes a part of its parent trade.",
    }),
    status: TradeStatus.meta({
      description: "How far the trade is: created, funded, paid out, closed or cancelled.",
    }),
    buy_currency: textField("Currency that the client buys, as an ISO 4217 code."),
    buy_amount: z.number().meta({ description: "Amount that the client buys, in buy_currency." }),
    sell_currency: textField("Currency that the client sells, as an ISO 4217 code."),
    sell_amount: z.number().meta({ description: "Amount that the client sells, in sell_currency." }),
    rate: z.number().meta({ description: "Rate at which the trade was booked, of the pair in rate_symbol." }),
    rate_symbol: textField("Currency pair of the rate: for EURUSD it is the price of one EUR in USD."),
    parent_trade_id: z
      .string()
      .nullable()
      .meta({ description: "For drawdowns, the trade they take a part of; null where there is none." }),
    order_date: day("Order date", "Day the trade was ordered."),
    maturity_date: maturityDate,
    beneficiaries: z.array(z.string()).meta({ description: "Names of those whom the trade pays." }),
    fee_currency: textField("Currency of fee_amount, as an ISO 4217 code."),
    fee_amount: z.number().meta({ description: "Fee for the trade, in fee_currency." }),
    synthetic: z.boolean().meta({ description: "Whether it is a synthetic trade of future contracts." }),
    trade_receipt: uri("URL of the receipt for the trade."),
    reference: z
      .string()
      .optional()
      .meta({ description: "Additional reference, such as an invoice number." }),
  })
  .meta({ id: "BookedTrade", description: "A trade as it was booked, and how far it is." });

export const ExtendedBookedTrade = BookedTrade.extend({
  payments: z
    .array(
      z.object({
        payment_id: z.string().optional().meta({ description: "Identifies the payment to the service." }),
        amount: z.number().optional().meta({
          description: "Amount that is paid; no field of the payment names its currency.",
        }),
        beneficiary_name: z.string().optional().meta({ description: "Name of the one who is paid." }),
        payment_instruction: uri("URL of the document that instructs the payment."),
        payment_receipt: uri("URL of the receipt for the payment."),
        status: TradePaymentStatus.optional().meta({
          description: "How far the payment is; complete, rejected and cancelled are final.",
        }),
        url: uri("URL of the payment itself."),
      }),
    )
    .optional()
    .meta({ description: "Payments of the trade; only there with response_model ExtendedBookedTrade." }),
}).meta({
  id: "ExtendedBookedTrade",
  description: "A booked trade with its payments, where they were asked for.",
});

const operation = section({ server: "service", credentials });

export const bookTrade = operation({
  name: "trades.book",
  tool: "book_trade",
  title: "Book trade",
  summary:
    "Books (executes) an FX deal at the price of a quote: buys, sells, exchanges or converts one currency into another (USD or GBP into euros); locks in the rate.",
  notes: "Hedges with a forward, or draws it down. not_related_to_goods_or_services is for spot trades only.",
  effect: "money",
  method: "POST",
  path: "/trades",
  query: { quote_id: id("Quote ID", "The quote to book."), client_id: clientId },
  body: NewTrade,
  responses: { 201: json(ConfirmedTrade, "The trade is booked.") },
  errors: {
    400: [meaning[400], ErrorMessage],
    401: meaning[401],
    403: [meaning[403], ErrorMessage],
    404: "Client or quote ID not found.",
    409: ["A conflict that can be corrected; see the details.", ErrorMessage],
    502: [meaning[502], ErrorMessage],
  },
  identifiedBy: "trade_id",
  lookup: "trades.list",
  recovery: {
    kind: "listed",
    reference: "reference",
    entry: { reference: "reference", day: "order_date", identity: "trade_id" },
  },
  makes: { reference: "reference" },
  singleUse: "quote_id",
  contract: "26",
});

export const listTrades = operation({
  name: "trades.list",
  tool: "list_trades",
  title: "List trades",
  summary:
    "Lists all FX (currency) trades of the client (deal blotter): conversions from one to another, contracts, hedges; spot, forwards, drawdowns, NDFs.",
  notes: "With rates, maturity and settlement, open or not.",
  effect: "read",
  method: "GET",
  path: "/trades",
  query: {
    client_id: clientId,
    trade_type: commaSeparated(
      z
        .array(TradeType)
        .optional()
        .meta({ title: "Trade types", description: "Only trades of these types." }),
    ),
    parent_trade_id: id("Parent trade ID", "Only drawdowns of this trade.").optional(),
    page: page.default(1),
    page_size: pageSize.default(50),
  },
  pages: { page: "page", size: "page_size", defaultSize: 50 },
  responses: { 200: json(z.array(BookedTrade), "Trades of the client.") },
  errors: {
    400: meaning[400],
    401: meaning[401],
    403: meaning[403],
    404: "Client or quote ID not found.",
    502: meaning[502],
  },
  contract: "27",
});

export const getTrade = operation({
  name: "trades.get",
  tool: "get_trade",
  title: "Get trade",
  summary:
    "Returns the details of one trade (deal): status, rate, confirmation, when it settles (value date), amounts.",
  effect: "read",
  method: "GET",
  path: "/trades/{trade_id}",
  parameters: { trade_id: TradeId },
  query: {
    client_id: clientId,
    response_model: z
      .enum(["BookedTrade", "ExtendedBookedTrade"])
      .optional()
      .meta({ title: "Response model", description: "ExtendedBookedTrade adds its payments." }),
  },
  responses: { 200: json(ExtendedBookedTrade, "The trade.") },
  errors: {
    400: meaning[400],
    401: meaning[401],
    403: meaning[403],
    404: "Client or trade ID not found.",
    502: meaning[502],
  },
  contract: "28",
});

export const trades = [bookTrade, listTrades, getTrade] as const;
