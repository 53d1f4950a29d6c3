/** The settings of the contract's service. They stand apart: who only reads settings loads no operations. */
import type { Setting, SettingSection } from "../declaration/service";

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
const address = (each: Setting): Setting => ({ ...each, shape: "address" });
/** Where a person returns to may be an application: any scheme does. */
const uri = (each: Setting): Setting => ({ ...each, shape: "uri" });

export const settings: readonly Setting[] = [
  {
    ...setting("environment", "Environment", "api for production, sandbox for the service's sandbox."),
    options: ["api", "sandbox"],
    default: "api",
    production: "api",
  },
  {
    ...setting(
      "domain",
      "Domain",
      "With the environment it gives the address https://{environment}.{domain}/.",
    ),
    example: "example.com",
    shape: "host",
  },
  address(
    setting(
      "baseUrl",
      "Base address",
      "Full address of the JSON interface, instead of environment and domain.",
    ),
  ),
  setting("clientId", "Client ID", "The client whose accounts and trades are meant."),
  secret("accessToken", "Access token", "Sent as a bearer token."),
  secret("apiKey", "API key", "Sent as x-api-key to the trade endpoints."),
  credential("contactId", "Contact ID", "The contact on whose behalf calls are made."),
  credential(
    "authClientId",
    "Application ID",
    "The OAuth application, to log in and to refresh the access token.",
  ),
  secret("authClientSecret", "Application secret", "The OAuth application's secret."),
  secret("refreshToken", "Refresh token", "With the application's ID and secret: renews the access token."),
  secret(
    "login",
    "Login",
    "A login whose tokens the store keeps, with the application's ID and secret: instead of a refresh token.",
  ),
  address(
    credential("authUrl", "Token address", "Address of the token endpoint; by default the base address."),
  ),
  uri(
    credential(
      "redirectUri",
      "Redirect address",
      "Where a person returns to after a login, as registered, and after authorising.",
    ),
  ),
  {
    ...credential("pkce", "PKCE", "Of a login, RFC 7636; none where the service refuses its parameters."),
    options: ["S256", "none"],
  },
  {
    ...address(openBanking("xs2aUrl", "Open-banking address", "Address of the open-banking interfaces.")),
    example: "https://xs2a.example.com",
  },
  {
    ...openBanking(
      "psuIpAddress",
      "PSU IP address",
      "Open banking: IPv4 address of the person, when one is present.",
    ),
    fills: "PSU-IP-Address",
    shape: "ipv4",
  },
  {
    ...openBanking("psuId", "PSU ID", "Open banking: the person's identifier at the bank."),
    fills: "PSU-ID",
  },
  {
    ...openBanking(
      "psuCorporateId",
      "PSU corporate ID",
      "Open banking: the company's identifier at the bank.",
    ),
    fills: "PSU-Corporate-ID",
  },
  uri(
    openBanking(
      "nokRedirectUri",
      "Redirect address after refusal",
      "Open banking: where a person returns to otherwise.",
    ),
  ),
  address(
    openBanking("notificationUri", "Notification address", "Open banking: where status changes are sent to."),
  ),
  {
    ...openBanking(
      "replaysByRequestId",
      "Replays by request ID",
      "yes where the service gives the response of the first call again to a repeated X-Request-ID: a payment " +
        "whose response was lost is then sent once more.",
    ),
    options: ["no", "yes"],
  },
];
