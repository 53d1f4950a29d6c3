/** Settings of a connection as data, from which environment variables, command-line flags and forms derive. */
import type { Service, Setting } from "../spec/service";
import { settings as contractSettings } from "../contract/settings";
import { limitViolation } from "../http/deadline";
import type { ClientOptions } from "./client-options";

const limit = { secret: false, section: "limits" } as const;
const record = { secret: false, section: "records" } as const;
const network = { secret: false, section: "network" } as const;

/** Settings of the network of every client. */
const networkSettings: readonly Setting[] = [
  {
    ...network,
    name: "proxy",
    title: "Proxy",
    description:
      "Address of the HTTP proxy, without credentials; default is HTTPS_PROXY or HTTP_PROXY. This machine is always reached directly.",
    shape: "address",
  },
  {
    ...network,
    name: "proxyCredentials",
    title: "Proxy credentials",
    description: "User name and password for the proxy, as user:password.",
    secret: true,
  },
  {
    ...network,
    name: "noProxy",
    title: "No proxy for",
    description:
      "Hosts that are reached without a proxy: names with their subdomains, IP addresses or ranges, separated by commas; default is NO_PROXY.",
  },
  {
    ...network,
    name: "ca",
    title: "Certificate authorities",
    description:
      "Absolute path of a file (PEM) with certificate authorities that are trusted in addition to those of Node.js.",
  },
  {
    ...network,
    name: "clientCertificate",
    title: "Client certificate file",
    description: "Absolute path of your client certificate: PEM, or PKCS#12 with its key.",
  },
  {
    ...network,
    name: "clientKey",
    title: "Client key file",
    description:
      "Absolute path of the private key (PEM), unless it is in the file of the client certificate.",
  },
  {
    ...network,
    name: "clientKeyPassphrase",
    title: "Passphrase of the client key",
    description: "Passphrase of the private key or PKCS#12 file.",
    secret: true,
  },
  {
    ...network,
    name: "minTlsVersion",
    title: "Minimum TLS version",
    description: "Oldest accepted version of TLS; default TLSv1.2.",
    options: ["TLSv1.2", "TLSv1.3"],
  },
];

/** Numeric settings of every client. */
const limitSettings: readonly Setting[] = [
  {
    name: "timeoutMs",
    title: "Time limit (ms)",
    description: "Time limit of one call including its retries; default 30000.",
  },
  {
    name: "queueTimeoutMs",
    title: "Longest wait (ms)",
    description:
      "Maximum time a call waits for the rate limiter before its time limit starts; default 60000.",
  },
  {
    name: "requestsPerSecond",
    title: "Requests a second",
    description:
      "Requests per second that the service accepts from this client, if known; otherwise measured.",
  },
  {
    name: "queueLimit",
    title: "Longest queue",
    description: "Maximum number of waiting calls; default 10000.",
  },
].map((setting) => ({ ...setting, ...limit, shape: "count" }));

const pacingSetting: Setting = {
  ...limit,
  name: "pacing",
  title: "Pacing",
  description:
    "Share the rate limit with all processes that use the same store; by default each process has its own.",
  options: ["own", "shared"],
};

export const actorSetting: Setting = {
  ...record,
  name: "actor",
  title: "Actor",
  description:
    "Name recorded in the journal for calls that commit money. Where a policy applies, requesters authenticate instead.",
};

export const serviceKeySetting: Setting = {
  ...record,
  name: "serviceKey",
  title: "Service key",
  description: "Key by which this program requests where a policy applies; see fxdesk keys.",
  secret: true,
};

export const releaseSettingFields: readonly Setting[] = [
  {
    ...record,
    name: "policy",
    title: "Policy",
    description:
      "Absolute path of the policy file: which calls a person must release, and within which limits.",
  },
  {
    ...record,
    name: "people",
    title: "People",
    description: "Absolute path of the file with the people who release; requesters need no read access.",
  },
];

const releasesPageSetting: Setting = {
  ...record,
  name: "releasesPage",
  title: "Releases page",
  description:
    "Address of your releases page; waiting requests link to it, such as https://releases.example.com.",
  shape: "address",
};

export const storeSettingFields: readonly Setting[] = [
  {
    ...record,
    name: "store",
    title: "Store",
    description:
      "Store of the journal and the refreshed tokens: absolute path of a file, or postgres://host/database; " +
      "default is a file in your state folder.",
  },
  {
    ...record,
    name: "storeKey",
    title: "Store key",
    description: "Encryption key of the store: 32 bytes in Base64.",
    secret: true,
  },
];

/** Returns all settings of a connection to a service. */
export const settingsOf = ({ settings }: Pick<Service, "settings">): readonly Setting[] => [
  ...settings,
  ...networkSettings,
  ...limitSettings,
  pacingSetting,
  actorSetting,
  serviceKeySetting,
  ...releaseSettingFields,
  releasesPageSetting,
  ...storeSettingFields,
];

/** Returns the environment variable of a setting: `clientId` becomes `FXDESK_CLIENT_ID`. */
export const environmentName = (name: string): string =>
  `FXDESK_${name.replace(/([A-Z])/g, "_$1").toUpperCase()}`;

/** Variables for the extension module, and for its non-GET operations whose declared effect is trusted. */
export const extensionVariables = {
  path: environmentName("extensions"),
  effects: environmentName("extensionEffects"),
} as const;

/**
 * Throws a TypeError if a setting of the records is given but blank. An empty path or key would silently switch off what it
 * protects.
 */
export function assertRecordSettings(values: Readonly<Record<string, unknown>>): void {
  for (const { name } of [actorSetting, serviceKeySetting, ...releaseSettingFields, ...storeSettingFields]) {
    const value = values[name];
    if (value !== undefined && (typeof value !== "string" || value.trim() === ""))
      throw new TypeError(`${name} must not be blank. Give it a value, or do not set it.`);
  }
}

/** Reads settings from environment variables. Returns them by setting name. Throws a TypeError for a blank record setting. */
export function settingsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  service: Pick<Service, "settings"> = { settings: contractSettings },
): Record<string, string> {
  const entries = settingsOf(service).flatMap(({ name }) => {
    const value = environment[environmentName(name)];
    return value === undefined ? [] : [[name, value] as const];
  });
  assertRecordSettings(Object.fromEntries(entries));
  return Object.fromEntries(entries.filter(([, value]) => value));
}

function parseLimit(name: string, value: string): number {
  const violation = limitViolation(/^\d+$/.test(value) ? Number(value) : JSON.stringify(value));
  if (violation) throw new TypeError(`${name} ${violation}.`);
  return Number(value);
}

/**
 * Converts settings (all strings; empty ones are ignored) to client options. Throws a TypeError for an invalid number and for a
 * blank record setting.
 */
export function optionsFromSettings(values: Readonly<Record<string, string | undefined>>): ClientOptions {
  assertRecordSettings(values);
  const given = Object.entries(values).filter(([, value]) => value) as [string, string][];
  const isLimit = ([name]: readonly [string, string]) => limitSettings.some((each) => each.name === name);
  return {
    settings: Object.fromEntries(given.filter((entry) => !isLimit(entry))),
    ...Object.fromEntries(given.filter(isLimit).map(([name, value]) => [name, parseLimit(name, value)])),
  };
}
