/** Accounts, balances and transactions under a consent. Contract: account information, rows 8 to 11. */
import { z } from "zod";
import { day, id, openEnum } from "../schema/values";
import {
  accountDescriptions,
  AccountReference,
  Amount,
  Balance,
  bicOf,
  Links,
  ownerNames,
  psuName,
} from "../schema/xs2a";
import { json, section, orText } from "../declaration/declare";
import { accountErrors as errors, responseHeaders, consent, credentials, headers } from "./xs2a";

const ResourceId = id("Account ID", "As resourceId in openBanking.listAccounts.");

const text = (description: string) => z.string().optional().meta({ description });
const bic = (whose: string) => z.string().optional().meta(bicOf(whose));
const currency = (description: string) => z.string().meta({ description });
const account = (description: string) => AccountReference.optional().meta({ description });
const links = (description: string) => Links.optional().meta({ description });
const date = (title: string, description: string) => day(title, description).optional();

const withBalance = z.boolean().optional().meta({ title: "With balance", description: "Where consented." });

const balances = z
  .array(Balance)
  .optional()
  .meta({ description: "Present where withBalance asked for them and the consent covers them." });

export const OpenBankingAccount = z
  .object({
    resourceId: text("Identifier of the account in other calls, as account-id."),
    iban: text(accountDescriptions.iban),
    bban: text(accountDescriptions.bban),
    msisdn: text(accountDescriptions.msisdn),
    currency: currency("ISO 4217 code; XXX for an account in several currencies."),
    ownerName: text("Legal owner, such as the company; may need a consent to owners' names."),
    ownerNames,
    psuName,
    name: text("Name of the account that the service agreed on with its owner."),
    displayName: text("Name that the person gave the account."),
    product: text("What the service calls accounts of this kind."),
    cashAccountType: text(accountDescriptions.cashAccountType),
    status: openEnum(["enabled", "deleted", "blocked"])
      .optional()
      .meta({ description: "Whether it can be used; deleted means closed, and absent means enabled." }),
    bic: bic("the bank that holds the account"),
    linkedAccounts: text("Cash account of the card, where the account holds pending card transactions."),
    usage: openEnum(["PRIV", "ORGA"]).optional().meta({ description: "PRIV is private, ORGA professional." }),
    details: text("Further characteristics of the account or its card."),
    balances,
    _links: links("balances and transactions lead to those of the account, where the consent covers them."),
  })
  .meta({ id: "OpenBankingAccount", description: "An account that a consent opens." });

const ExchangeRate = z
  .object({
    sourceCurrency: currency("Currency that was converted, as ISO 4217 code."),
    exchangeRate: z.string().meta({ description: "Price of one unit, as a decimal number in text." }),
    unitCurrency: currency("Currency of that one unit, as ISO 4217 code: EUR where 1 EUR = 1.08 USD."),
    targetCurrency: currency("Currency it was converted into, as ISO 4217 code."),
    quotationDate: day("Quotation date", "Day of the rate."),
    contractIdentification: text("Exchange contract that was drawn on, if any."),
  })
  .meta({ id: "ExchangeRate", description: "A rate at which an amount was converted." });

/** What an entry on the account and each part of a batch say alike. */
const entry = {
  endToEndId: text("Reference that goes with the payment from end to end."),
  mandateId: text("Mandate of a direct debit, such as a SEPA mandate."),
  checkId: text("Identifier of the cheque."),
  creditorId: text("Identifier of the creditor, such as a SEPA creditor identifier."),
  transactionAmount: Amount.meta({ description: "Negative when the account is debited." }),
  currencyExchange: z
    .array(ExchangeRate)
    .optional()
    .meta({ description: "Rates by which the amount was converted; absent where it was not." }),
  creditorName: text("Who receives the money."),
  creditorAccount: account("Account that receives the money."),
  creditorAgent: bic("the creditor's bank"),
  ultimateCreditor: text("Who the money is for in the end, where that is not the creditor."),
  debtorName: text("Who pays the money."),
  debtorAccount: account("Account the money comes from."),
  debtorAgent: bic("the debtor's bank"),
  ultimateDebtor: text("Who owes the money in the end, where that is not the debtor."),
  remittanceInformationUnstructured: text("What the payment is for, in free text."),
  remittanceInformationUnstructuredArray: z
    .array(z.string())
    .optional()
    .meta({ description: "What the payment is for, in several free texts." }),
  purposeCode: text("ISO 20022 ExternalPurpose1Code, such as SALA for a salary."),
};

const RemittanceInformation = z
  .object({
    reference: z.string().meta({ description: "Reference to what is paid, such as an invoice." }),
    referenceType: text("Kind of the reference."),
    referenceIssuer: text("Who gave the reference out."),
  })
  .meta({ id: "RemittanceInformation", description: "A structured reference to what is paid." });

const remittances = z
  .array(RemittanceInformation)
  .optional()
  .meta({ description: "Structured references to what is paid." });

const StandingOrder = z
  .object({
    startDate: day("Start date", "First day of the standing order."),
    frequency: z.string().meta({ description: "ISO 20022 EventFrequency7Code, such as Monthly." }),
    endDate: date("End date", "Last day of the standing order, if any."),
    executionRule: text("following or preceding: the working day in place of a holiday."),
    withinAMonthFlag: z.boolean().optional().meta({
      description: "Only for Monthly: whether the working day stays in the month against executionRule.",
    }),
    monthsOfExecution: z
      .array(z.string())
      .optional()
      .meta({ description: "Only for MonthlyVariable: the months, 1 to 12." }),
    multiplicator: z.int().optional().meta({
      description: "How many periods of frequency lie between payments: Weekly and 3 is every three weeks.",
    }),
    dayOfExecution: text("Day of the month, 1 to 31 without leading zero; 31 is the last."),
    limitAmount: Amount.optional().meta({ description: "Limit on the amount, if any." }),
  })
  .meta({ id: "StandingOrder", description: "The terms of a standing order." });

export const OpenBankingTransaction = z
  .object({
    transactionId: text("Identifier of the transaction at the service."),
    entryReference: text("Reference of the entry; as entryReferenceFrom it asks for what came after."),
    batchIndicator: z.boolean().optional().meta({ description: "Whether the entry stands for a batch." }),
    batchNumberOfTransactions: z
      .int()
      .optional()
      .meta({ description: "Transactions in the batch; only where batchIndicator is true." }),
    bookingDate: date("Booking date", "Day on which it was booked."),
    valueDate: date("Value date", "Day from which it counts; while it is pending, the expected day."),
    ...entry,
    remittanceInformationStructured: text("Structured reference to what is paid, as one text."),
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
      .meta({ description: "The parts of a batch." }),
    additionalInformation: text("More about the entry, for the person."),
    additionalInformationStructured: z
      .object({ standingOrderDetails: StandingOrder })
      .optional()
      .meta({ description: "The standing order; only where bookingStatus is information." }),
    bankTransactionCode: text(
      "ISO 20022 bank transaction code: domain, family and sub-family with hyphens, such as PMNT-RDDT-ESDD.",
    ),
    proprietaryBankTransactionCode: text(
      "Bank transaction code of the service or its community, as in MT940.",
    ),
    balanceAfterTransaction: Balance.optional().meta({ description: "Balance once the entry is booked." }),
    _links: links("transactionDetails leads to more about the entry."),
  })
  .meta({ id: "OpenBankingTransaction", description: "An entry on an account, or a standing order." });

const entries = (description: string) => z.array(OpenBankingTransaction).optional().meta({ description });

export const AccountList = z
  .object({
    accounts: z
      .array(OpenBankingAccount)
      .meta({ description: "Accounts, each with its balances where withBalance asked for them." }),
  })
  .meta({ id: "AccountList", description: "The accounts that a consent opens." });

export const AccountResponse = z
  .object({ account: OpenBankingAccount })
  .meta({ id: "AccountAnswer", description: "One account that a consent opens." });

const reported = account("The account that was asked for.");

export const AccountBalances = z
  .object({
    account: reported,
    balances: z.array(Balance).meta({ description: "Balances, told apart by balanceType." }),
  })
  .meta({ id: "AccountBalances", description: "Balances of one account that a consent opens." });

export const AccountReport = z
  .object({
    account: reported,
    transactions: z
      .object({
        booked: entries("Entries that are booked; absent where bookingStatus leaves them out."),
        pending: entries("Entries not booked yet; absent where bookingStatus leaves them out."),
        information: entries("Standing orders that are active; only where bookingStatus is information."),
        _links: Links.meta({
          description: "account leads to the account; first, previous, next and last to other pages.",
        }),
      })
      .optional()
      .meta({ description: "Entries by their state." }),
    balances,
    _links: links("download leads to the report, where it is too large to be here."),
  })
  .meta({ id: "AccountReport", description: "The transactions of an account." });

const parameters = { "account-id": ResourceId };

/** Media types in which a statement comes instead of a list. */
const statementTypes = ["application/xml", "text/plain"] as const;

const operation = section({ server: "xs2a", credentials, errors });

export const listOpenBankingAccounts = operation({
  name: "openBanking.listAccounts",
  tool: "list_open_banking_accounts",
  title: "List open-banking accounts",
  summary:
    "Lists all accounts at other banks (outside, external, held elsewhere) that are connected (linked), or came under a consent.",
  effect: "read",
  method: "GET",
  path: "/v1/accounts",
  metered: true,
  query: { withBalance },
  headers: { ...headers, ...consent },
  responses: { 200: json(AccountList, "The accounts.", responseHeaders) },
  contract: "A8",
});

export const getOpenBankingAccount = operation({
  name: "openBanking.getAccount",
  tool: "get_open_banking_account",
  title: "Get open-banking account",
  summary:
    "Tells about a single linked (connected) account at another (external) bank, by the id it has under a consent: details like holder, name, IBAN, type, currency.",
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}",
  metered: true,
  parameters,
  query: { withBalance },
  headers: { ...headers, ...consent },
  responses: { 200: json(AccountResponse, "The account.", responseHeaders) },
  contract: "A9",
});

export const listOpenBankingBalances = operation({
  name: "openBanking.listBalances",
  tool: "list_open_banking_balances",
  title: "List open-banking balances",
  summary:
    "Lists the balances (closing, expected, available) of an account linked at another (external, house) bank (PSD2): what it holds, how much money.",
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}/balances",
  metered: true,
  parameters,
  headers: { ...headers, ...consent },
  responses: { 200: json(AccountBalances, "The balances.", responseHeaders) },
  contract: "A10",
});

export const listOpenBankingTransactions = operation({
  name: "openBanking.listTransactions",
  tool: "list_open_banking_transactions",
  title: "List open-banking transactions",
  summary:
    "Lists the transactions (bookings, movements) of a connected (linked) account at another (external) bank (PSD2), as JSON, camt.053 or MT940.",
  effect: "read",
  method: "GET",
  path: "/v1/accounts/{account-id}/transactions",
  metered: true,
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
    page: z.int().min(0).optional().meta({ title: "Page", description: "From 0." }),
  },
  headers: {
    ...headers,
    ...consent,
    Accept: z
      .enum(["application/json", ...statementTypes])
      .optional()
      .meta({
        title: "Format",
        description: "What is booked: application/xml is camt.053, text/plain MT940.",
      }),
  },
  rules: [
    {
      kind: "needed-unless",
      fields: ["dateFrom"],
      unless: { entryReferenceFrom: "given", deltaList: ["true"], bookingStatus: ["information"] },
      description:
        "dateFrom is required unless entryReferenceFrom or deltaList is given or bookingStatus is information.",
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
