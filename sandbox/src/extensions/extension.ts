/**
 * Operations that the sandbox adds to the contract: the module that FXDESK_EXTENSIONS names. The loading client passes
 * in the declaration language, so that the module imports nothing at run time.
 */
import type * as language from "@fxdesk/toolkit/operations";
import type * as values from "@fxdesk/toolkit/schema";
import type { z as zod } from "zod";

type Toolkit = Pick<typeof language, "byConnection" | "file" | "json" | "operation"> &
  Pick<typeof values, "AmountText" | "ClientId" | "Currency" | "day" | "ErrorMessage" | "id"> & {
    readonly z: typeof zod;
  };

function createQuote(toolkit: Toolkit) {
  const { AmountText, byConnection, ClientId, Currency, day, ErrorMessage, id, json, operation, z } = toolkit;
  const Estimate = z.object({
    estimated_rate: z.number(),
    estimated_rate_symbol: z.string(),
    inverse_rate: z.number(),
    inverse_rate_symbol: z.string(),
    fee_amount: z.number(),
    fee_currency: z.string(),
    value_date: z.string(),
    warning: z.string().optional(),
  });

  const Quote = z.object({
    quote_id: z.string(),
    quoted_rate: z.number(),
    quoted_rate_symbol: z.string(),
    inverse_rate: z.number(),
    inverse_rate_symbol: z.string(),
    buy_amount: z.number(),
    buy_currency: z.string(),
    sell_amount: z.number(),
    sell_currency: z.string(),
    value_date: z.string(),
    book_trade: z.string(),
    warning: z.string().optional(),
  });

  return operation({
    name: "quotes.create",
    tool: "create_quote",
    title: "Create quote",
    summary: "Prices a trade: an estimate, or a quote that can be booked for a short while.",
    effect: "change",
    method: "POST",
    path: "/quotes",
    server: "service",
    credentials: ["accessToken", "contactId?"],
    query: {
      client_id: byConnection(ClientId, "clientId"),
      quote_type: z.enum(["estimate", "quote"]).default("quote"),
    },
    body: z.object({
      amount: z.union([z.number().positive(), AmountText]),
      operation: z.enum(["buy", "sell"]),
      buy_currency: Currency,
      sell_currency: Currency,
      trade_type: z.enum(["spot", "forward", "window_forward", "drawdown", "ndf"]).default("spot"),
      value_date: day(
        "Value date",
        "Value date; for a window forward, the last day of the window.",
      ).optional(),
      window_start_date: day(
        "Window start date",
        "Window forwards only: first day of the window.",
      ).optional(),
      parent_trade_id: id("Parent trade ID", "Drawdowns only: trade ID of the forward.").optional(),
    }),
    rules: [
      {
        kind: "needed-by",
        fields: ["parent_trade_id"],
        other: "trade_type",
        values: ["drawdown"],
        description: "A drawdown needs parent_trade_id.",
      },
      {
        kind: "ordered",
        fields: ["window_start_date", "value_date"],
        description: "window_start_date must not be after value_date.",
      },
    ],
    responses: { 200: json(Estimate, "An estimate."), 201: json(Quote, "A quote that can be booked.") },
    errors: {
      400: ["Formatting, parameter or schema validation error.", ErrorMessage],
      401: "Access denied due to authentication failure.",
      403: ["Action not completed due to data constraints.", ErrorMessage],
      404: "Client or parent trade ID not found.",
      409: ["There is a conflict that you can correct; see the error details.", ErrorMessage],
    },
    quotes: {
      status: 201,
      fixedFields: { quote_type: "quote" },
      requestFields: {
        amount: "amount",
        fixed_side: "operation",
        buy_currency: "buy_currency",
        sell_currency: "sell_currency",
        trade_type: "trade_type",
        value_date: "value_date",
        window_start_date: "window_start_date",
        parent_trade_id: "parent_trade_id",
      },
      responseFields: {
        quote_id: "quote_id",
        rate: "quoted_rate",
        rate_symbol: "quoted_rate_symbol",
        buy_amount: "buy_amount",
        buy_currency: "buy_currency",
        sell_amount: "sell_amount",
        sell_currency: "sell_currency",
        value_date: "value_date",
      },
      estimate: {
        fixedFields: { quote_type: "estimate" },
        responseFields: { rate: "estimated_rate", rate_symbol: "estimated_rate_symbol" },
      },
    },
    contract: "not shown",
  });
}

function getAvailability({ byConnection, ClientId, ErrorMessage, json, operation, z }: Toolkit) {
  return operation({
    name: "quotes.getAvailability",
    tool: "get_fx_availability",
    title: "Get FX availability",
    summary: "Returns whether quotes are available now.",
    effect: "read",
    method: "GET",
    path: "/quotes/fx-availability",
    server: "service",
    credentials: ["accessToken", "contactId?"],
    query: { client_id: byConnection(ClientId, "clientId") },
    responses: { 200: json(z.object({ fx_available: z.boolean() }), "Quote availability.") },
    errors: {
      400: ["Formatting, parameter or schema validation error.", ErrorMessage],
      401: "Access denied due to authentication failure.",
      403: ["Action not completed due to data constraints.", ErrorMessage],
      404: "Client not found.",
    },
    contract: "not shown",
  });
}

function getDocument({ ErrorMessage, file, id, operation, z }: Toolkit) {
  return operation({
    name: "documents.get",
    tool: "get_document",
    title: "Get document",
    summary: "Fetches a trade receipt, a payment instruction or a payment receipt.",
    effect: "read",
    method: "GET",
    path: "/documents/{document_type}/{document_id}",
    server: "service",
    credentials: ["accessToken"],
    parameters: {
      document_type: z.enum(["trade-receipts", "payment-instructions", "payment-receipts"]),
      document_id: id("Document ID", "ID of the trade or payment."),
    },
    responses: { 200: file("The document.") },
    errors: {
      400: ["Formatting, parameter or schema validation error.", ErrorMessage],
      401: "Access denied due to authentication failure.",
      404: ["The document is unknown.", ErrorMessage],
    },
    contract: "not shown",
  });
}

const extension = (toolkit: Toolkit) => ({
  operations: [createQuote(toolkit), getAvailability(toolkit), getDocument(toolkit)] as const,
});

export = extension;
