/** The settings of a connection as data: environment variables, command-line flags and forms derive from it. */
import type { ClientOptions } from "./connection";

export interface Setting {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Kept out of flows, command lines, logs and results. */
  readonly secret: boolean;
  readonly options?: readonly string[];
}

const setting = (name: string, title: string, description: string): Setting => ({
  name,
  title,
  description,
  secret: false,
});
const secret = (name: string, title: string, description: string): Setting => ({
  ...setting(name, title, description),
  secret: true,
});

export const connectionSettings: readonly Setting[] = [
  {
    ...setting("environment", "Environment", "api for production, sandbox for the service's sandbox."),
    options: ["api", "sandbox"],
  },
  setting("domain", "Domain", "With the environment it gives the address https://{environment}.{domain}/."),
  setting(
    "baseUrl",
    "Base address",
    "Full address of the JSON interface, instead of environment and domain.",
  ),
  setting("xs2aUrl", "Open-banking address", "Address of the open-banking interfaces."),
  setting("authUrl", "Token address", "Address of the token endpoint; by default the base address."),
  setting("clientId", "Client ID", "The client whose accounts and trades are meant."),
  setting("contactId", "Contact ID", "The contact on whose behalf calls are made."),
  setting("psuIpAddress", "PSU IP address", "Open banking: IPv4 address of the person, when one is present."),
  setting("psuId", "PSU ID", "Open banking: the person's identifier at the bank."),
  setting("psuCorporateId", "PSU corporate ID", "Open banking: the company's identifier at the bank."),
  setting("timeoutMs", "Time limit (ms)", "For one call over all its attempts; 30000 by default."),
  setting("authClientId", "Application ID", "The OAuth application, to refresh the access token."),
  secret("authClientSecret", "Application secret", "The OAuth application's secret."),
  secret("accessToken", "Access token", "Sent as a bearer token."),
  secret("refreshToken", "Refresh token", "With the application's ID and secret: renews the access token."),
  secret("apiKey", "API key", "Sent as x-api-key to the trade endpoints."),
];

/** `clientId` is `FXDESK_CLIENT_ID` in the environment. */
export const environmentName = (name: string): string =>
  `FXDESK_${name.replace(/([A-Z])/g, "_$1").toUpperCase()}`;

/** The settings that an environment gives, by name. */
export function settingsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = connectionSettings.flatMap(({ name }) => {
    const value = environment[environmentName(name)];
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Without what is absent or empty. */
const present = (values: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as Record<string, string>;

/** Client options from settings by name, all of them text; empty ones count as absent. */
export function optionsFromSettings(values: Readonly<Record<string, string | undefined>>): ClientOptions {
  const { environment, timeoutMs, psuIpAddress, psuId, psuCorporateId } = values;
  if (environment && environment !== "api" && environment !== "sandbox")
    throw new TypeError(`environment must be api or sandbox, not ${JSON.stringify(environment)}.`);
  if (timeoutMs && !/^[1-9]\d*$/.test(timeoutMs))
    throw new TypeError(`timeoutMs must be a number of milliseconds, not ${JSON.stringify(timeoutMs)}.`);
  const { accessToken, refreshToken, apiKey, authClientId, authClientSecret } = values;
  const { domain, baseUrl, xs2aUrl, authUrl, clientId, contactId } = values;
  return {
    ...present({ environment, domain, baseUrl, xs2aUrl, authUrl, clientId, contactId }),
    ...(timeoutMs && { timeoutMs: Number(timeoutMs) }),
    credentials: present({ accessToken, refreshToken, apiKey, authClientId, authClientSecret }),
    psu: present({ "PSU-IP-Address": psuIpAddress, "PSU-ID": psuId, "PSU-Corporate-ID": psuCorporateId }),
  };
}
