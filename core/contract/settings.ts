/**
 * The settings of the contract's service. In a separate file, so that reading settings does not load the operations.
 */
import type { Setting, SettingSection } from "../spec/service";

const setting = (name: string, title: string, description: string): Setting => ({
  name,
  title,
  description,
  secret: false,
});
const inSection =
  (section: SettingSection) =>
  (name: string, title: string, description: string): Setting => ({
    ...setting(name, title, description),
    section,
  });
const credential = inSection("credentials");
const openBanking = inSection("openBanking");
const secret = (name: string, title: string, description: string): Setting => ({
  ...credential(name, title, description),
  secret: true,
});
const asAddress = (each: Setting): Setting => ({ ...each, shape: "address" });
/** Accepts any scheme, because people may return to an application. */
const asUri = (each: Setting): Setting => ({ ...each, shape: "uri" });

export const settings: readonly Setting[] = [
  {
    ...setting("environment", "Environment", "`api` for production, `sandbox` for the service's sandbox."),
    options: ["api", "sandbox"],
    default: "api",
    productionValue: "api",
  },
  {
    ...setting("domain", "Domain", "Domain of the service, used as https://{environment}.{domain}/."),
    example: "example.com",
    shape: "host",
  },
  {
    ...asAddress(
      setting(
        "baseUrl",
        "Base address",
        "Full address of the JSON interface; replaces environment and domain.",
      ),
    ),
    example: "https://sandbox.example.com/",
  },
  setting("clientId", "Client ID", "ID of the corporate client whose accounts and trades are used."),
  secret("accessToken", "Access token", "OAuth access token, sent as a bearer token."),
  secret("apiKey", "API key", "API key of the trade endpoints, sent as x-api-key."),
  credential("contactId", "Contact ID", "ID of the contact on whose behalf calls are made."),
  credential(
    "authClientId",
    "Application ID",
    "Client ID of the OAuth application, for logging in and refreshing tokens.",
  ),
  secret("authClientSecret", "Application secret", "Client secret of the OAuth application."),
  secret("refreshToken", "Refresh token", "OAuth refresh token; requires the application's ID and secret."),
  secret(
    "login",
    "Login",
    "Name of a login whose tokens are in the store; replaces the refresh token, and requires the application's ID and secret.",
  ),
  asAddress(
    credential("authUrl", "Token address", "Address of the OAuth server; default is the base address."),
  ),
  asUri(
    credential(
      "redirectUri",
      "Redirect address",
      "Registered address to which a person returns after logging in or authorising.",
    ),
  ),
  {
    ...credential(
      "pkce",
      "PKCE",
      "PKCE method for logging in (RFC 7636); `none` if the service rejects its parameters.",
    ),
    options: ["S256", "none"],
  },
  {
    ...asAddress(openBanking("xs2aUrl", "Open-banking address", "Address of the open-banking interfaces.")),
    example: "https://xs2a.example.com",
  },
  {
    ...openBanking("psuIpAddress", "PSU IP address", "Open banking: IPv4 address of the person, if present."),
    parameterName: "PSU-IP-Address",
    shape: "ipv4",
  },
  {
    ...openBanking("psuId", "PSU ID", "Open banking: the person's ID at the bank."),
    parameterName: "PSU-ID",
  },
  {
    ...openBanking("psuCorporateId", "PSU corporate ID", "Open banking: the company's ID at the bank."),
    parameterName: "PSU-Corporate-ID",
  },
  asUri(
    openBanking(
      "nokRedirectUri",
      "Redirect address after refusal",
      "Open banking: address to which a person returns after a failed or refused authorisation.",
    ),
  ),
  asAddress(
    openBanking(
      "notificationUri",
      "Notification address",
      "Open banking: address to which status changes are sent.",
    ),
  ),
  {
    ...openBanking(
      "cutOffs",
      "Cut-off times",
      "Times by which the service must receive payments of a day, by currency, SEPA or TARGET2, each with its time zone, " +
        "and `the day before` where it is so. Payment runs are checked with them.",
    ),
    example: "SEPA 14:00 Europe/Berlin, USD 17:30 UTC, JPY 15:00 UTC the day before",
  },
  {
    ...openBanking(
      "replaysByRequestId",
      "Replays by request ID",
      "`yes` if the service answers a repeated X-Request-ID with its first response: a payment with a lost response " +
        "is then sent again.",
    ),
    options: ["no", "yes"],
  },
];
