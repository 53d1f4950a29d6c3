/** The service of the contract. */
import { operations } from "./all";
import { getLoginPage } from "./login";
import { defineService, type Service } from "../spec/service";
import { settings } from "./settings";

export const contract: Service<typeof operations> = defineService({
  // Contract: What the service does, rules 1 and 2.
  servers: {
    service: {
      description: "The JSON interface.",
      setting: "baseUrl",
      template: "https://{environment}.{domain}/",
    },
    xs2a: { description: "The open-banking interfaces.", setting: "xs2aUrl" },
  },
  // Contract: Authentication, 1, 3 and 4.
  credentials: {
    accessToken: {
      kind: "bearer",
      header: "authorization",
      setting: "accessToken",
      description: "The access token.",
    },
    apiKey: {
      kind: "header",
      header: "x-api-key",
      setting: "apiKey",
      description: "The API key of the trade endpoints.",
      optional: true,
    },
    contactId: {
      kind: "header",
      header: "X-Contact-ID",
      setting: "contactId",
      description: "The ID of the acting contact.",
    },
  },
  settings,
  requestIdHeader: "X-Request-ID",
  // ErrorMessage of the contract; tppMessages and problem+json of the open-banking standard.
  errorBodies: [
    { messages: ["tppMessages"], code: ["code"], message: ["text"], details: [], field: ["path"] },
    {
      messages: ["", "additionalErrors"],
      code: ["code"],
      message: ["message", "title"],
      details: ["details", "detail"],
    },
  ],
  // Codes of the open-banking standard that come with a 401 or 403 although the credentials are valid.
  advice: {
    CONSENT_INVALID:
      "The consent is not valid. Check with consents.getStatus whether a person must still authorise it.",
    CONSENT_EXPIRED: "The consent has expired. Create a new one with consents.create.",
    RESOURCE_UNKNOWN: "Check the ID: no such resource is visible to this client.",
    CONSENT_UNKNOWN: "The consent does not exist. Create one with consents.create.",
  },
  quotaCodes: ["ACCESS_EXCEEDED"],
  tokens: {
    server: "service",
    setting: "authUrl",
    path: "/token",
    loginPath: getLoginPage.path,
    scope: "openid",
  },
  // Consent IDs are excluded: a renewed consent has a new ID, but its customer stays the same.
  customerFields: ["client_id", "PSU-Corporate-ID", "PSU-ID"],
  operations,
});
