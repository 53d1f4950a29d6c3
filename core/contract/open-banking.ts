/** Accounts, balances and transactions under a consent. Contract: account information, rows 8 to 11. */
import { z } from "zod";
import { optionalText, textField } from "../values/response-fields";
import { day, id, openEnum } from "../values/values";
import {
  accountDescriptions,
  AccountReference,
  Amount,
  Balance,
  bicOf,
  Links,
  ownerNames,
  psuName,
} from "../values/xs2a";
import { json, section, orText } from "../spec/declare";
import { accountErrors as errors, responseHeaders, consentHeaders, credentials, headers } from "./xs2a";

const ResourceId = id("Account ID", "`resourceId` from openBanking.listAccounts.");

const bic = (whose: string) => z.string().optional().meta(bicOf(whose));
const account = (description: string) => AccountReference.optional().meta({ description });
const links = (description: string) => Links.optional().meta({ description });
const date = (title: string, description: string) => day(title, description).optional();

const withBalance = z
  .boolean()
  .optional()
  .meta({ title: "With balance", description: "Adds balances, if consented." });

const balances = z
  .array(Balance)
  .optional()
  .meta({ description: "Balances; present if withBalance is true and the consent covers them." });

export const OpenBankingAccount = z
  .object({
    resourceId: optionalText("Account ID to pass as account-id."),
    iban: optionalText(accountDescriptions.iban),
    bban: optionalText(accountDescriptions.bban),
    msisdn: optionalText(accountDescriptions.msisdn),
    currency: textField("ISO 4217 code; `XXX` for a multi-currency account."),
    ownerName: optionalText(
      "Legal account owner, such as the company; may require a consent to owner names.",
    ),
    ownerNames,
    psuName,
    name: optionalText("Account name as agreed with its owner."),
    displayName: optionalText("Display name that the person gave the account."),
    product: optionalText("Product name of the account."),
    cashAccountType: optionalText(accountDescriptions.cashAccountType),
    status: openEnum(["enabled", "deleted", "blocked"])
      .optional()
      .meta({ description: "Account status; `deleted` means closed, absent means `enabled`." }),
    bic: bic("the bank that holds the account"),
    linkedAccounts: optionalText("Cash account to which a card account's pending transactions belong."),
    usage: openEnum(["PRIV", "ORGA"])
      .optional()
      .meta({ description: "Usage: `PRIV` private, `ORGA` professional." }),
    details: optionalText("Further details of the account or card."),
    balances,
    _links: links("Links to the account's balances and transactions, if the consent covers them."),
  })
  .meta({ id: "OpenBankingAccount", description: "An account that a consent covers." });

const ExchangeRate = z
  .object({
    sourceCurrency: textField("Source currency, ISO 4217 code."),
    exchangeRate: textField("Exchange rate as a decimal string: price of one unit of unitCurrency."),
    unitCurrency: textField("Unit currency, ISO 4217 code: EUR if 1 EUR = 1.08 USD."),
    targetCurrency: textField("Target currency, ISO 4217 code."),
    quotationDate: day("Quotation date", "Date of the rate."),
    contractIdentification: optionalText("ID of the foreign exchange contract, if any."),
  })
  .meta({ id: "ExchangeRate", description: "An exchange rate that was applied." });

/** Fields shared by transactions and the parts of a batch. */
const entry = {
  endToEndId: optionalText("End-to-end reference of the payment."),
  mandateId: optionalText("Mandate ID of a direct debit, such as a SEPA mandate."),
  checkId: optionalText("Cheque number."),
  creditorId: optionalText("Creditor identifier, such as a SEPA creditor identifier."),
  transactionAmount: Amount.meta({ description: "Amount; negative for a debit." }),
  currencyExchange: z
    .array(ExchangeRate)
    .optional()
    .meta({ description: "Exchange rates applied; absent without a conversion." }),
  creditorName: optionalText("Name of the creditor."),
  creditorAccount: account("Account of the creditor."),
  creditorAgent: bic("the creditor's bank"),
  ultimateCreditor: optionalText("Name of the ultimate creditor, if different from the creditor."),
  debtorName: optionalText("Name of the debtor."),
  debtorAccount: account("Account of the debtor."),
  debtorAgent: bic("the debtor's bank"),
  ultimateDebtor: optionalText("Name of the ultimate debtor, if different from the debtor."),
  remittanceInformationUnstructured: optionalText("Unstructured remittance information."),
  remittanceInformationUnstructuredArray: z
    .array(z.string())
    .optional()
    .meta({ description: "Unstructured remittance information in several lines." }),
  purposeCode: optionalText("ISO 20022 ExternalPurpose1Code, such as SALA for a salary."),
};

const RemittanceInformation = z
  .object({
    reference: textField("Reference, such as an invoice number."),
    referenceType: optionalText("Type of the reference."),
    referenceIssuer: optionalText("Issuer of the reference."),
  })
  .meta({ id: "RemittanceInformation", description: "Structured remittance information." });

const remittances = z
  .array(RemittanceInformation)
  .optional()
  .meta({ description: "Structured remittance information, several references." });

const StandingOrder = z
  .object({
    startDate: day("Start date", "Start date of the standing order."),
    frequency: textField("ISO 20022 EventFrequency7Code, such as Monthly."),
    endDate: date("End date", "End date of the standing order, if any."),
    executionRule: optionalText(
      "`following` or `preceding`: business day used when the execution day is a holiday.",
    ),
    withinAMonthFlag: z.boolean().optional().meta({
      description:
        "Monthly only: true if the execution day must stay within the month, whatever executionRule says.",
    }),
    monthsOfExecution: z
      .array(z.string())
      .optional()
      .meta({ description: "Frequency MonthlyVariable only: months of execution, 1 to 12." }),
    multiplicator: z.int().optional().meta({
      description: "Multiple of the frequency: Weekly with 3 means every three weeks.",
    }),
    dayOfExecution: optionalText("Day of the month, 1 to 31 without leading zero; 31 means the last day."),
    limitAmount: Amount.optional().meta({ description: "Maximum amount, if any." }),
  })
  .meta({ id: "StandingOrder", description: "Terms of a standing order." });

export const OpenBankingTransaction = z
  .object({
    transactionId: optionalText("Transaction ID."),
    entryReference: optionalText(
      "Entry reference; pass it as entryReferenceFrom to read later entries only.",
    ),
    batchIndicator: z.boolean().optional().meta({ description: "True if the entry is a batch." }),
    batchNumberOfTransactions: z
      .int()
      .optional()
      .meta({ description: "Number of transactions in the batch; only if batchIndicator is true." }),
    bookingDate: date("Booking date", "Booking date."),
    valueDate: date("Value date", "Value date; the expected one while the entry is pending."),
    ...entry,
    remittanceInformationStructured: optionalText("Structured remittance information as one text."),
    remittanceInformationStructuredArray: remittances,
    entryDetails: z
      .array(
        z.object({
          ...entry,
          remittanceInformationStructured: RemittanceInformation.optional(),
          remittanceInformationStructuredArray: remittances,
        }),
      )
      .optional()
      .meta({ description: "Transactions of the batch." }),
    additionalInformation: optionalText("Further details of the entry, for display."),
    additionalInformationStructured: z
      .object({ standingOrderDetails: StandingOrder })
      .optional()
      .meta({ description: "The standing order; only if bookingStatus is `information`." }),
    bankTransactionCode: optionalText(
      "ISO 20022 bank transaction code: domain, family and sub-family with hyphens, such as PMNT-RDDT-ESDD.",
    ),
    proprietaryBankTransactionCode: optionalText("Proprietary bank transaction code, as in MT940."),
    balanceAfterTransaction: Balance.optional().meta({ description: "Balance after the entry." }),
    _links: links("Links; `transactionDetails` leads to further details."),
  })
  .meta({ id: "OpenBankingTransaction", description: "An entry on an account, or a standing order." });

const entries = (description: string) => z.array(OpenBankingTransaction).optional().meta({ description });

export const AccountList = z
  .object({
    accounts: z
      .array(OpenBankingAccount)
      .meta({ description: "Accounts, with balances if withBalance is true." }),
  })
  .meta({ id: "AccountList", description: "Accounts that a consent covers." });

export const AccountResponse = z
  .object({ account: OpenBankingAccount })
  .meta({ id: "AccountAnswer", description: "An account that a consent covers." });

const reportedAccount = account("The account.");

export const AccountBalances = z
  .object({
    account: reportedAccount,
    balances: z.array(Balance).meta({ description: "Balances, one per balanceType." }),
  })
  .meta({ id: "AccountBalances", description: "Balances of an account that a consent covers." });

export const AccountReport = z
  .object({
    account: reportedAccount,
    transactions: z
      .object({
        booked: entries("Booked entries; absent if bookingStatus excludes them."),
        pending: entries("Pending entries; absent if bookingStatus excludes them."),
        information: entries("Active standing orders; only if bookingStatus is `information`."),
        _links: Links.meta({
          description: "Links to the account and to other pages: first, previous, next and last.",
        }),
      })
      .optional()
      .meta({ description: "Entries by booking status." }),
    balances,
    _links: links("Links; `download` leads to the report if it is too large for this response."),
  })
  .meta({ id: "AccountReport", description: "The transactions of an account." });

const parameters = { "account-id": ResourceId };

/** Media types of a statement, which replaces the list. */
const statementTypes = ["application/xml", "text/plain"] as const;

const operation = section({
  section: { title: "Open banking", icon: "open-banking.svg", category: "fxdesk open banking", order: 11 },
  server: "xs2a",
  credentials,
  errors,
});

export const listOpenBankingAccounts = operation({
  name: "openBanking.listAccounts",
  tool: "list_open_banking_accounts",
  title: "List open-banking accounts",
  summary:
    "Lists the accounts that a consent covers, optionally with balances. For the client's accounts without a consent, use accounts.list.",
  keywords: ["PSD2", "AIS", "connected", "linked", "house bank", "Konten", "Hausbank"],
  effect: "read",
  method: "GET",
  path: "/v1/accounts",
  quotaBound: true,
  query: { withBalance },
  headers: { ...headers, ...consentHeaders },
  responses: { 200: json(AccountList, "The accounts.", responseHeaders) },
  contract: "A8",
});

export const getOpenBankingAccount = operation({
  name: "openBanking.getAccount",
  tool: "get_open_banking_account",
  title: "Get open-banking account",
  summary: "Returns one account that a consent covers: owner, name, IBAN, type and currency.",
  keywords: ["PSD2", "AIS", "connected", "linked", "house bank", "Konto", "Hausbank"],
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}",
  quotaBound: true,
  parameters,
  query: { withBalance },
  headers: { ...headers, ...consentHeaders },
  responses: { 200: json(AccountResponse, "The account.", responseHeaders) },
  contract: "A9",
});

export const listOpenBankingBalances = operation({
  name: "openBanking.listBalances",
  tool: "list_open_banking_balances",
  title: "List open-banking balances",
  summary: "Lists the balances of one account that a consent covers, by balance type.",
  keywords: ["PSD2", "AIS", "closing", "available", "house bank", "Salden", "Kontostand", "Hausbank"],
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}/balances",
  quotaBound: true,
  parameters,
  headers: { ...headers, ...consentHeaders },
  responses: { 200: json(AccountBalances, "The balances.", responseHeaders) },
  contract: "A10",
});

export const listOpenBankingTransactions = operation({
  name: "openBanking.listTransactions",
  tool: "list_open_banking_transactions",
  title: "List open-banking transactions",
  summary: "Lists the transactions of one account that a consent covers, as JSON, camt.053 or MT940.",
  keywords: ["PSD2", "AIS", "pending", "booked", "house bank", "Umsätze", "Buchungen", "Hausbank"],
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}/transactions",
  quotaBound: true,
  parameters,
  query: {
    dateFrom: date("Date from", "First booking date."),
    dateTo: date("Date to", "Last booking date; default today."),
    entryReferenceFrom: z.string().optional().meta({
      title: "Entry reference from",
      description: "Only entries after this reference.",
    }),
    bookingStatus: z.enum(["information", "booked", "pending", "both", "all"]).meta({
      title: "Booking status",
      description: "both: booked and pending; information: standing orders.",
    }),
    deltaList: z
      .boolean()
      .optional()
      .meta({ title: "Delta list", description: "Only entries since the last call." }),
    withBalance,
    page: z.int().min(0).optional().meta({ title: "Page", description: "Page number, starting at 0." }),
  },
  headers: {
    ...headers,
    ...consentHeaders,
    Accept: z
      .enum(["application/json", ...statementTypes])
      .optional()
      .meta({
        title: "Format",
        description: "application/xml for camt.053, text/plain for MT940.",
      }),
  },
  rules: [
    {
      kind: "needed-unless",
      fields: ["dateFrom"],
      unless: { entryReferenceFrom: "given", deltaList: ["true"], bookingStatus: ["information"] },
      description:
        "dateFrom is required without entryReferenceFrom, deltaList or bookingStatus `information`.",
    },
    { kind: "ordered", fields: ["dateFrom", "dateTo"], description: "dateFrom must not be after dateTo." },
  ],
  linkedPages: {
    entries: ["transactions.booked", "transactions.pending", "transactions.information"],
    next: "transactions._links.next",
  },
  responses: {
    200: orText(json(AccountReport, "The transactions.", responseHeaders), {
      mediaTypes: statementTypes,
      field: "Accept",
      values: statementTypes,
    }),
  },
  contract: "A11",
});

export const openBanking = [
  listOpenBankingAccounts,
  getOpenBankingAccount,
  listOpenBankingBalances,
  listOpenBankingTransactions,
] as const;
