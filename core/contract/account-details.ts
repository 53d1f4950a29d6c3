/** Account details: the identifiers to which others pay. Contract: endpoints 1 to 6. */
import { z } from "zod";
import { accountFields, accountIdentifiers, nullishText, textField } from "../values/response-fields";
import { AccountDetailsStatus } from "../values/statuses";
import { AccountFilter, Country, Currency, id, openEnum, page, pageSize, uuid } from "../values/values";
import { empty, json, section } from "../spec/declare";
import { clientId, credentials, withErrorMessage, usualErrors, totalCount } from "./json-interface";

const idDescription = "`account_details_id` from accountDetails.list.";

const types = ["dedicated", "pooled"] as const;

const Alias = z
  .string()
  .min(1)
  .max(50)
  .meta({ title: "Alias", description: "Display name of a dedicated account." });

const Identifiers = z.object(accountIdentifiers).meta({
  id: "AccountIdentifiers",
  description: "Account number and bank identifier, each with its type.",
});

/** Fields of all types of account details. */
const commonFields = {
  account_id: nullishText("UUID of the account; null or absent for pooled accounts."),
  alias: nullishText("Display name that the client gave the account; dedicated accounts only."),
  country: nullishText("Country of the account, ISO 3166 code of two letters."),
  currency: nullishText(accountFields.currency),
  status: AccountDetailsStatus.meta({
    description: "`pending` until the account is `confirmed` or the request `failed`.",
  }),
  primary: z.boolean().nullish().meta({
    description: "True for the primary account of its holder and currency; dedicated accounts only.",
  }),
  financial_institution_name: nullishText(accountFields.bank_name),
  financial_institution_address: nullishText(accountFields.bank_address),
};

/** Account details with separate identifiers for domestic and cross-border payments. */
export const AccountDetails = z
  .object({
    ...commonFields,
    account_details_id: textField("ID of the account details, for the operations that change them."),
    account_details_type: openEnum(types).meta({
      description:
        "`dedicated` for the client's own account, `pooled` for an account shared with other clients.",
    }),
    domestic: Identifiers.nullish().meta({
      description: "Identifiers for domestic payments; null if there are none.",
    }),
    international: Identifiers.nullish().meta({
      description: "Identifiers for international payments; null if there are none.",
    }),
    account_holder_name: nullishText(accountFields.holder_name),
    account_holder_address: nullishText(accountFields.holder_address),
    created: nullishText("Creation time; dedicated accounts only."),
    modified: nullishText("Time of the last change; dedicated accounts only."),
  })
  .meta({
    id: "AccountDetails",
    description: "Identifiers for domestic and international payments to an account.",
  });

/** Account details of any type (pooled, virtual, segregated) with all identifiers in one object. */
export const FlatAccountDetails = z
  .object({
    ...commonFields,
    account_detail_id: nullishText("ID of the account details."),
    account_details_type: openEnum([...types, "virtual", "segregated"])
      .nullish()
      .meta({
        description:
          "Account type: `pooled` is shared with other clients, the other types are the client's own.",
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
    description: "Identifiers of an account in one flat object.",
  });

export const RequestAccount = z
  .object({ country: Country, currency: Currency, alias: Alias.optional() })
  .meta({ id: "RequestAccount" });

export const PatchAccountDetailsRequest = z
  .object({ alias: Alias })
  .meta({ id: "PatchAccountDetailsRequest" });

const foreignToken = "The client ID is missing, or the access token is not valid for it.";
const notFound = "Resource not found.";

const operation = section({
  section: {
    title: "Account details",
    icon: "account-details.svg",
    category: "fxdesk cash",
    daily: ["list"],
    advanced: "fxdesk accounts",
    order: 3,
  },
  server: "service",
  credentials,
});

export const listAccountDetails = operation({
  name: "accountDetails.list",
  tool: "list_account_details",
  title: "List account details",
  summary:
    "Lists dedicated and pooled accounts that customers pay into, with IBAN and BIC. To see which dedicated accounts are virtual or segregated, use accountDetails.listAll.",
  keywords: [
    "sort code",
    "routing number",
    "SSI",
    "invoice",
    "Bankverbindung",
    "Kontoverbindung",
    "Rechnung",
  ],
  effect: "read",
  method: "GET",
  path: "/account-details",
  query: {
    client_id: clientId,
    account_details_type: z.enum(types).optional().meta({ title: "Type", description: "Default: both." }),
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
  errors: usualErrors([401, 429], [400, 403]),
  contract: "1",
});

export const listAllAccountDetails = operation({
  name: "accountDetails.listAll",
  tool: "list_all_account_details",
  title: "List all account details",
  summary:
    "Lists all account details of the client: pooled ones, and dedicated ones as virtual or segregated. To filter them or read pages, use accountDetails.list.",
  keywords: ["IBAN", "BIC", "Bankverbindungen", "Kontoverbindungen"],
  effect: "read",
  method: "GET",
  path: "/account-details/all",
  query: { client_id: clientId },
  responses: { 200: json(z.array(FlatAccountDetails), "All account details of the client.") },
  errors: usualErrors([401, 404, 429], [400, 502]),
  contract: "2",
});

export const requestAccount = operation({
  name: "accountDetails.request",
  tool: "request_account",
  title: "Request account",
  summary:
    "Requests a dedicated account for a currency and country. To request it and wait for the confirmation, use accountDetails.open.",
  notes: "Requesting the same account again creates no second account.",
  keywords: ["apply", "open account", "Konto beantragen", "Konto eröffnen"],
  effect: "change",
  method: "POST",
  path: "/account-details/request",
  query: { client_id: clientId },
  body: RequestAccount,
  responses: { 200: empty("The request was accepted.") },
  errors: {
    ...usualErrors([401, 429], [400]),
    403: withErrorMessage("The client ID is missing."),
    404: withErrorMessage(notFound),
    409: withErrorMessage(
      "The account cannot be requested, for example because the capability is disabled for this currency and country.",
    ),
  },
  customerErrorStatuses: { missing: 403 },
  contract: "3",
});

export const updateAccountAlias = operation({
  name: "accountDetails.updateAlias",
  tool: "update_account_alias",
  title: "Update account alias",
  summary: "Changes the alias of a dedicated account and returns the updated account details.",
  keywords: ["rename", "nickname", "display name", "umbenennen", "Anzeigename"],
  effect: "change",
  method: "PATCH",
  path: "/account-details/{account_details_id}",
  parameters: { account_details_id: id("Account details ID", idDescription) },
  query: { client_id: clientId },
  body: PatchAccountDetailsRequest,
  responses: { 200: json(AccountDetails, "The updated account details.") },
  errors: {
    ...usualErrors([401, 429]),
    404: withErrorMessage(notFound),
    405: withErrorMessage("A pooled account cannot be changed."),
    422: withErrorMessage("Validation error."),
  },
  contract: "4",
});

export const makeAccountDefault = operation({
  name: "accountDetails.makeDefault",
  tool: "make_account_default",
  title: "Make account default",
  summary: "Makes a dedicated account the primary account for its holder and currency.",
  keywords: ["main account", "Standardkonto", "Hauptkonto"],
  effect: "change",
  method: "POST",
  path: "/account-details/{account_details_id}/make-default",
  parameters: { account_details_id: uuid("Account details ID", idDescription) },
  query: { client_id: clientId },
  responses: { 204: empty("The account is now the primary account.") },
  errors: {
    ...usualErrors([401, 429], [400]),
    403: withErrorMessage(foreignToken),
    404: withErrorMessage(notFound),
    405: withErrorMessage("A pooled account cannot be made the default."),
    409: withErrorMessage("The account details are not active, or the client ID is invalid."),
  },
  customerErrorStatuses: { missing: 403, unknown: 409 },
  contract: "5",
});

export const assignVirtualAccount = operation({
  name: "accountDetails.assignVirtual",
  tool: "assign_virtual_account",
  title: "Assign virtual account",
  summary:
    "Assigns a virtual account in a currency and returns its account details. For a dedicated account in a country, use accountDetails.request.",
  notes: "Each currency can have only one account, virtual or segregated.",
  keywords: ["vIBAN", "virtual IBAN", "collections", "virtuelles Konto"],
  effect: "change",
  method: "POST",
  path: "/account-details/virtual/{currency}",
  parameters: { currency: Currency },
  query: { client_id: clientId },
  responses: { 200: json(z.array(FlatAccountDetails), "The virtual account details.") },
  errors: {
    ...usualErrors([401, 429], [400]),
    403: withErrorMessage(foreignToken),
    404: withErrorMessage(notFound),
    409: withErrorMessage("Another dedicated account in this currency may already exist."),
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
