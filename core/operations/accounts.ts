/** Accounts, their funding and their balances. Contract: endpoints 8 to 12. */
import { z } from "zod";
import { AccountFilter, AccountId, Currencies, Currency, openEnum } from "../schema/values";
import { json, operation } from "./declaration";
import { accountErrors, clientId, credentials, explained, meaning } from "./service";

/** Contract: Balance types. */
const balanceTypes = [
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
    account_id: z.string(),
    account_type: openEnum(["Personal", "Business"]).nullish(),
    account_subtype: openEnum(["EMoney"]).nullish(),
    currency: z.string(),
    status: openEnum(["Enabled", "Disabled", "Deleted"]).nullish(),
    account_details: z
      .array(
        z.object({
          account_address: z.string().nullish(),
          account_name: z.string().nullish(),
          account_number: z.string().nullish(),
          account_number_type: openEnum(["IBAN", "BBAN"]).nullish(),
          bank_identifier: z.string().nullish(),
          bank_identifier_type: z.string().nullish(),
        }),
      )
      .nullish(),
  })
  .meta({ id: "AccountData" });

export const BalanceData = z
  .object({
    account_id: z.string(),
    amount: z.object({
      amount: z.string().meta({ description: "Decimal amount; the indicator carries the sign." }),
      currency: z.string(),
    }),
    credit_debit_indicator: openEnum(["Credit", "Debit"]),
    datetime: z.string().nullish(),
    type: openEnum(balanceTypes),
  })
  .meta({ id: "BalanceData" });

/** Where to send the funds. */
export const FundingAccountData = z
  .object({
    account_id: z.string().nullish(),
    currency: z.string().nullish(),
    account_holder_name: z.string().nullish(),
    account_number: z.string().nullish(),
    iban: z.string().nullish(),
    swift_code: z.string().nullish(),
    bank_identifier: z.string().nullish(),
    bank_identifier_type: z.string().nullish(),
    bank_name: z.string().nullish(),
    bank_address_line_1: z.string().nullish(),
    bank_address_line_2: z.string().nullish(),
    bank_city: z.string().nullish(),
    bank_post_code: z.string().nullish(),
    reference_for_payment: z.string().nullish(),
  })
  .meta({ id: "FundingAccountData" });

export const CurrencyAccount = z
  .object({
    account_id: z.int().meta({ description: "A number, unlike the UUID that the other operations take." }),
    currency: z.string(),
  })
  .meta({ id: "CurrencyAccount" });

export const listAccounts = operation({
  name: "accounts.list",
  tool: "list_accounts",
  title: "List accounts",
  summary: "Lists the accounts of the client in the given currencies.",
  effect: "read",
  method: "GET",
  path: "/accounts",
  server: "service",
  credentials,
  query: { currencies: Currencies, client_id: clientId },
  answers: { 200: json(z.array(AccountData), "Accounts of the client.") },
  errors: {
    400: explained(meaning[400]),
    401: meaning[401],
    403: explained(meaning[403]),
    404: meaning[404],
    409: meaning[409],
    502: explained(meaning[502]),
  },
  contract: "8",
});

export const getAccount = operation({
  name: "accounts.get",
  tool: "get_account",
  title: "Get account",
  summary: "Returns one account.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}",
  server: "service",
  credentials,
  parameters: { account_id: AccountId },
  query: { client_id: clientId },
  answers: { 200: json(AccountData, "The account.") },
  errors: accountErrors,
  contract: "9",
});

export const getFundingAccount = operation({
  name: "accounts.getFunding",
  tool: "get_funding_account",
  title: "Get funding account",
  summary: "Returns the pre-selected account to which funds are to be sent.",
  effect: "read",
  method: "GET",
  path: "/funding-account",
  server: "service",
  credentials,
  query: { client_id: clientId, currency: Currency.optional(), account_id: AccountFilter.optional() },
  rules: [
    {
      kind: "exactly-one",
      fields: ["currency", "account_id"],
      says: "Exactly one of currency and account_id must be given.",
    },
  ],
  answers: { 200: json(FundingAccountData, "The funding account.") },
  errors: {
    400: explained("Not exactly one of currency and account_id was given."),
    401: meaning[401],
    404: explained("There is no funding account for the criteria."),
    502: explained(meaning[502]),
  },
  contract: "10",
});

export const listCurrencyAccounts = operation({
  name: "accounts.listCurrencyAccounts",
  tool: "list_currency_accounts",
  title: "List currency accounts",
  summary: "Lists the accounts by number and currency, as the MT940 statement takes them.",
  effect: "read",
  method: "GET",
  path: "/accounts/currency-accounts",
  server: "service",
  credentials,
  query: { client_id: clientId },
  answers: { 200: json(z.array(CurrencyAccount), "Numbers and currencies of the accounts.") },
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
  summary: "Lists the balances of one account.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/balances",
  server: "service",
  credentials,
  parameters: { account_id: AccountId },
  query: {
    client_id: clientId,
    balance_types: z
      .array(z.enum(balanceTypes))
      .default(["InterimAvailable"])
      .meta({ title: "Balance types", description: "Which balances to return." }),
  },
  answers: { 200: json(z.array(BalanceData), "Balances of the account.") },
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
