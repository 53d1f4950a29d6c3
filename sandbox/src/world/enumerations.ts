/** The enumerations of the contract that the domain works with, as the operations list them. */
import type { OperationValues } from "@fxdesk/toolkit/operations";
import type * as schema from "@fxdesk/toolkit/schema";
import type { z } from "zod";

/** What an enumeration lists, without the texts that a service may add. */
type Listed<T> = T extends string ? (string extends T ? never : T) : never;

type Item<T> = T extends readonly (infer Each)[] ? Each : T;

type Values<Name extends keyof OperationValues, Field extends keyof OperationValues[Name]> = Listed<
  Item<OperationValues[Name][Field]>
>;

type In<Schema extends z.ZodType> = Listed<z.output<Schema>>;

/** Those of an enumeration that are spoken of: what it does not list does not compile. */
export type Among<All extends string, Some extends All> = Some;

export type TransactionType = Values<"transactions.list", "transaction_type">;

export type TradeType = Values<"trades.list", "trade_type">;

export type BalanceType = Values<"accounts.listBalances", "balance_types">;

/** In which statements are written, as files to be fetched or to be sent by e-mail. */
export type StatementFormat =
  | Values<"statements.createFile", "format">
  | Values<"statements.emailAccounts", "format">;

export type TradeStatus = In<typeof schema.TradeStatus>;

export type TradePaymentStatus = In<typeof schema.TradePaymentStatus>;

export type AccountDetailsStatus = In<typeof schema.AccountDetailsStatus>;

export type ConsentStatus = In<typeof schema.ConsentStatus>;

export type ScaStatus = In<typeof schema.ScaStatus>;

/** Of a payment of the open-banking interfaces. */
export type TransactionStatus = In<typeof schema.TransactionStatus>;

export type ExecutionRule = NonNullable<Values<"payments.initiate", "executionRule">>;

export type BookingStatus = Values<"openBanking.listTransactions", "bookingStatus">;
