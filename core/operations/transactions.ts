/** Transactions of an account. Contract: endpoints 19 and 20. */
import { z } from "zod";
import { AccountId, minute, openEnum, page, pageSize, uuid } from "../schema/values";
import { BalanceData } from "./accounts";
import { json, operation } from "./declaration";
import { accountErrors, clientId, credentials, explained, meaning, totalCount } from "./service";

/** The types known today; a reader takes others too. */
export const transactionTypes = ["credit", "debit", "incoming", "margin", "payment_returned"] as const;
const TransactionType = openEnum(transactionTypes);

const Party = z
  .object({
    account_name: z.string().nullish(),
    account_number: z.string().nullish(),
    bank_identifier: z.string().nullish(),
    bank_identifier_code: z.string().nullish(),
    iban: z.string().nullish(),
    swift: z.string().nullish(),
  })
  .meta({ id: "TransactionParty" });

export const TransactionData = z
  .object({
    transaction_id: z.string(),
    account_id: z.string(),
    client_id: z.string().nullish(),
    amount: z.object({ amount: z.string(), currency: z.string() }),
    credit_debit_indicator: openEnum(["Credit", "Debit"]),
    status: openEnum(["Booked"]).nullish(),
    transaction_type: TransactionType.nullish(),
    booking_datetime: z.string().nullish(),
    value_datetime: z.string().nullish(),
    balance: BalanceData.nullish(),
    transaction_reference: z.string().nullish(),
    transaction_information: z.string().nullish(),
    additional_transaction_information: z.string().nullish(),
    creditor_name: z.string().nullish(),
    creditor_account: Party.nullish(),
    debtor_name: z.string().nullish(),
    debtor_account: Party.nullish(),
  })
  .meta({ id: "TransactionData" });

export const listTransactions = operation({
  name: "transactions.list",
  tool: "list_transactions",
  title: "List transactions",
  summary: "Lists the transactions of one account.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/transactions",
  server: "service",
  credentials,
  parameters: { account_id: AccountId },
  query: {
    client_id: clientId,
    credit_debit_indicator: z
      .enum(["credit", "debit"])
      .optional()
      .meta({ title: "Credit or debit", description: "Only money in, or only money out." }),
    from_value_datetime: minute("After", "Only with a value time after this, UTC.", "before it").optional(),
    to_value_datetime: minute("Before", "Only with a value time before this, UTC.", "after it").optional(),
    transaction_type: TransactionType.optional().meta({
      title: "Transaction type",
      description: "Only transactions of this type, such as incoming or payment_returned.",
    }),
    page: page.default(1),
    page_size: pageSize.default(50),
  },
  rules: [
    {
      kind: "ordered",
      fields: ["from_value_datetime", "to_value_datetime"],
      says: "from_value_datetime must not be after to_value_datetime.",
    },
  ],
  pages: { page: "page", size: "page_size", defaultSize: 50, total: "x-total-count" },
  answers: { 200: json(z.array(TransactionData), "Transactions of the account.", totalCount) },
  errors: { ...accountErrors, 504: explained(meaning[504]) },
  contract: "19",
});

export const getTransaction = operation({
  name: "transactions.get",
  tool: "get_transaction",
  title: "Get transaction",
  summary: "Returns one transaction.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/transactions/{transaction_id}",
  server: "service",
  credentials: ["accessToken", "contactId"],
  parameters: {
    account_id: AccountId,
    transaction_id: uuid("Transaction ID", "As transaction_id in transactions.list."),
  },
  query: { client_id: clientId },
  answers: { 200: json(TransactionData, "The transaction.") },
  errors: { ...accountErrors, 404: "Client ID, account or transaction not found.", 504: meaning[504] },
  contract: "20",
});

export const transactions = [listTransactions, getTransaction] as const;
