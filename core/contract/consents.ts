/** Consents to account information, and how a person authorises them. Contract: account information, rows 1 to 7. */
import { z } from "zod";
import { day, openEnum } from "../schema/values";
import {
  authorisationFields,
  authorisingLinks,
  described,
  Links,
  NewAccountReference,
  AccountReference,
  psuMessage,
} from "../schema/xs2a";
import { ConsentStatus } from "../schema/statuses";
import { empty, json, section } from "../declaration/declare";
import {
  accountErrors as errors,
  responseHeaders,
  attendedHeaders,
  authorisationIds,
  AuthorisationId,
  authorisationStarted,
  authorisationStatus,
  brand,
  ConsentId,
  createdHeaders,
  credentials,
  decoupled,
  explicitAuthorisation,
  headers,
  emptyBody,
  notification,
  psuIdentity,
  redirect,
} from "./xs2a";

const all = ["allAccounts", "allAccountsWithOwnerName"] as const;

/** More that a consent opens of its accounts. */
const moreOf = <A extends z.ZodType>(account: A) => ({
  ownerName: z.array(account).optional(),
  trustedBeneficiaries: z.array(account).optional(),
});

/** Which accounts a consent opens. An empty list leaves the choice to the person. */
const accessTo = <A extends z.ZodType, M extends z.ZodType, E extends z.ZodType>(
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

const validUntil = day("Valid until", "Last day; 9999-12-31 is the longest.");
const recurringIndicator = z.boolean().meta({ title: "Recurring", description: "Read more than once." });
const frequencyPerDay = z.int().min(1).meta({
  title: "Frequency per day",
  description: "Reads a day without a person; 1 when not recurring, 4 as a rule.",
});

export const NewConsent = z
  .object({
    access: z
      .strictObject(accessTo(NewAccountReference, z.object(moreOf(NewAccountReference)), z.enum(all)))
      .meta({
        title: "Access",
        description: "Accounts by use; an empty list lets the person choose.",
      }),
    recurringIndicator,
    validUntil,
    frequencyPerDay,
    combinedServiceIndicator: z.boolean().meta({
      title: "Combined service",
      description: "Whether a payment follows in the same session.",
    }),
  })
  .meta({ id: "NewConsent", description: "A consent to ask a person for." });

const moreAccess = z.object(
  described(moreOf(AccountReference), {
    ownerName: "Accounts whose owners' names may be read.",
    trustedBeneficiaries: "Accounts whose lists of trusted beneficiaries may be read.",
  }),
);

const access = z
  .object(
    described(accessTo(AccountReference, moreAccess, openEnum(all)), {
      accounts: "Accounts whose details may be read.",
      balances: "Accounts whose balances may be read.",
      transactions: "Accounts whose transactions may be read.",
      additionalInformation: "What else may be read of these accounts, if anything.",
      availableAccounts: "Whether the list of all accounts may be read, with or without owners' names.",
      availableAccountsWithBalance:
        "Whether the list of all accounts with balances may be read, with or without owners' names.",
      allPsd2: "Whether all accounts, balances and transactions may be read, with or without owners' names.",
      restrictedTo:
        "Types of account it is limited to (ISO 20022 ExternalCashAccountType1Code); absent where it is not.",
    }),
  )
  .meta({ description: "Accounts by what may be read of them." });

export const Consent = z
  .object({
    access,
    recurringIndicator,
    validUntil: validUntil.meta({
      description: "Last day of the consent, by the service's own date; it may be earlier than asked for.",
    }),
    frequencyPerDay: z.int().meta({ description: "How often a day the data may be read without a person." }),
    lastActionDate: day("Last action", "Day on which the status last changed."),
    consentStatus: ConsentStatus,
    _links: Links.optional().meta({ description: "account leads to the accounts that may be read." }),
  })
  .meta({ id: "Consent", description: "A person's consent to read account information." });

export const CreatedConsent = z
  .object({
    consentStatus: ConsentStatus,
    consentId: z
      .string()
      .meta({ description: "Identifier of the consent; each read under it sends it as Consent-ID." }),
    ...authorisationFields,
    psuMessage,
    _links: authorisingLinks,
  })
  .meta({ id: "CreatedConsent", description: "A new consent and what the person needs to authorise it." });

export const ConsentState = z
  .object({ consentStatus: ConsentStatus, psuMessage })
  .meta({ id: "ConsentState", description: "How a consent stands." });

const parameters = { "consent-id": ConsentId };

const operation = section({ server: "xs2a", credentials, errors });

export const createConsent = operation({
  name: "consents.create",
  tool: "create_consent",
  title: "Create consent",
  summary:
    "Creates (starts) a new consent (mandate) to read account information (AIS, PSD2) by open banking: asks for permission (access) to accounts at another bank.",
  notes: "It is valid once the person has authorised it at the link scaRedirect or scaOAuth.",
  effect: "change",
  method: "POST",
  path: "/v1/consents",
  headers: {
    ...attendedHeaders,
    ...psuIdentity,
    ...redirect,
    ...decoupled,
    ...explicitAuthorisation,
    ...brand,
    ...notification,
  },
  body: NewConsent,
  responses: { 201: json(CreatedConsent, "The consent is recorded and awaits the person.", createdHeaders) },
  identifiedBy: "consentId",
  knownBy: ["validUntil"],
  contract: "A1",
});

export const getConsent = operation({
  name: "consents.get",
  tool: "get_consent",
  title: "Get consent",
  summary:
    "Returns the details of a consent (mandate, agreement): what access (permission) to accounts it covers or includes (scope), and until when it is valid.",
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
  summary:
    "Ends (removes, terminates) a consent: revokes or withdraws access and permission to accounts, disconnects (unlinks) the bank.",
  effect: "change",
  method: "DELETE",
  path: "/v1/consents/{consent-id}",
  parameters,
  headers,
  responses: { 204: empty("The consent has ended.", responseHeaders) },
  contract: "A3",
});

export const getConsentStatus = operation({
  name: "consents.getStatus",
  tool: "get_consent_status",
  title: "Get consent status",
  summary:
    "Returns the status of a consent: whether the bank access (permission) is accepted yet, still valid (active), or has run out (expired, lapsed).",
  effect: "read",
  method: "GET",
  path: "/v1/consents/{consent-id}/status",
  parameters,
  headers,
  responses: { 200: json(ConsentState, "The status.", responseHeaders) },
  contract: "A4",
});

export const startConsentAuthorisation = operation({
  name: "consents.startAuthorisation",
  tool: "start_consent_authorisation",
  title: "Start consent authorisation",
  summary:
    "Begins the authorisation of a consent that nobody has authorised, or restarts it after a time-out: to confirm (sign) the permission at the bank again.",
  effect: "change",
  method: "POST",
  path: "/v1/consents/{consent-id}/authorisations",
  parameters,
  headers: { ...headers, ...psuIdentity, ...redirect, ...notification },
  body: emptyBody,
  responses: { 201: authorisationStarted },
  contract: "A5",
});

export const listConsentAuthorisations = operation({
  name: "consents.listAuthorisations",
  tool: "list_consent_authorisations",
  title: "List consent authorisations",
  summary:
    "Lists which authorisations (sign-ins, SCA attempts) were started for a consent (access permission), and their IDs.",
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
  summary:
    "Returns the SCA status (step) of an authorisation of a consent: whether its person has authorised (completed, confirmed) the access, or it failed.",
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
