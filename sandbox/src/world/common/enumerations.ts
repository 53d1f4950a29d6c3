/** Enumerations of the contract that the domain uses, derived from the operations. */
import type { OperationValues } from "@fxdesk/toolkit/operations";
import type * as schema from "@fxdesk/toolkit/schema";
import type { z } from "zod";

/** Literal members of an enumeration, without the `string` that allows future values. */
type KnownLiterals<T> = T extends string ? (string extends T ? never : T) : never;

type Item<T> = T extends readonly (infer Each)[] ? Each : T;

type Values<Name extends keyof OperationValues, Field extends keyof OperationValues[Name]> = KnownLiterals<
  Item<OperationValues[Name][Field]>
>;

type SchemaValues<Schema extends z.ZodType> = KnownLiterals<z.output<Schema>>;

/** Members of an enumeration. A value that the enumeration lacks does not compile. */
export type Subset<All extends string, Some extends All> = Some;

export type TransactionType = Values<"transactions.list", "transaction_type">;

export type TradeType = Values<"trades.list", "trade_type">;

export type BalanceType = Values<"accounts.listBalances", "balance_types">;

/** File and e-mail formats of statements. */
export type StatementFormat =
  | Values<"statements.createFile", "format">
  | Values<"statements.emailAccounts", "format">;

export type TradeStatus = SchemaValues<typeof schema.TradeStatus>;

export type TradePaymentStatus = SchemaValues<typeof schema.TradePaymentStatus>;

export type AccountDetailsStatus = SchemaValues<typeof schema.AccountDetailsStatus>;

export type ConsentStatus = SchemaValues<typeof schema.ConsentStatus>;

export type ScaStatus = SchemaValues<typeof schema.ScaStatus>;

/** Status of an open-banking payment. */
export type TransactionStatus = SchemaValues<typeof schema.TransactionStatus>;

export type ExecutionRule = NonNullable<Values<"payments.initiate", "executionRule">>;

export type BookingStatus = Values<"openBanking.listTransactions", "bookingStatus">;
