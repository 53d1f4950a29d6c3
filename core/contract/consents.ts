/** Consents to account information and their authorisation. Contract: account information, rows 1 to 7. */
import { z } from "zod";
import { textField } from "../values/response-fields";
import { day, openEnum } from "../values/values";
import {
  authorisationFields,
  authorisationLinks,
  describeFields,
  Links,
  NewAccountReference,
  AccountReference,
  psuMessage,
} from "../values/xs2a";
import { ConsentStatus } from "../values/statuses";
import { empty, json, section } from "../spec/declare";
import {
  accountErrors as errors,
  responseHeaders,
  attendedHeaders,
  authorisationIds,
  AuthorisationId,
  authorisationStarted,
  authorisationStatus,
  brandHeaders,
  ConsentId,
  createdHeaders,
  credentials,
  decoupledHeaders,
  explicitAuthorisationHeaders,
  headers,
  emptyBody,
  notificationHeaders,
  psuIdentity,
  redirectHeaders,
} from "./xs2a";

const allAccountsOptions = ["allAccounts", "allAccountsWithOwnerName"] as const;

/** Optional additional access to the accounts of a consent. */
const extraAccess = <A extends z.ZodType>(account: A) => ({
  ownerName: z.array(account).optional(),
  trustedBeneficiaries: z.array(account).optional(),
});

/** The accounts of a consent. With an empty list, the person chooses. */
const accessShape = <A extends z.ZodType, M extends z.ZodType, E extends z.ZodType>(
  account: A,
  more: M,
  every: E,
) => ({
  accounts: z.array(account).optional(),
  balances: z.array(account).optional(),
  transactions: z.array(account).optional(),
  additionalInformation: more.optional(),
  availableAccounts: every.optional(),
  availableAccountsWithBalance: every.optional(),
  allPsd2: every.optional(),
  restrictedTo: z.array(z.string()).optional(),
});

const validUntil = day("Valid until", "Last day of validity; 9999-12-31 requests the maximum.");
const recurringIndicator = z
  .boolean()
  .meta({ title: "Recurring", description: "True for repeated reads, false for a single one." });
const frequencyPerDay = z.int().min(1).meta({
  title: "Frequency per day",
  description: "Maximum reads per day without the person present; usually 4, and 1 if not recurring.",
});

export const NewConsent = z
  .object({
    access: z
      .strictObject(
        accessShape(
          NewAccountReference,
          z.object(extraAccess(NewAccountReference)),
          z.enum(allAccountsOptions),
        ),
      )
      .meta({
        title: "Access",
        description: "Accounts to read, per kind of data; an empty list lets the person choose.",
      }),
    recurringIndicator,
    validUntil,
    frequencyPerDay,
    combinedServiceIndicator: z.boolean().meta({
      title: "Combined service",
      description: "True if a payment follows in the same session.",
    }),
  })
  .meta({ id: "NewConsent", description: "A consent to request from a person." });

const extraAccessData = z.object(
  describeFields(extraAccess(AccountReference), {
    ownerName: "Accounts whose owner names may be read.",
    trustedBeneficiaries: "Accounts whose trusted beneficiaries may be read.",
  }),
);

const access = z
  .object(
    describeFields(accessShape(AccountReference, extraAccessData, openEnum(allAccountsOptions)), {
      accounts: "Accounts whose details may be read.",
      balances: "Accounts whose balances may be read.",
      transactions: "Accounts whose transactions may be read.",
      additionalInformation: "Further data that may be read of these accounts.",
      availableAccounts: "Permission to list all accounts, with or without owner names.",
      availableAccountsWithBalance:
        "Permission to list all accounts with balances, with or without owner names.",
      allPsd2: "Permission to read all accounts, balances and transactions, with or without owner names.",
      restrictedTo:
        "Account types to which the consent is restricted (ISO 20022 ExternalCashAccountType1Code); absent if unrestricted.",
    }),
  )
  .meta({ description: "Accounts that may be read, per kind of data." });

export const Consent = z
  .object({
    access,
    recurringIndicator,
    validUntil: validUntil.meta({
      description: "Last day of validity, as the service set it; may be earlier than requested.",
    }),
    frequencyPerDay: z.int().meta({ description: "Maximum reads per day without the person present." }),
    lastActionDate: day("Last action", "Date of the last status change."),
    consentStatus: ConsentStatus,
    _links: Links.optional().meta({
      description: "Links; `account` leads to the accounts that may be read.",
    }),
  })
  .meta({ id: "Consent", description: "A person's consent to read account information." });

export const CreatedConsent = z
  .object({
    consentStatus: ConsentStatus,
    consentId: textField("Consent ID; reads under the consent send it as Consent-ID."),
    ...authorisationFields,
    psuMessage,
    _links: authorisationLinks,
  })
  .meta({ id: "CreatedConsent", description: "A new consent, with the links for its authorisation." });

export const ConsentState = z
  .object({ consentStatus: ConsentStatus, psuMessage })
  .meta({ id: "ConsentState", description: "Status of a consent." });

const parameters = { "consent-id": ConsentId };

const operation = section({
  section: { title: "Consents", icon: "consents.svg", category: "fxdesk open banking", order: 10 },
  server: "xs2a",
  credentials,
  errors,
});

export const createConsent = operation({
  name: "consents.create",
  tool: "create_consent",
  title: "Create consent",
  summary:
    "Creates a consent to read accounts through open banking and returns the authorisation link. To also wait for the authorisation, use consents.connect.",
  notes: "The consent cannot be used until a person has authorised it.",
  keywords: ["permission", "access", "mandate", "AIS", "PSD2", "Einwilligung", "Zugriff"],
  effect: "change",
  method: "POST",
  path: "/v1/consents",
  headers: {
    ...attendedHeaders,
    ...psuIdentity,
    ...redirectHeaders,
    ...decoupledHeaders,
    ...explicitAuthorisationHeaders,
    ...brandHeaders,
    ...notificationHeaders,
  },
  body: NewConsent,
  responses: {
    201: json(
      CreatedConsent,
      "The consent was created and awaits authorisation by the person.",
      createdHeaders,
    ),
  },
  identifiedBy: "consentId",
  labelFields: ["validUntil"],
  contract: "A1",
});

export const getConsent = operation({
  name: "consents.get",
  tool: "get_consent",
  title: "Get consent",
  summary: "Returns a consent: the accounts and data it covers, its status and its last day of validity.",
  keywords: ["permission", "access", "scope", "Einwilligung", "Zugriff"],
  effect: "read",
  method: "GET",
  path: "/v1/consents/{consent-id}",
  parameters,
  headers,
  responses: { 200: json(Consent, "The consent.", responseHeaders) },
  contract: "A2",
});

export const deleteConsent = operation({
  name: "consents.delete",
  tool: "delete_consent",
  title: "Delete consent",
  summary: "Ends a consent, so that its accounts can no longer be read.",
  keywords: ["revoke", "withdraw", "disconnect", "Einwilligung widerrufen", "trennen"],
  effect: "change",
  method: "DELETE",
  path: "/v1/consents/{consent-id}",
  parameters,
  headers,
  responses: { 204: empty("The consent was ended.", responseHeaders) },
  contract: "A3",
});

export const getConsentStatus = operation({
  name: "consents.getStatus",
  tool: "get_consent_status",
  title: "Get consent status",
  summary: "Returns the status of a consent, such as valid, received or expired.",
  keywords: ["permission", "access", "Einwilligung", "gültig", "abgelaufen"],
  effect: "read",
  method: "GET",
  path: "/v1/consents/{consent-id}/status",
  parameters,
  headers,
  responses: { 200: json(ConsentState, "The current status.", responseHeaders) },
  contract: "A4",
});

export const startConsentAuthorisation = operation({
  name: "consents.startAuthorisation",
  tool: "start_consent_authorisation",
  title: "Start consent authorisation",
  summary: "Starts authorisation (SCA) of a consent; a person completes it at the returned link.",
  keywords: ["sign", "strong customer authentication", "Einwilligung", "Autorisierung"],
  effect: "change",
  method: "POST",
  path: "/v1/consents/{consent-id}/authorisations",
  parameters,
  headers: { ...headers, ...psuIdentity, ...redirectHeaders, ...notificationHeaders },
  body: emptyBody,
  responses: { 201: authorisationStarted },
  contract: "A5",
});

export const listConsentAuthorisations = operation({
  name: "consents.listAuthorisations",
  tool: "list_consent_authorisations",
  title: "List consent authorisations",
  summary:
    "Lists the IDs of the authorisations started for a consent. For their status, use consents.getAuthorisation.",
  keywords: ["SCA", "Einwilligung", "Autorisierungen"],
  effect: "read",
  method: "GET",
  path: "/v1/consents/{consent-id}/authorisations",
  parameters,
  headers,
  responses: { 200: authorisationIds },
  contract: "A6",
});

export const getConsentAuthorisation = operation({
  name: "consents.getAuthorisation",
  tool: "get_consent_authorisation",
  title: "Get consent authorisation",
  summary: "Returns the SCA status of one authorisation of a consent.",
  keywords: ["strong customer authentication", "Einwilligung", "Autorisierung"],
  effect: "read",
  method: "GET",
  path: "/v1/consents/{consent-id}/authorisations/{authorisation-id}",
  parameters: { ...parameters, "authorisation-id": AuthorisationId },
  headers,
  responses: { 200: authorisationStatus },
  contract: "A7",
});

export const consents = [
  createConsent,
  getConsent,
  deleteConsent,
  getConsentStatus,
  startConsentAuthorisation,
  listConsentAuthorisations,
  getConsentAuthorisation,
] as const;
