/** Transactions of an account. Contract: endpoints 19 and 20. */
import { z } from "zod";
import { accountFields, nullishText, textField } from "../schema/response-fields";
import { AccountId, minute, openEnum, page, pageSize, uuid } from "../schema/values";
import { BalanceData, directedAmount } from "./accounts";
import { json, section } from "../declaration/declare";
import {
  accountErrors,
  clientId,
  credentials,
  withErrorMessage,
  meaning,
  totalCount,
} from "./json-interface";

/** The types known today; a reader takes others too. */
const transactionTypes = ["credit", "debit", "incoming", "margin", "payment_returned"] as const;
const TransactionType = openEnum(transactionTypes);

const Party = z
  .object({
    account_name: nullishText(accountFields.account_name),
    account_number: nullishText(accountFields.account_number),
    bank_identifier: nullishText(accountFields.bank_identifier),
    bank_identifier_code: nullishText("Code that belongs to bank_identifier."),
    iban: nullishText(accountFields.iban),
    swift: nullishText(accountFields.bic),
  })
  .meta({ id: "TransactionParty", description: "An account that pays or is paid, as far as it is known." });

export const TransactionData = z
  .object({
    transaction_id: textField("UUID of the transaction, as transactions.get takes it."),
    account_id: textField(accountFields.account_id),
    client_id: nullishText("The client whose account it is."),
    ...directedAmount("What was moved, and its currency.", "Credit for money in, Debit for money out."),
    status: openEnum(["Booked"])
      .nullish()
      .meta({ description: "State of the transaction; Booked is the only one known." }),
    transaction_type: TransactionType.nullish().meta({
      description: "What moved the money, such as incoming funds, margin or a returned payment.",
    }),
    booking_datetime: nullishText("When the transaction was booked on the account."),
    value_datetime: nullishText(
      "From when the money counts; the time filters of transactions.list compare it.",
    ),
    balance: BalanceData.nullish().meta({
      description: "A balance of the account that goes with the transaction.",
    }),
    transaction_reference: nullishText("Reference that the transaction carries."),
    transaction_information: nullishText("What the transaction is about, in words."),
    additional_transaction_information: nullishText(
      "What else there is to know of the transaction, in words.",
    ),
    creditor_name: nullishText("Name of the one who is paid, where it is given."),
    creditor_account: Party.nullish().meta({ description: "Account that is paid, where it is given." }),
    debtor_name: nullishText("Name of the one who pays, where it is given."),
    debtor_account: Party.nullish().meta({ description: "Account that pays, where it is given." }),
  })
  .meta({ id: "TransactionData", description: "A movement of money on an account." });

const operation = section({ server: "service" });

export const listTransactions = operation({
  name: "transactions.list",
  tool: "list_transactions",
  title: "List transactions",
  summary:
    "Lists the transactions on one account by page: its history, activity, movements, last (recent) bookings, what went through it or was booked, ledger entries.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/transactions",
  credentials,
  parameters: { account_id: AccountId },
  query: {
    client_id: clientId,
    credit_debit_indicator: z
      .enum(["credit", "debit"])
      .optional()
      .meta({ title: "Credit or debit", description: "Only money in, or out." }),
    from_value_datetime: minute("After", "Value time after this, UTC.", "before it").optional(),
    to_value_datetime: minute("Before", "Value time before this, UTC.", "after it").optional(),
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
  errors: { ...accountErrors, 504: withErrorMessage(meaning[504]) },
  contract: "19",
});

export const getTransaction = operation({
  name: "transactions.get",
  tool: "get_transaction",
  title: "Get transaction",
  summary:
    "Returns one single transaction (ledger entry, item, booking) in full by its id, with all details: counterparty, reference, remittance information.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/transactions/{transaction_id}",
  credentials: ["accessToken", "contactId"],
  parameters: {
    account_id: AccountId,
    transaction_id: uuid("Transaction ID", "As transaction_id in transactions.list."),
  },
  query: { client_id: clientId },
  responses: { 200: json(TransactionData, "The transaction.") },
  errors: { ...accountErrors, 404: "Client ID, account or transaction not found.", 504: meaning[504] },
  contract: "20",
});

export const transactions = [listTransactions, getTransaction] as const;
