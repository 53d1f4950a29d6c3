/** Account details: the identifiers under which money reaches an account. Contract: endpoints 1 to 6. */
import { z } from "zod";
import { accountFields, identifiers, nullishText, textField } from "../schema/response-fields";
import { AccountDetailsStatus } from "../schema/statuses";
import { AccountFilter, Country, Currency, id, openEnum, page, pageSize, uuid } from "../schema/values";
import { empty, json, section } from "../declaration/declare";
import { clientId, credentials, withErrorMessage, meaning, totalCount } from "./json-interface";

const fromList = "From accountDetails.list.";

const types = ["dedicated", "pooled"] as const;

const Alias = z.string().min(1).max(50).meta({ title: "Alias", description: "Own name; dedicated only." });

const Identifiers = z.object(identifiers).meta({
  id: "AccountIdentifiers",
  description: "Account number and code of the bank, each beside its kind.",
});

/** What every kind of account details has. */
const common = {
  account_id: nullishText("UUID of the account behind the details; null or absent for pooled accounts."),
  alias: nullishText("The client's own name for the account; only dedicated accounts have one."),
  country: nullishText("Country of the account, as an ISO 3166 code of two letters."),
  currency: nullishText(accountFields.currency),
  status: AccountDetailsStatus.meta({
    description: "pending until the account is there (confirmed) or cannot be had (failed).",
  }),
  primary: z.boolean().nullish().meta({
    description: "Whether it is the primary account of its holder and currency; only for dedicated accounts.",
  }),
  financial_institution_name: nullishText(accountFields.bank_name),
  financial_institution_address: nullishText(accountFields.bank_address),
};

/** Account details by the identifiers for payments within a country and across borders. */
export const AccountDetails = z
  .object({
    ...common,
    account_details_id: textField("Identifies the details to the operations that change them."),
    account_details_type: openEnum(types).meta({
      description: "Whether the account is the client's own (dedicated) or shared with others (pooled).",
    }),
    domestic: Identifiers.nullish().meta({
      description: "Where payments from the same country go; null where there is nothing for them.",
    }),
    international: Identifiers.nullish().meta({
      description: "Where payments from other countries go; null where there is nothing for them.",
    }),
    account_holder_name: nullishText(accountFields.holder_name),
    account_holder_address: nullishText(accountFields.holder_address),
    created: nullishText("When the details came into being; only for dedicated accounts."),
    modified: nullishText("When the details were last changed; only for dedicated accounts."),
  })
  .meta({
    id: "AccountDetails",
    description: "Where payments to an account go, from its country and from others.",
  });

/** Account details of any type, pooled, virtual and segregated, with all identifiers side by side. */
export const FlatAccountDetails = z
  .object({
    ...common,
    account_detail_id: nullishText("Identifies the details among those of the client."),
    account_details_type: openEnum([...types, "virtual", "segregated"])
      .nullish()
      .meta({
        description: "Kind of account: pooled is shared with others, the other types are the client's own.",
      }),
    bank_account_number: nullishText(accountFields.account_number),
    bank_identifier: nullishText(accountFields.bank_identifier),
    bank_identifier_type: nullishText(accountFields.bank_identifier_type),
    bic: nullishText(accountFields.bic),
    iban: nullishText(accountFields.iban),
    holder_name: nullishText(accountFields.holder_name),
    holder_address: nullishText(accountFields.holder_address),
    reference_for_payment: nullishText(accountFields.reference_for_payment),
  })
  .meta({
    id: "FlatAccountDetails",
    description: "Where payments to an account go, with all its numbers together.",
  });

export const RequestAccount = z
  .object({ country: Country, currency: Currency, alias: Alias.optional() })
  .meta({ id: "RequestAccount" });

export const PatchAccountDetailsRequest = z
  .object({ alias: Alias })
  .meta({ id: "PatchAccountDetailsRequest" });

const foreignToken = "client_id is missing, or the access token is not valid for it.";
const notFound = "Resource not found.";

const operation = section({ server: "service", credentials });

export const listAccountDetails = operation({
  name: "accountDetails.list",
  tool: "list_account_details",
  title: "List account details",
  summary: "Lists dedicated and pooled account details for customers to pay or wire money to the client.",
  notes:
    "Bank details (coordinates) for invoices and incoming remittances: IBAN, BIC (SWIFT), sort code, routing and account number.",
  effect: "read",
  method: "GET",
  path: "/account-details",
  query: {
    client_id: clientId,
    account_details_type: z
      .enum(types)
      .optional()
      .meta({ title: "Type", description: "Only accounts of this type." }),
    account_id: AccountFilter.optional(),
    country: Country.optional(),
    currency: Currency.optional(),
    alias: Alias.optional(),
    page: page.optional(),
    page_size: pageSize.optional(),
  },
  rules: [
    {
      kind: "excluded-by",
      fields: ["alias"],
      other: "account_details_type",
      values: ["pooled"],
      description: "Only dedicated accounts can be filtered by alias.",
    },
  ],
  pages: { page: "page", size: "page_size", defaultSize: 50, total: "x-total-count" },
  responses: { 200: json(z.array(AccountDetails), "Account details of the client.", totalCount) },
  errors: {
    400: withErrorMessage(meaning[400]),
    401: meaning[401],
    403: withErrorMessage(meaning[403]),
    429: meaning[429],
  },
  contract: "1",
});

export const listAllAccountDetails = operation({
  name: "accountDetails.listAll",
  tool: "list_all_account_details",
  title: "List all account details",
  summary:
    "Lists the entire register of account details (IBAN, BIC, account number) by which money is received, of every kind: pooled, virtual, segregated.",
  effect: "read",
  method: "GET",
  path: "/account-details/all",
  query: { client_id: clientId },
  responses: { 200: json(z.array(FlatAccountDetails), "All account details of the client.") },
  errors: {
    400: withErrorMessage(meaning[400]),
    401: meaning[401],
    404: meaning[404],
    429: meaning[429],
    502: withErrorMessage(meaning[502]),
  },
  contract: "2",
});

export const requestAccount = operation({
  name: "accountDetails.request",
  tool: "request_account",
  title: "Request account",
  summary:
    "Requests (applies for) a new dedicated account in a currency and country, which dealers of the provider open.",
  notes: "A repeated request opens no second account.",
  effect: "change",
  method: "POST",
  path: "/account-details/request",
  query: { client_id: clientId },
  body: RequestAccount,
  responses: { 200: empty("The account is requested.") },
  errors: {
    400: withErrorMessage(meaning[400]),
    401: meaning[401],
    403: withErrorMessage("client_id is missing."),
    404: withErrorMessage(notFound),
    409: withErrorMessage(
      "The account cannot be requested, for instance because the capability is disabled.",
    ),
    429: meaning[429],
  },
  customerErrorStatuses: { missing: 403 },
  contract: "3",
});

export const updateAccountAlias = operation({
  name: "accountDetails.updateAlias",
  tool: "update_account_alias",
  title: "Update account alias",
  summary:
    "Renames a dedicated account: changes its alias, the nickname (label, display name) by which it is called from then on.",
  effect: "change",
  method: "PATCH",
  path: "/account-details/{account_details_id}",
  parameters: { account_details_id: id("Account details ID", fromList) },
  query: { client_id: clientId },
  body: PatchAccountDetailsRequest,
  responses: { 200: json(AccountDetails, "The account details with the new alias.") },
  errors: {
    401: meaning[401],
    404: withErrorMessage(notFound),
    405: withErrorMessage("A pooled account cannot be changed."),
    422: withErrorMessage("Validation error."),
    429: meaning[429],
  },
  contract: "4",
});

export const makeAccountDefault = operation({
  name: "accountDetails.makeDefault",
  tool: "make_account_default",
  title: "Make account default",
  summary:
    "Makes a dedicated account the default (main, primary, preferred) one to use for its holder and currency.",
  effect: "change",
  method: "POST",
  path: "/account-details/{account_details_id}/make-default",
  parameters: { account_details_id: uuid("Account details ID", fromList) },
  query: { client_id: clientId },
  responses: { 204: empty("The account is the primary one.") },
  errors: {
    400: withErrorMessage(meaning[400]),
    401: meaning[401],
    403: withErrorMessage(foreignToken),
    404: withErrorMessage(notFound),
    405: withErrorMessage("A pooled account cannot be the default."),
    409: withErrorMessage("The account details are not active, or the client ID is invalid."),
    429: meaning[429],
  },
  customerErrorStatuses: { missing: 403, unknown: 409 },
  contract: "5",
});

export const assignVirtualAccount = operation({
  name: "accountDetails.assignVirtual",
  tool: "assign_virtual_account",
  title: "Assign virtual account",
  summary:
    "Assigns a virtual account number (virtual IBAN, vIBAN) in a currency, to collect receipts: one account for each.",
  effect: "change",
  method: "POST",
  path: "/account-details/virtual/{currency}",
  parameters: { currency: Currency },
  query: { client_id: clientId },
  responses: { 200: json(z.array(FlatAccountDetails), "The virtual account details.") },
  errors: {
    400: withErrorMessage(meaning[400]),
    401: meaning[401],
    403: withErrorMessage(foreignToken),
    404: withErrorMessage(notFound),
    409: withErrorMessage("A conflict; another such account may already exist."),
    429: meaning[429],
  },
  customerErrorStatuses: { missing: 403 },
  contract: "6",
});

export const accountDetails = [
  listAccountDetails,
  listAllAccountDetails,
  requestAccount,
  updateAccountAlias,
  makeAccountDefault,
  assignVirtualAccount,
] as const;
