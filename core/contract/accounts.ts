/** Accounts, their funding and their balances. Contract: endpoints 8 to 12. */
import { z } from "zod";
import { accountFields, accountIdentifiers, nullishText, textField } from "../values/response-fields";
import { AccountFilter, AccountId, Currencies, Currency, openEnum } from "../values/values";
import { json, section } from "../spec/declare";
import { accountErrors, clientId, credentials, withErrorMessage, usualErrors } from "./json-interface";

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
      .meta({ description: "Personal or business account." }),
    account_subtype: openEnum(["EMoney"])
      .nullish()
      .meta({ description: "Account subtype: `EMoney` is electronic money." }),
    currency: textField(accountFields.currency),
    status: openEnum(["Enabled", "Disabled", "Deleted"])
      .nullish()
      .meta({ description: "Account status: `Enabled`, `Disabled` or `Deleted`." }),
    account_details: z
      .array(
        z.object({
          account_address: nullishText("Address of the account holder."),
          account_name: nullishText(accountFields.account_name),
          ...accountIdentifiers,
        }),
      )
      .nullish()
      .meta({
        description: "Account numbers, for example one for domestic and one for international payments.",
      }),
  })
  .meta({ id: "AccountData", description: "An account of the client in one currency." });

/** An amount with its direction in a separate field. */
const money = z.object({
  amount: textField("Unsigned decimal amount; credit_debit_indicator gives the direction."),
  currency: textField("Currency of the amount, ISO 4217 code."),
});

/** Amount and direction, shared by balances and transactions. */
export const directedAmount = (description: string, direction: string) => ({
  amount: money.meta({ description }),
  credit_debit_indicator: openEnum(["Credit", "Debit"]).meta({ description: direction }),
});

export const BalanceData = z
  .object({
    account_id: textField(accountFields.account_id),
    ...directedAmount(
      "Balance and currency.",
      "`Credit` for a positive balance, `Debit` for a negative one.",
    ),
    datetime: nullishText("Time of the balance."),
    type: openEnum(balanceTypes).meta({
      description: "Balance type, as in `balance_types` of accounts.listBalances.",
    }),
  })
  .meta({ id: "BalanceData", description: "A balance of an account, of one type." });

/** The account to which funds are sent. */
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
      description:
        "Account number, in the form that statements.emailMt940 accepts; other operations take the account UUID.",
    }),
    currency: textField(accountFields.currency),
  })
  .meta({ id: "CurrencyAccount", description: "An account by number and currency." });

const operation = section({
  section: {
    title: "Accounts",
    icon: "accounts.svg",
    category: "fxdesk cash",
    daily: ["list", "getFunding", "watchBalances", "watchMargin"],
    advanced: "fxdesk accounts",
    order: 2,
  },
  server: "service",
  credentials,
});

export const listAccounts = operation({
  name: "accounts.list",
  tool: "list_accounts",
  title: "List accounts",
  summary: "Lists accounts with IDs, names and status. For balances, use cash.getPosition.",
  keywords: ["bank accounts", "overview", "Konten", "Kontoübersicht"],
  effect: "read",
  method: "GET",
  path: "/accounts",
  query: { currencies: Currencies, client_id: clientId },
  lookedUp: {
    currencies: {
      from: "accounts.listCurrencyAccounts",
      field: "currency",
      description: "Default: all.",
    },
  },
  responses: { 200: json(z.array(AccountData), "Accounts of the client.") },
  errors: usualErrors([401, 404, 409], [400, 403, 502]),
  contract: "8",
});

export const getAccount = operation({
  name: "accounts.get",
  tool: "get_account",
  title: "Get account",
  summary: "Returns one account by its ID: name, type, currency, status and account numbers.",
  keywords: ["Konto", "Kontodaten"],
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
    "Returns the account to which the client sends funds to settle trades. For accounts that customers pay into, use accountDetails.list.",
  keywords: ["settlement instructions", "SSI", "deposit", "margin", "Einzahlen", "Deckung"],
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
    ...usualErrors([401], [502]),
    400: withErrorMessage("Both or neither of currency and account_id were given."),
    404: withErrorMessage("No funding account matches the criteria."),
  },
  contract: "10",
});

export const listCurrencyAccounts = operation({
  name: "accounts.listCurrencyAccounts",
  tool: "list_currency_accounts",
  title: "List currency accounts",
  summary:
    "Lists account numbers with their currencies, as MT940 statements by e-mail need them. For account IDs and names, use accounts.list.",
  keywords: ["MT940", "Kontonummern", "Währungskonten"],
  effect: "read",
  method: "GET",
  path: "/accounts/currency-accounts",
  query: { client_id: clientId },
  responses: { 200: json(z.array(CurrencyAccount), "Account numbers with their currencies.") },
  errors: usualErrors([400, 401, 403, 404, 502]),
  contract: "11",
});

export const listBalances = operation({
  name: "accounts.listBalances",
  tool: "list_balances",
  title: "List balances",
  summary:
    "Lists the balances of one account by type, such as available funds or margin call. For all accounts with totals, use cash.getPosition.",
  keywords: ["Saldo", "Salden", "Kontostand", "Guthaben", "Nachschuss"],
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/balances",
  parameters: { account_id: AccountId },
  query: {
    client_id: clientId,
    balance_types: z
      .array(z.enum(balanceTypes))
      .default(["InterimAvailable"])
      .meta({ title: "Balance types", description: "Balance types to return; default `InterimAvailable`." }),
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
