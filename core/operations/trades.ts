/** Trades: booking one from a quote, and reading what was booked. Contract: endpoints 26 to 28. */
import { z } from "zod";
import { ErrorMessage } from "../schema/messages";
import { day, id, openEnum, page, pageSize } from "../schema/values";
import { commaSeparated, json, operation } from "./declaration";
import { clientId, meaning } from "./service";

/** The trade endpoints also declare the API-key scheme. Contract: Authentication, 4. */
const credentials = ["accessToken", "apiKey", "contactId?"] as const;

const TradeId = id("Trade ID", "As trade_id in trades.list.");

const tradeTypes = ["spot", "forward", "window_forward", "drawdown", "ndf"] as const;
const TradeType = z.enum(tradeTypes);

/** Contract: States and transitions. */
export const TradeStatus = openEnum([
  "Created",
  "Funds In Partially",
  "Funds in Full",
  "Funds Out Partially Allocated",
  "Funds Out Full Allocated",
  "Closed",
  "Cancelled",
]);

/** Contract: States and transitions. */
export const PaymentStatus = openEnum([
  "Need more beneficiary information",
  "Validating beneficiary information",
  "Waiting for payment date",
  "Payment complete",
  "Executing Payment",
  "Payment pending of authorization",
  "Payment rejected",
  "Payment cancelled",
]);

export const NewTrade = z
  .object({
    trade_type: z.string().optional().meta({ title: "Trade type", description: "Ignored; deprecated." }),
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
        description: "Why the trade is made. not_related_to_goods_or_services is only for spot trades.",
      }),
    reference: z
      .string()
      .optional()
      .meta({ title: "Reference", description: "Free reference for the trade, such as an invoice number." }),
  })
  .meta({ id: "NewTrade" });

const BankAccount = z.object({
  account_number: z.string(),
  iban: z.string(),
  swift_code: z.string(),
  bank_identifier: z.string(),
  bank_identifier_type: z.string(),
  bank_name: z.string(),
  bank_address_line_1: z.string(),
  bank_address_line_2: z.string(),
  bank_city: z.string(),
  bank_post_code: z.string(),
});

export const ConfirmedTrade = z
  .object({
    trade_id: z.string().meta({ description: "Trade identifier." }),
    bank_account: BankAccount.meta({ description: "Account to which the funds are sent." }),
    maturity_date: day("Maturity date", "Limit (UTC) by which the funds must be received."),
    initial_margin_amount: z.number().optional().meta({ description: "Forwards only: deposit amount." }),
    initial_margin_due_date: day(
      "Initial margin due date",
      "Forwards only: date (UTC) on or before which the deposit must be received.",
    ).optional(),
  })
  .meta({ id: "ConfirmedTrade" });

export const BookedTrade = z
  .object({
    trade_id: z.string(),
    trade_type: openEnum(tradeTypes),
    status: TradeStatus,
    buy_currency: z.string(),
    buy_amount: z.number(),
    sell_currency: z.string(),
    sell_amount: z.number(),
    rate: z.number().meta({ description: "Booked rate." }),
    rate_symbol: z.string().meta({ description: "Symbol of the booked rate." }),
    parent_trade_id: z.string().nullable().meta({ description: "Parent trade; not null for drawdowns." }),
    order_date: day("Order date", "Day the trade was ordered."),
    maturity_date: day("Maturity date", "Limit (UTC) by which funds must be received."),
    beneficiaries: z.array(z.string()).meta({ description: "Beneficiary names." }),
    fee_currency: z.string(),
    fee_amount: z.number(),
    synthetic: z.boolean().meta({ description: "Marks a synthetic future-contracts trade." }),
    trade_receipt: z.string().optional().meta({ description: "URL of the trade receipt.", format: "uri" }),
    reference: z
      .string()
      .optional()
      .meta({ description: "Additional reference, such as an invoice number." }),
  })
  .meta({ id: "BookedTrade" });

const uri = z.string().optional().meta({ format: "uri" });

export const ExtendedBookedTrade = BookedTrade.extend({
  payments: z
    .array(
      z.object({
        payment_id: z.string().optional(),
        amount: z.number().optional(),
        beneficiary_name: z.string().optional(),
        payment_instruction: uri,
        payment_receipt: uri,
        status: PaymentStatus.optional(),
        url: uri,
      }),
    )
    .optional(),
}).meta({ id: "ExtendedBookedTrade" });

export const bookTrade = operation({
  name: "trades.book",
  tool: "book_trade",
  title: "Book trade",
  summary: "Books a trade from an existing quote.",
  notes: "not_related_to_goods_or_services is accepted for spot trades only; the service checks it.",
  effect: "money",
  method: "POST",
  path: "/trades",
  server: "service",
  credentials,
  query: { quote_id: id("Quote ID", "The quote to book."), client_id: clientId },
  body: NewTrade,
  answers: { 201: json(ConfirmedTrade, "The trade is booked.") },
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
  spends: "quote_id",
  contract: "26",
});

export const listTrades = operation({
  name: "trades.list",
  tool: "list_trades",
  title: "List trades",
  summary: "Lists the trades of the client.",
  effect: "read",
  method: "GET",
  path: "/trades",
  server: "service",
  credentials,
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
  answers: { 200: json(z.array(BookedTrade), "Trades of the client.") },
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
  summary: "Returns one trade, with its payments when the extended model is asked for.",
  effect: "read",
  method: "GET",
  path: "/trades/{trade_id}",
  server: "service",
  credentials,
  parameters: { trade_id: TradeId },
  query: {
    client_id: clientId,
    response_model: z
      .enum(["BookedTrade", "ExtendedBookedTrade"])
      .optional()
      .meta({ title: "Response model", description: "ExtendedBookedTrade adds the payments of the trade." }),
  },
  answers: { 200: json(ExtendedBookedTrade, "The trade.") },
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
