/** The settings of a connection as data: environment variables, command-line flags and forms derive from it. */
import type { Service, Setting } from "../declaration/service";
import { settings as contractSettings } from "../contract/settings";
import { limitViolation } from "./limits";
import type { ClientOptions } from "./client-options";

const limitSetting = (name: string, title: string, description: string): Setting => ({
  name,
  title,
  description,
  secret: false,
  section: "limits",
  shape: "count",
});

/** What a client can be told beside the settings of its service: whole numbers. */
const limitSettings = [
  limitSetting(
    "timeoutMs",
    "Time limit (ms)",
    "Time limit of one call including its retries; default 30000.",
  ),
  limitSetting(
    "queueTimeoutMs",
    "Longest wait (ms)",
    "Maximum time a call waits for the rate limiter before its time limit starts; default 60000.",
  ),
  limitSetting(
    "requestsPerSecond",
    "Requests a second",
    "Requests per second that the service accepts from this client, if known; otherwise measured.",
  ),
  limitSetting("queueLimit", "Longest queue", "Maximum number of waiting calls; default 10000."),
];

/** Who keeps the pace. */
const pacingSetting: Setting = {
  name: "pacing",
  title: "Pacing",
  description:
    "Share the rate limit with all processes that use the same store; by default each process has its own.",
  options: ["own", "shared"],
  secret: false,
  section: "limits",
};

/** Who the journal says has asked. */
export const actorSetting: Setting = {
  name: "actor",
  title: "Actor",
  description: "Name of the requester, recorded in the journal for calls that commit money.",
  secret: false,
  section: "records",
};

/** What needs a person's yes, and whose. */
export const releaseSettingFields: readonly Setting[] = [
  {
    name: "policy",
    title: "Policy",
    description:
      "Absolute path of the policy file: which calls a person must release, and within which limits.",
    secret: false,
    section: "records",
  },
  {
    name: "people",
    title: "People",
    description: "Absolute path of the file with the people who release; requesters need no read access.",
    secret: false,
    section: "records",
  },
];

/** Where the store is, and what encrypts it. */
export const storeSettingFields: readonly Setting[] = [
  {
    name: "store",
    title: "Store",
    description:
      "Store of the journal and the refreshed tokens: absolute path of a file, or postgres://host/database; " +
      "default is a file in your state folder.",
    secret: false,
    section: "records",
  },
  {
    name: "storeKey",
    title: "Store key",
    description: "Encryption key of the store: 32 bytes in Base64.",
    secret: true,
    section: "records",
  },
];

/** All settings of a connection to a service. */
export const settingsOf = ({ settings }: Pick<Service, "settings">): readonly Setting[] => [
  ...settings,
  ...limitSettings,
  pacingSetting,
  actorSetting,
  ...releaseSettingFields,
  ...storeSettingFields,
];

/** `clientId` is `FXDESK_CLIENT_ID` in the environment. */
export const environmentName = (name: string): string =>
  `FXDESK_${name.replace(/([A-Z])/g, "_$1").toUpperCase()}`;

/** Name the module of an extension, and the operations in it whose declared effect counts although they are no GET. */
export const extensionVariables = {
  path: environmentName("extensions"),
  effects: environmentName("extensionEffects"),
} as const;

/** The settings that an environment gives, by name. */
export function settingsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  service: Pick<Service, "settings"> = { settings: contractSettings },
): Record<string, string> {
  const entries = settingsOf(service).flatMap(({ name }) => {
    const value = environment[environmentName(name)];
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

function parseLimit(name: string, value: string): number {
  const violation = limitViolation(/^\d+$/.test(value) ? Number(value) : JSON.stringify(value));
  if (violation) throw new TypeError(`${name} ${violation}.`);
  return Number(value);
}

/** Client options from settings by name, all of them text; empty ones count as absent. Throws a TypeError otherwise. */
export function optionsFromSettings(values: Readonly<Record<string, string | undefined>>): ClientOptions {
  const given = Object.entries(values).filter(([, value]) => value) as [string, string][];
  const isLimit = ([name]: readonly [string, string]) => limitSettings.some((each) => each.name === name);
  return {
    settings: Object.fromEntries(given.filter((entry) => !isLimit(entry))),
    ...Object.fromEntries(given.filter(isLimit).map(([name, value]) => [name, parseLimit(name, value)])),
  };
}
