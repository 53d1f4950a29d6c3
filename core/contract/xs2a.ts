/**
 * Shared parts of the operations of the two open-banking interfaces. Contract: Standards-based payment initiation and
 * account information; headers and statuses as in their standard, version 1.3.12.
 *
 * Deliberately omitted: Digest, Signature and TPP-Signature-Certificate, which only services with signed messages need;
 * and request bodies with a person's password, because people authorise on the service's own page.
 */
import { isIPv4 } from "node:net";
import { z } from "zod";
import { textField } from "../values/response-fields";
import { TppMessages } from "../values/error-bodies";
import { id, uuid, webAddress } from "../values/values";
import {
  authorisationFields,
  authorisationLinks,
  nextLinks,
  psuMessage,
  psuName,
  tppMessages,
} from "../values/xs2a";
import { ScaStatus } from "../values/statuses";
import {
  byConnection,
  byConnectionOrGenerated,
  byFxdesk,
  errorsWith,
  hiddenFromModels,
  json,
} from "../spec/declare";
import type { ResponseHeaders } from "../spec/operation";

export const credentials = ["accessToken?"] as const;

const psuText = (title: string, description: string) => z.string().min(1).meta({ title, description });
const psuHeader = (title: string, description: string) =>
  byConnection(psuText(title, description).optional());

/** IPv4 only, as in the standard. */
const PsuIpAddress = z
  .string()
  .refine(isIPv4, "must be an IPv4 address, such as 192.0.2.7")
  .meta({ title: "PSU IP address", description: "IPv4 address of the person.", format: "ipv4" });

const requestHeaders = { "X-Request-ID": byFxdesk(uuid("Request ID", "UUID of the request."), "uuid") };
/** Headers of the person's own request, if a person is present. */
const deviceHeaders = {
  "PSU-IP-Port": psuHeader("PSU IP port", "Port of the person's connection."),
  "PSU-Accept": psuHeader("PSU Accept", "Accept header of the person's browser."),
  "PSU-Accept-Charset": psuHeader("PSU Accept-Charset", "Accept-Charset header of the person's browser."),
  "PSU-Accept-Encoding": psuHeader("PSU Accept-Encoding", "Accept-Encoding header of the person's browser."),
  "PSU-Accept-Language": psuHeader("PSU Accept-Language", "Accept-Language header of the person's browser."),
  "PSU-User-Agent": psuHeader("PSU User-Agent", "User-Agent header of the person's browser."),
  "PSU-Http-Method": byConnection(
    z
      .enum(["GET", "POST", "PUT", "PATCH", "DELETE"])
      .optional()
      .meta({ title: "PSU HTTP method", description: "HTTP method of the person's request." }),
  ),
  "PSU-Device-ID": byConnection(uuid("PSU device ID", "UUID of the person's device.").optional()),
  "PSU-Geo-Location": byConnection(
    z
      .string()
      .regex(
        /^GEO:-?[0-9]{1,2}\.[0-9]{6};-?[0-9]{1,3}\.[0-9]{6}$/,
        "must have the form GEO:52.506931;13.144558",
      )
      .optional()
      .meta({
        title: "PSU geo location",
        description: "Location of the person, as GEO:52.506931;13.144558.",
      }),
  ),
};

/** Headers of calls that may be made without a person. */
export const headers = {
  ...requestHeaders,
  "PSU-IP-Address": byConnection(PsuIpAddress.optional()),
  ...deviceHeaders,
};

/** Headers of calls that require a person's address. Defaults to the address of this machine. */
export const attendedHeaders = {
  ...requestHeaders,
  "PSU-IP-Address": byConnectionOrGenerated(PsuIpAddress, "local-address"),
  ...deviceHeaders,
};

/** Identity of the person and the company at the service. */
export const psuIdentity = {
  "PSU-ID": psuHeader("PSU ID", "The person's ID at the service."),
  "PSU-ID-Type": psuHeader("PSU ID type", "Type of the ID."),
  "PSU-Corporate-ID": psuHeader("PSU corporate ID", "The company's ID at the service."),
  "PSU-Corporate-ID-Type": psuHeader("PSU corporate ID type", "Type of the ID."),
};

const preference = (title: string, description: string) =>
  z.boolean().optional().meta({ title, description });

/** Addresses to which the person returns after authorisation. */
export const redirectHeaders = {
  "TPP-Redirect-Preferred": hiddenFromModels(
    preference("Redirect preferred", "True to prefer authorisation on the service's page."),
  ),
  "TPP-Redirect-URI": hiddenFromModels(
    webAddress(
      "Redirect address",
      "Address to which the person returns; required for a redirect.",
    ).optional(),
    "redirectUri",
  ),
  "TPP-Nok-Redirect-URI": hiddenFromModels(
    webAddress(
      "Redirect address after refusal",
      "Address to which the person returns after a failed or refused authorisation.",
    ).optional(),
    "nokRedirectUri",
  ),
};
export const decoupledHeaders = {
  "TPP-Decoupled-Preferred": hiddenFromModels(
    preference("Decoupled preferred", "True to prefer authorisation on the person's own device."),
  ),
};
export const explicitAuthorisationHeaders = {
  "TPP-Explicit-Authorisation-Preferred": preference(
    "Explicit authorisation preferred",
    "True to prefer authorisation in a separate call.",
  ).meta({ listedBy: "payments.cancel" }),
};
export const notificationHeaders = {
  "TPP-Notification-URI": hiddenFromModels(
    webAddress("Notification address", "Address to which status changes are sent.").optional(),
    "notificationUri",
  ),
  "TPP-Notification-Content-Preferred": hiddenFromModels(
    z
      .string()
      .regex(/^status=(SCA|PROCESS|LAST)(, ?(SCA|PROCESS|LAST))*$/, "must have the form status=SCA,LAST")
      .optional()
      .meta({
        title: "Notification content",
        description: "Status changes to report: status= followed by SCA, PROCESS or LAST, comma-separated.",
      }),
  ),
};
export const brandHeaders = {
  "TPP-Brand-Logging-Information": hiddenFromModels(
    z.string().optional().meta({ title: "Brand", description: "Brand name for the service's logs." }),
  ),
};

export const ConsentId = id("Consent ID", "From consents.create.");
/** The consent for reading account information. */
export const consentHeaders = { "Consent-ID": ConsentId };

const requestIdResponseHeader = { "X-Request-ID": "ID of the request." };

/** Headers of every response. */
export const responseHeaders: ResponseHeaders = requestIdResponseHeader;
/** Headers of responses that start an authorisation. */
const scaHeaders: ResponseHeaders = {
  ...requestIdResponseHeader,
  "ASPSP-SCA-Approach": "SCA approach: EMBEDDED, DECOUPLED or REDIRECT.",
};
/** Headers of responses that create a consent or payment. */
export const createdHeaders: ResponseHeaders = {
  ...scaHeaders,
  Location: "Address of the new resource.",
  "ASPSP-Notification-Support": "True if status changes are notified.",
  "ASPSP-Notification-Content": "Status changes that are notified.",
};

const usualErrors = errorsWith(
  {
    400: "The request does not conform to the standard.",
    401: "Certificate, token or consent is missing, invalid or expired.",
    403: "The caller has no access to the consent, resource or service.",
    404: "The resource or payment product does not exist.",
    405: "The method is not allowed on this resource.",
    406: "The requested response format is not supported.",
    408: "The service timed out while reading the request.",
    409: "The state of the resource does not allow the operation.",
    415: "The media type of the request body is not supported.",
    429: "Too many requests: the agreed frequency was exceeded.",
    500: "Internal error.",
    503: "The service is currently unavailable.",
  },
  TppMessages,
);

/** Errors of account information, including consents. */
export const accountErrors = usualErrors([408, 415, 500, 503], [400, 401, 403, 404, 405, 406, 409, 429]);

/** Errors of payment initiation. */
export const paymentErrors = usualErrors([406, 408, 415, 429, 500, 503], [400, 401, 403, 404, 405, 409]);

export const AuthorisationId = id("Authorisation ID", "ID from the list of authorisations.");

/** The response that starts an authorisation. */
export const authorisationStarted = json(
  z
    .object({
      scaStatus: ScaStatus,
      authorisationId: textField("Authorisation ID, for reading its status."),
      ...authorisationFields,
      psuMessage,
      _links: authorisationLinks,
    })
    .meta({
      id: "AuthorisationStarted",
      description: "A new authorisation, with the links for the person.",
    }),
  "The authorisation was started; the scaRedirect or scaOAuth link leads the person to it.",
  scaHeaders,
);

export const authorisationIds = json(
  z
    .object({
      authorisationIds: z
        .array(z.string())
        .meta({ description: "Authorisation IDs, for reading their status." }),
    })
    .meta({ id: "Authorisations", description: "IDs of the authorisations that were started." }),
  "The IDs of the authorisations.",
  responseHeaders,
);

export const authorisationStatus = json(
  z
    .object({
      scaStatus: ScaStatus,
      psuMessage,
      psuName,
      trustedBeneficiaryFlag: z.boolean().optional().meta({
        description: "True if the creditor is a trusted beneficiary; only with a final scaStatus.",
      }),
      _links: nextLinks,
      tppMessage: tppMessages,
    })
    .meta({ id: "AuthorisationStatus", description: "Status of an authorisation." }),
  "The status of the authorisation.",
  responseHeaders,
);

/** An empty body, because the person authorises on the service's page. */
export const emptyBody = z.object({});
