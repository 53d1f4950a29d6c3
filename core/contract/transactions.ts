/** Transactions of an account. Contract: endpoints 19 and 20. */
import { z } from "zod";
import { accountFields, nullishText, textField } from "../values/response-fields";
import { AccountId, minute, openEnum, page, pageSize, uuid } from "../values/values";
import { BalanceData, directedAmount } from "./accounts";
import { json, section } from "../spec/declare";
import { accountErrors, clientId, credentials, usualErrors, totalCount } from "./json-interface";

/** Documented types. Other values are accepted in responses. */
const transactionTypes = ["credit", "debit", "incoming", "margin", "payment_returned"] as const;
const TransactionType = openEnum(transactionTypes);

const Party = z
  .object({
    account_name: nullishText(accountFields.account_name),
    account_number: nullishText(accountFields.account_number),
    bank_identifier: nullishText(accountFields.bank_identifier),
    bank_identifier_code: nullishText("Type code of bank_identifier."),
    iban: nullishText(accountFields.iban),
    swift: nullishText(accountFields.bic),
  })
  .meta({ id: "TransactionParty", description: "Account of a creditor or debtor, as far as known." });

export const TransactionData = z
  .object({
    transaction_id: textField("UUID of the transaction, for transactions.get."),
    account_id: textField(accountFields.account_id),
    client_id: nullishText("ID of the client that holds the account."),
    ...directedAmount("Amount and currency.", "`Credit` for money in, `Debit` for money out."),
    status: openEnum(["Booked"])
      .nullish()
      .meta({ description: "Status of the transaction; only `Booked` is known." }),
    transaction_type: TransactionType.nullish().meta({
      description: "Transaction type, such as incoming funds, margin or a returned payment.",
    }),
    booking_datetime: nullishText("Booking time."),
    value_datetime: nullishText("Value time, which the time filters of transactions.list compare."),
    balance: BalanceData.nullish().meta({
      description: "Account balance reported with the transaction.",
    }),
    transaction_reference: nullishText("Transaction reference."),
    transaction_information: nullishText("Remittance information."),
    additional_transaction_information: nullishText("Additional remittance information."),
    creditor_name: nullishText("Creditor name, if given."),
    creditor_account: Party.nullish().meta({ description: "Creditor account, if given." }),
    debtor_name: nullishText("Debtor name, if given."),
    debtor_account: Party.nullish().meta({ description: "Debtor account, if given." }),
  })
  .meta({ id: "TransactionData", description: "A transaction on an account." });

const operation = section({
  section: {
    title: "Transactions",
    icon: "transactions.svg",
    category: "fxdesk transactions",
    daily: ["find", "get", "summarize", "reconcile", "watch"],
    advanced: "fxdesk accounts",
    order: 4,
  },
  server: "service",
});

export const listTransactions = operation({
  name: "transactions.list",
  tool: "list_transactions",
  title: "List transactions",
  summary:
    "Lists the transactions of one account, page by page. To search all accounts by amount, counterparty or text, use transactions.find.",
  keywords: ["history", "movements", "entries", "ledger", "Umsätze", "Buchungen"],
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/transactions",
  credentials,
  parameters: { account_id: AccountId },
  query: {
    client_id: clientId,
    credit_debit_indicator: z.enum(["credit", "debit"]).optional().meta({
      title: "Credit or debit",
      description: "Only incoming or only outgoing.",
    }),
    from_value_datetime: minute("After", "Only value times after this (UTC).", "before it").optional(),
    to_value_datetime: minute("Before", "Only value times before this (UTC).", "after it").optional(),
    transaction_type: TransactionType.optional().meta({
      title: "Transaction type",
      description: "Only this type, such as incoming or payment_returned.",
    }),
    page: page.default(1),
    page_size: pageSize.default(50),
  },
  rules: [
    {
      kind: "ordered",
      fields: ["from_value_datetime", "to_value_datetime"],
      description: "from_value_datetime must not be after to_value_datetime.",
    },
  ],
  pages: { page: "page", size: "page_size", defaultSize: 50, total: "x-total-count" },
  responses: { 200: json(z.array(TransactionData), "Transactions of the account.", totalCount) },
  errors: { ...accountErrors, ...usualErrors([], [504]) },
  contract: "19",
});

export const getTransaction = operation({
  name: "transactions.get",
  tool: "get_transaction",
  title: "Get transaction",
  summary: "Returns one transaction by its ID, with counterparty, reference and remittance information.",
  notes: "Works only if a contact ID is set in the connection settings.",
  keywords: ["entry", "booking", "Umsatz", "Buchung", "Verwendungszweck", "Gegenseite"],
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/transactions/{transaction_id}",
  credentials: ["accessToken", "contactId"],
  parameters: {
    account_id: AccountId,
    transaction_id: uuid("Transaction ID", "`transaction_id` from transactions.list."),
  },
  query: { client_id: clientId },
  responses: { 200: json(TransactionData, "The transaction.") },
  errors: { ...accountErrors, ...usualErrors([504]), 404: "Client ID, account or transaction not found." },
  contract: "20",
});

export const transactions = [listTransactions, getTransaction] as const;
