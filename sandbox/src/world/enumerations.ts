/** The enumerations of the contract that the domain works with, as the operations list them. */
import type { OperationValues } from "@fxdesk/toolkit/operations";

/** What an enumeration lists, without the texts that a service may add. */
type Listed<T> = T extends string ? (string extends T ? never : T) : never;

type Item<T> = T extends readonly (infer Each)[] ? Each : T;

type Values<Name extends keyof OperationValues, Field extends keyof OperationValues[Name]> = Listed<
  Item<OperationValues[Name][Field]>
>;

export type TransactionType = Values<"transactions.list", "transaction_type">;

export type TradeType = Values<"trades.list", "trade_type">;

export type BalanceType = Values<"accounts.listBalances", "balance_types">;

/** In which statements are written, as files to be fetched or to be sent by e-mail. */
export type StatementFormat =
  | Values<"statements.createFile", "format">
  | Values<"statements.emailAccounts", "format">;
