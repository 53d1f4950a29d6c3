/** Account details: the identifiers under which money reaches an account. Contract: endpoints 1 to 6. */
import { z } from "zod";
import { AccountFilter, Country, Currency, id, openEnum, page, pageSize, uuid } from "../schema/values";
import { empty, json, operation } from "./declaration";
import { clientId, credentials, explained, meaning, totalCount } from "./service";

const fromList = "The account details, as account_details_id in accountDetails.list.";

const types = ["dedicated", "pooled"] as const;

const Alias = z
  .string()
  .min(1)
  .max(50)
  .meta({ title: "Alias", description: "A name of your own, 1 to 50 characters; dedicated accounts only." });

const Identifiers = z
  .object({
    account_number: z.string().nullish(),
    account_number_type: openEnum(["IBAN", "BBAN"]).nullish(),
    bank_identifier: z.string().nullish(),
    bank_identifier_type: z
      .string()
      .nullish()
      .meta({ description: "ISO 20022 clearing system code, or SWBIC for a BIC." }),
  })
  .meta({ id: "AccountIdentifiers" });

/** What every kind of account details has. */
const common = {
  account_id: z.string().nullish().meta({ description: "Absent for pooled accounts." }),
  alias: z.string().nullish(),
  country: z.string().nullish(),
  currency: z.string().nullish(),
  status: openEnum(["pending", "confirmed", "failed"]),
  primary: z.boolean().nullish().meta({ description: "Whether it is the primary account of its currency." }),
  financial_institution_name: z.string().nullish(),
  financial_institution_address: z.string().nullish(),
};

/** Account details by the identifiers for payments within a country and across borders. */
export const AccountDetails = z
  .object({
    ...common,
    account_details_id: z.string(),
    account_details_type: openEnum(types),
    domestic: Identifiers.nullish(),
    international: Identifiers.nullish(),
    account_holder_name: z.string().nullish(),
    account_holder_address: z.string().nullish(),
    created: z.string().nullish(),
    modified: z.string().nullish(),
  })
  .meta({ id: "AccountDetails" });

/** Account details of any type, pooled, virtual and segregated, with all identifiers side by side. */
export const FlatAccountDetails = z
  .object({
    ...common,
    account_detail_id: z.string().nullish(),
    account_details_type: openEnum([...types, "virtual", "segregated"]).nullish(),
    bank_account_number: z.string().nullish(),
    bank_identifier: z.string().nullish(),
    bank_identifier_type: z.string().nullish(),
    bic: z.string().nullish(),
    iban: z.string().nullish(),
    holder_name: z.string().nullish(),
    holder_address: z.string().nullish(),
    reference_for_payment: z.string().nullish(),
  })
  .meta({ id: "FlatAccountDetails" });

export const RequestAccount = z
  .object({ country: Country, currency: Currency, alias: Alias.optional() })
  .meta({ id: "RequestAccount" });

export const PatchAccountDetailsRequest = z
  .object({ alias: Alias })
  .meta({ id: "PatchAccountDetailsRequest" });

const foreignToken = "client_id is missing, or the access token is not valid for it.";
const notFound = "Resource not found.";

export const listAccountDetails = operation({
  name: "accountDetails.list",
  tool: "list_account_details",
  title: "List account details",
  summary: "Lists account details of the client: where money is to be sent.",
  effect: "read",
  method: "GET",
  path: "/account-details",
  server: "service",
  credentials,
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
      says: "Only dedicated accounts can be filtered by alias.",
    },
  ],
  pages: { page: "page", size: "page_size", defaultSize: 50, total: "x-total-count" },
  answers: { 200: json(z.array(AccountDetails), "Account details of the client.", totalCount) },
  errors: {
    400: explained(meaning[400]),
    401: meaning[401],
    403: explained(meaning[403]),
    429: meaning[429],
  },
  contract: "1",
});

export const listAllAccountDetails = operation({
  name: "accountDetails.listAll",
  tool: "list_all_account_details",
  title: "List all account details",
  summary: "Lists pooled, virtual and segregated account details of the client together.",
  effect: "read",
  method: "GET",
  path: "/account-details/all",
  server: "service",
  credentials,
  query: { client_id: clientId },
  answers: { 200: json(z.array(FlatAccountDetails), "All account details of the client.") },
  errors: {
    400: explained(meaning[400]),
    401: meaning[401],
    404: meaning[404],
    429: meaning[429],
    502: explained(meaning[502]),
  },
  contract: "2",
});

export const requestAccount = operation({
  name: "accountDetails.request",
  tool: "request_account",
  title: "Request account",
  summary: "Asks the provider's dealers for a dedicated account in a currency and country.",
  notes: "Possible where the capability is enabled for the pair. A repeated request makes no second account.",
  effect: "change",
  method: "POST",
  path: "/account-details/request",
  server: "service",
  credentials,
  query: { client_id: clientId },
  body: RequestAccount,
  answers: { 200: empty("The account is requested.") },
  errors: {
    400: explained(meaning[400]),
    401: meaning[401],
    403: explained("client_id is missing."),
    404: explained(notFound),
    409: explained("The account cannot be requested, for instance because the capability is disabled."),
    429: meaning[429],
  },
  clientRefusals: { missing: 403 },
  contract: "3",
});

export const updateAccountAlias = operation({
  name: "accountDetails.updateAlias",
  tool: "update_account_alias",
  title: "Update account alias",
  summary: "Changes the alias of a dedicated account.",
  effect: "change",
  method: "PATCH",
  path: "/account-details/{account_details_id}",
  server: "service",
  credentials,
  parameters: { account_details_id: id("Account details ID", fromList) },
  query: { client_id: clientId },
  body: PatchAccountDetailsRequest,
  answers: { 200: json(AccountDetails, "The account details with the new alias.") },
  errors: {
    401: meaning[401],
    404: explained(notFound),
    405: explained("A pooled account cannot be changed."),
    422: explained("Validation error."),
    429: meaning[429],
  },
  contract: "4",
});

export const makeAccountDefault = operation({
  name: "accountDetails.makeDefault",
  tool: "make_account_default",
  title: "Make account default",
  summary: "Makes a dedicated account the primary one of its holder and currency.",
  effect: "change",
  method: "POST",
  path: "/account-details/{account_details_id}/make-default",
  server: "service",
  credentials,
  parameters: { account_details_id: uuid("Account details ID", fromList) },
  query: { client_id: clientId },
  answers: { 204: empty("The account is the primary one.") },
  errors: {
    400: explained(meaning[400]),
    401: meaning[401],
    403: explained(foreignToken),
    404: explained(notFound),
    405: explained("A pooled account cannot be the default."),
    409: explained("The account details are not active, or the client ID is invalid."),
    429: meaning[429],
  },
  clientRefusals: { missing: 403, unknown: 409 },
  contract: "5",
});

export const assignVirtualAccount = operation({
  name: "accountDetails.assignVirtual",
  tool: "assign_virtual_account",
  title: "Assign virtual account",
  summary: "Assigns a virtual account in a currency; one dedicated account a currency is allowed.",
  effect: "change",
  method: "POST",
  path: "/account-details/virtual/{currency}",
  server: "service",
  credentials,
  parameters: { currency: Currency },
  query: { client_id: clientId },
  answers: { 200: json(z.array(FlatAccountDetails), "The virtual account details.") },
  errors: {
    400: explained(meaning[400]),
    401: meaning[401],
    403: explained(foreignToken),
    404: explained(notFound),
    409: explained("A conflict; another such account may already exist."),
    429: meaning[429],
  },
  clientRefusals: { missing: 403 },
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
