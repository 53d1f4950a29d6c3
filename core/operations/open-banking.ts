/** Accounts, balances and transactions under a consent. Contract: account information, rows 8 to 11. */
import { z } from "zod";
import { day, id, openEnum } from "../schema/values";
import { AccountOwner, AccountReference, Amount, Balance, Links } from "../schema/xs2a";
import { json, operation, orText } from "./declaration";
import { accountErrors as errors, answerHeaders, consent, credentials, headers } from "./xs2a";

const ResourceId = id("Account ID", "As resourceId in openBanking.listAccounts.");

const text = z.string().optional();
const date = (title: string, description: string) => day(title, description).optional();

const withBalance = z
  .boolean()
  .optional()
  .meta({ title: "With balance", description: "Balances too, where the consent covers them." });

export const OpenBankingAccount = z
  .object({
    resourceId: text,
    iban: text,
    bban: text,
    msisdn: text,
    currency: z.string(),
    ownerName: text,
    ownerNames: z.array(AccountOwner).optional(),
    psuName: text,
    name: text,
    displayName: text,
    product: text,
    cashAccountType: text,
    status: openEnum(["enabled", "deleted", "blocked"]).optional(),
    bic: text,
    linkedAccounts: text,
    usage: openEnum(["PRIV", "ORGA"]).optional(),
    details: text,
    balances: z.array(Balance).optional(),
    _links: Links.optional(),
  })
  .meta({ id: "OpenBankingAccount" });

const ExchangeRate = z
  .object({
    sourceCurrency: z.string(),
    exchangeRate: z.string(),
    unitCurrency: z.string(),
    targetCurrency: z.string(),
    quotationDate: day("Quotation date", "Day of the rate."),
    contractIdentification: text,
  })
  .meta({ id: "ExchangeRate" });

/** What an entry on the account and each part of a batch say alike. */
const entry = {
  endToEndId: text,
  mandateId: text,
  checkId: text,
  creditorId: text,
  transactionAmount: Amount.meta({ description: "Negative when the account is debited." }),
  currencyExchange: z.array(ExchangeRate).optional(),
  creditorName: text,
  creditorAccount: AccountReference.optional(),
  creditorAgent: text,
  ultimateCreditor: text,
  debtorName: text,
  debtorAccount: AccountReference.optional(),
  debtorAgent: text,
  ultimateDebtor: text,
  remittanceInformationUnstructured: text,
  remittanceInformationUnstructuredArray: z.array(z.string()).optional(),
  purposeCode: text,
};

const RemittanceInformation = z
  .object({ reference: z.string(), referenceType: text, referenceIssuer: text })
  .meta({ id: "RemittanceInformation" });

const remittances = z.array(RemittanceInformation).optional();

const StandingOrder = z
  .object({
    startDate: day("Start date", "First day."),
    frequency: z.string(),
    endDate: date("End date", "Last day."),
    executionRule: text,
    withinAMonthFlag: z.boolean().optional(),
    monthsOfExecution: z.array(z.string()).optional(),
    multiplicator: z.int().optional(),
    dayOfExecution: text,
    limitAmount: Amount.optional(),
  })
  .meta({ id: "StandingOrder" });

export const OpenBankingTransaction = z
  .object({
    transactionId: text,
    entryReference: text,
    batchIndicator: z.boolean().optional(),
    batchNumberOfTransactions: z.int().optional(),
    bookingDate: date("Booking date", "Day on which it was booked."),
    valueDate: date("Value date", "Day from which it counts."),
    ...entry,
    remittanceInformationStructured: text,
    remittanceInformationStructuredArray: remittances,
    entryDetails: z
      .array(
        z.object({
          ...entry,
          remittanceInformationStructured: RemittanceInformation.optional(),
          remittanceInformationStructuredArray: remittances,
        }),
      )
      .optional(),
    additionalInformation: text,
    additionalInformationStructured: z.object({ standingOrderDetails: StandingOrder }).optional(),
    bankTransactionCode: text,
    proprietaryBankTransactionCode: text,
    balanceAfterTransaction: Balance.optional(),
    _links: Links.optional(),
  })
  .meta({ id: "OpenBankingTransaction" });

const transactions = z.array(OpenBankingTransaction).optional();

export const AccountList = z.object({ accounts: z.array(OpenBankingAccount) }).meta({ id: "AccountList" });

export const AccountAnswer = z.object({ account: OpenBankingAccount }).meta({ id: "AccountAnswer" });

export const AccountBalances = z
  .object({ account: AccountReference.optional(), balances: z.array(Balance) })
  .meta({ id: "AccountBalances" });

export const AccountReport = z
  .object({
    account: AccountReference.optional(),
    transactions: z
      .object({ booked: transactions, pending: transactions, information: transactions, _links: Links })
      .optional(),
    balances: z.array(Balance).optional(),
    _links: Links.optional(),
  })
  .meta({ id: "AccountReport" });

const parameters = { "account-id": ResourceId };

/** Media types in which a statement comes instead of a list. */
const statementTypes = ["application/xml", "text/plain"] as const;

export const listOpenBankingAccounts = operation({
  name: "openBanking.listAccounts",
  tool: "list_open_banking_accounts",
  title: "List open-banking accounts",
  summary: "Lists the accounts a consent opens.",
  effect: "read",
  method: "GET",
  path: "/v1/accounts",
  server: "xs2a",
  metered: true,
  credentials,
  query: { withBalance },
  headers: { ...headers, ...consent },
  answers: { 200: json(AccountList, "The accounts.", answerHeaders) },
  errors,
  contract: "A8",
});

export const getOpenBankingAccount = operation({
  name: "openBanking.getAccount",
  tool: "get_open_banking_account",
  title: "Get open-banking account",
  summary: "Returns one account a consent opens.",
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}",
  server: "xs2a",
  metered: true,
  credentials,
  parameters,
  query: { withBalance },
  headers: { ...headers, ...consent },
  answers: { 200: json(AccountAnswer, "The account.", answerHeaders) },
  errors,
  contract: "A9",
});

export const listOpenBankingBalances = operation({
  name: "openBanking.listBalances",
  tool: "list_open_banking_balances",
  title: "List open-banking balances",
  summary: "Lists the balances of an account a consent opens.",
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}/balances",
  server: "xs2a",
  metered: true,
  credentials,
  parameters,
  headers: { ...headers, ...consent },
  answers: { 200: json(AccountBalances, "The balances.", answerHeaders) },
  errors,
  contract: "A10",
});

export const listOpenBankingTransactions = operation({
  name: "openBanking.listTransactions",
  tool: "list_open_banking_transactions",
  title: "List open-banking transactions",
  summary: "Lists the transactions of an account a consent opens.",
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}/transactions",
  server: "xs2a",
  metered: true,
  credentials,
  parameters,
  query: {
    dateFrom: date("Date from", "First booking day."),
    dateTo: date("Date to", "Last booking day; today when left out."),
    entryReferenceFrom: z
      .string()
      .optional()
      .meta({ title: "Entry reference from", description: "Only what came after this entryReference." }),
    bookingStatus: z.enum(["information", "booked", "pending", "both", "all"]).meta({
      title: "Booking status",
      description: "both: booked and pending; information: standing orders.",
    }),
    deltaList: z
      .boolean()
      .optional()
      .meta({ title: "Delta list", description: "Only what came after the last call." }),
    withBalance,
    page: z
      .int()
      .min(0)
      .optional()
      .meta({ title: "Page", description: "From 0; the links next and previous lead to others." }),
  },
  headers: {
    ...headers,
    ...consent,
    Accept: z
      .enum(["application/json", ...statementTypes])
      .optional()
      .meta({
        title: "Format",
        description: "What is booked, as a statement: application/xml is camt.053, text/plain is MT940.",
      }),
  },
  rules: [
    {
      kind: "needed-unless",
      fields: ["dateFrom"],
      unless: { entryReferenceFrom: "given", deltaList: ["true"], bookingStatus: ["information"] },
      says: "dateFrom is needed unless entryReferenceFrom or deltaList is given or bookingStatus is information.",
    },
    { kind: "ordered", fields: ["dateFrom", "dateTo"], says: "dateFrom must not be after dateTo." },
  ],
  linkedPages: {
    entries: ["transactions.booked", "transactions.pending", "transactions.information"],
    next: "transactions._links.next",
  },
  answers: {
    200: orText(json(AccountReport, "The transactions.", answerHeaders), {
      mediaTypes: statementTypes,
      field: "Accept",
      values: statementTypes,
    }),
  },
  errors,
  contract: "A11",
});

export const openBanking = [
  listOpenBankingAccounts,
  getOpenBankingAccount,
  listOpenBankingBalances,
  listOpenBankingTransactions,
] as const;
