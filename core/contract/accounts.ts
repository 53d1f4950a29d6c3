/** Accounts, their funding and their balances. Contract: endpoints 8 to 12. */
import { z } from "zod";
import { accountFields, identifiers, nullishText, textField } from "../schema/response-fields";
import { AccountFilter, AccountId, Currencies, Currency, openEnum } from "../schema/values";
import { json, section } from "../declaration/declare";
import { accountErrors, clientId, credentials, withErrorMessage, meaning } from "./json-interface";

/** Contract: Balance types. */
export const balanceTypes = [
  "InterimAvailable",
  "RequiredFunds",
  "RequiredFundsImmediate",
  "Outgoing",
  "Incoming",
  "InitialMargin",
  "MarginCall",
  "Processing",
] as const;

export const AccountData = z
  .object({
    account_id: textField(accountFields.account_id),
    account_type: openEnum(["Personal", "Business"])
      .nullish()
      .meta({ description: "Whether the account is for a person or for a business." }),
    account_subtype: openEnum(["EMoney"])
      .nullish()
      .meta({ description: "What the account holds: EMoney is electronic money." }),
    currency: textField(accountFields.currency),
    status: openEnum(["Enabled", "Disabled", "Deleted"])
      .nullish()
      .meta({ description: "Whether the account is in use (Enabled), Disabled or Deleted." }),
    account_details: z
      .array(
        z.object({
          account_address: nullishText("Address under which the account is held."),
          account_name: nullishText(accountFields.account_name),
          ...identifiers,
        }),
      )
      .nullish()
      .meta({
        description: "Numbers of the account, such as one for domestic and one for international payments.",
      }),
  })
  .meta({ id: "AccountData", description: "An account of the client in one currency." });

/** An amount whose direction stands beside it. */
const money = z.object({
  amount: textField(
    "Decimal amount as text, in the currency beside it; credit_debit_indicator gives the direction.",
  ),
  currency: textField("Currency of the amount, as an ISO 4217 code."),
});

/** An amount and its direction, for a balance and for a transaction. */
export const directedAmount = (description: string, direction: string) => ({
  amount: money.meta({ description }),
  credit_debit_indicator: openEnum(["Credit", "Debit"]).meta({ description: direction }),
});

export const BalanceData = z
  .object({
    account_id: textField(accountFields.account_id),
    ...directedAmount(
      "The balance and its currency.",
      "Credit where the balance is in the client's favour, Debit where it is against.",
    ),
    datetime: nullishText("Time at which the balance stood so."),
    type: openEnum(balanceTypes).meta({
      description: "Which balance it is, by the names that balance_types of accounts.listBalances takes.",
    }),
  })
  .meta({ id: "BalanceData", description: "A balance of an account, of one type." });

/** Where to send the funds. */
export const FundingAccountData = z
  .object({
    account_id: nullishText(accountFields.account_id),
    currency: nullishText(accountFields.currency),
    account_holder_name: nullishText(accountFields.holder_name),
    account_number: nullishText(accountFields.account_number),
    iban: nullishText(accountFields.iban),
    swift_code: nullishText(accountFields.bic),
    bank_identifier: nullishText(accountFields.bank_identifier),
    bank_identifier_type: nullishText(accountFields.bank_identifier_type),
    bank_name: nullishText(accountFields.bank_name),
    bank_address_line_1: nullishText(accountFields.bank_address_line_1),
    bank_address_line_2: nullishText(accountFields.bank_address_line_2),
    bank_city: nullishText(accountFields.bank_city),
    bank_post_code: nullishText(accountFields.bank_post_code),
    reference_for_payment: nullishText(accountFields.reference_for_payment),
  })
  .meta({ id: "FundingAccountData", description: "The account to which the client sends funds." });

export const CurrencyAccount = z
  .object({
    account_id: z.int().meta({
      description: "Number of the account, as statements.emailMt940 takes it; other operations take a UUID.",
    }),
    currency: textField(accountFields.currency),
  })
  .meta({ id: "CurrencyAccount", description: "An account by its number and currency." });

const operation = section({ server: "service", credentials });

export const listAccounts = operation({
  name: "accounts.list",
  tool: "list_accounts",
  title: "List accounts",
  summary:
    "Lists what bank accounts you have (own, hold), in currencies like GBP (sterling) and USD: an overview.",
  effect: "read",
  method: "GET",
  path: "/accounts",
  query: { currencies: Currencies, client_id: clientId },
  responses: { 200: json(z.array(AccountData), "Accounts of the client.") },
  errors: {
    400: withErrorMessage(meaning[400]),
    401: meaning[401],
    403: withErrorMessage(meaning[403]),
    404: meaning[404],
    409: meaning[409],
    502: withErrorMessage(meaning[502]),
  },
  contract: "8",
});

export const getAccount = operation({
  name: "accounts.get",
  tool: "get_account",
  title: "Get account",
  summary:
    "Looks up the details of one account by its id: information, name (what it is called), type, currency, and whether it is still open.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}",
  parameters: { account_id: AccountId },
  query: { client_id: clientId },
  responses: { 200: json(AccountData, "The account.") },
  errors: accountErrors,
  contract: "9",
});

export const getFundingAccount = operation({
  name: "accounts.getFunding",
  tool: "get_funding_account",
  title: "Get funding account",
  summary:
    "Returns where money (funds, cover, margin) must be sent to settle trades and forwards: the account to transfer to, or pay into, for currency bought.",
  notes: "Settlement instructions (SSI), bank or wire details.",
  effect: "read",
  method: "GET",
  path: "/funding-account",
  query: { client_id: clientId, currency: Currency.optional(), account_id: AccountFilter.optional() },
  rules: [
    {
      kind: "exactly-one",
      fields: ["currency", "account_id"],
      description: "Exactly one of currency and account_id must be given.",
    },
  ],
  responses: { 200: json(FundingAccountData, "The funding account.") },
  errors: {
    400: withErrorMessage("Not exactly one of currency and account_id was given."),
    401: meaning[401],
    404: withErrorMessage("There is no funding account for the criteria."),
    502: withErrorMessage(meaning[502]),
  },
  contract: "10",
});

export const listCurrencyAccounts = operation({
  name: "accounts.listCurrencyAccounts",
  tool: "list_currency_accounts",
  title: "List currency accounts",
  summary: "Lists the account numbers for the MT940 (940) statement, each with its currency.",
  effect: "read",
  method: "GET",
  path: "/accounts/currency-accounts",
  query: { client_id: clientId },
  responses: { 200: json(z.array(CurrencyAccount), "Numbers and currencies of the accounts.") },
  errors: {
    400: meaning[400],
    401: meaning[401],
    403: meaning[403],
    404: meaning[404],
    502: meaning[502],
  },
  contract: "11",
});

export const listBalances = operation({
  name: "accounts.listBalances",
  tool: "list_balances",
  title: "List balances",
  summary:
    "Lists the balances on one account: how much is available (to spend), required funds, initial margin, margin call, collateral held.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/balances",
  parameters: { account_id: AccountId },
  query: {
    client_id: clientId,
    balance_types: z
      .array(z.enum(balanceTypes))
      .default(["InterimAvailable"])
      .meta({ title: "Balance types", description: "Which balances to return." }),
  },
  responses: { 200: json(z.array(BalanceData), "Balances of the account.") },
  errors: accountErrors,
  contract: "12",
});

export const accounts = [
  listAccounts,
  getAccount,
  getFundingAccount,
  listCurrencyAccounts,
  listBalances,
] as const;
