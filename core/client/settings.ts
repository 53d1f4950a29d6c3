/** The settings of a connection as data: environment variables, command-line flags and forms derive from it. */
import type { Service, Setting } from "../declaration/service";
import { settings as contractSettings } from "../contract/settings";
import { limitViolation } from "./limits";
import type { ClientOptions } from "./options";

const limit = (name: string, title: string, description: string): Setting => ({
  name,
  title,
  description,
  secret: false,
  section: "limits",
  shape: "count",
});

/** What a client can be told beside the settings of its service: whole numbers. */
const limits = [
  limit("timeoutMs", "Time limit (ms)", "For one call over all its attempts; 30000 by default."),
  limit(
    "queueTimeoutMs",
    "Longest wait (ms)",
    "Of a call for its turn, before its time begins; 60000 by default.",
  ),
  limit(
    "requestsPerSecond",
    "Requests a second",
    "That the service takes of this client, where you know it; else it is found out.",
  ),
  limit("queueLimit", "Longest queue", "Calls that wait for their turn at most; 10000 by default."),
];

/** Who keeps the pace. */
const pacing: Setting = {
  name: "pacing",
  title: "Pacing",
  description:
    "Keep to one pace with all processes that share the store; by default each process keeps its own.",
  options: ["own", "shared"],
  secret: false,
  section: "limits",
};

/** Who the journal says has asked. */
export const actor: Setting = {
  name: "actor",
  title: "Actor",
  description: "Who asks for calls that commit money, as the journal has it.",
  secret: false,
  section: "records",
};

/** What needs a person's yes, and whose. */
export const releaseDeclaration: readonly Setting[] = [
  {
    name: "policy",
    title: "Policy",
    description:
      "Absolute path of the file that says which calls need a person's yes, and within which limits.",
    secret: false,
    section: "records",
  },
  {
    name: "people",
    title: "People",
    description:
      "Absolute path of the file of people who release; who only asks need not be able to read it.",
    secret: false,
    section: "records",
  },
];

/** Where the store is, and what encrypts it. */
export const storeDeclaration: readonly Setting[] = [
  {
    name: "store",
    title: "Store",
    description:
      "Where the journal and refreshed tokens are kept, for all that use them: a file, or postgres://host/database; " +
      "by default a file in your state folder.",
    secret: false,
    section: "records",
  },
  {
    name: "storeKey",
    title: "Store key",
    description: "32 bytes in base64, which encrypt the store.",
    secret: true,
    section: "records",
  },
];

/** All settings of a connection to a service. */
export const settingsOf = ({ settings }: Pick<Service, "settings">): readonly Setting[] => [
  ...settings,
  ...limits,
  pacing,
  actor,
  ...releaseDeclaration,
  ...storeDeclaration,
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

function limitFrom(name: string, value: string): number {
  const violation = limitViolation(/^\d+$/.test(value) ? Number(value) : JSON.stringify(value));
  if (violation) throw new TypeError(`${name} ${violation}.`);
  return Number(value);
}

/** Client options from settings by name, all of them text; empty ones count as absent. Throws a TypeError otherwise. */
export function optionsFromSettings(values: Readonly<Record<string, string | undefined>>): ClientOptions {
  const given = Object.entries(values).filter(([, value]) => value) as [string, string][];
  const isLimit = ([name]: readonly [string, string]) => limits.some((each) => each.name === name);
  return {
    settings: Object.fromEntries(given.filter((entry) => !isLimit(entry))),
    ...Object.fromEntries(given.filter(isLimit).map(([name, value]) => [name, limitFrom(name, value)])),
  };
}
