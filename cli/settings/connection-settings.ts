/** Reads connection settings from the environment and from flags. Secrets have no flag. */
import {
  assertRecordSettings,
  environmentName,
  extensionVariables,
  settingsFromEnvironment,
  settingsOf,
  storeSettingFields,
} from "../../core/call/settings";
import type { Service, Setting } from "../../core/spec/service";
import { settings as contractSettings } from "../../core/contract/settings";
import { parseStoreSettings, type StoreSettings } from "../../core/store/settings";
import type { Store } from "../../core/store/open";
import { type Flag, type ParsedArguments, UsageError, flagName } from "../command-line/arguments";
import { section } from "../command-line/command";
import type { Terminal } from "../terminal/terminal";

/** The settings of a service; without its operations, commands start faster. */
export type ServiceSettings = Pick<Service, "settings">;
export const contract: ServiceSettings = { settings: contractSettings };

const publicSettings = (service: ServiceSettings) => settingsOf(service).filter(({ secret }) => !secret);
const secretSettings = (service: ServiceSettings) => settingsOf(service).filter(({ secret }) => secret);

const flagPlaceholder = ({ options }: Setting): string => (options ? `<${options.join("|")}>` : "<text>");

/** Returns flags for the settings that are not secret. */
const settingFlags = (settings: readonly Setting[]): readonly Flag[] =>
  settings
    .filter(({ secret }) => !secret)
    .map((setting) => ({
      name: flagName(setting.name),
      value: flagPlaceholder(setting),
      description: setting.description,
    }));

export const connectionFlags = (service: ServiceSettings = contract): readonly Flag[] =>
  settingFlags(settingsOf(service));

/** Renders the help section for settings. */
const settingsHelp = (title: string, settings: readonly Setting[]): string =>
  section(
    `${title} settings, as environment variables or as the flags in parentheses`,
    settings.map(({ name, description, secret }) => {
      const flag = secret ? "no flag: secret" : `--${flagName(name)}`;
      return [environmentName(name), `${description} (${flag})`] as const;
    }),
  )!;

/** Options of a command that takes these settings. */
export const settingOptions = (title: string, settings: readonly Setting[]) => ({
  hiddenFlags: settingFlags(settings),
  helpSections: [settingsHelp(title, settings)],
});

/** Options of the commands that open the store. */
export const storeOptions = settingOptions("Store", storeSettingFields);

export const connectionHelp = (service: ServiceSettings = contract): string =>
  settingsHelp("Connection", settingsOf(service));

/** Rejects secrets on the command line, without repeating the value: other users of the machine can read it. */
export function rejectSecretFlags(
  args: readonly string[],
  allowed: readonly string[],
  service: ServiceSettings = contract,
): void {
  for (const { name } of secretSettings(service)) {
    const flag = flagName(name);
    const given = args.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
    if (given && !allowed.includes(flag))
      throw new UsageError(
        `--${flag} is not allowed, because other users of this machine can read the command line. Set ${environmentName(name)} in the environment.`,
      );
  }
}

/** Returns the settings given as flags, by name. `reservedFlags` belong to the command itself. */
export function settingsFromFlags(
  parsed: ParsedArguments,
  service: ServiceSettings = contract,
  reservedFlags: ReadonlySet<string> = new Set(),
): Record<string, string> {
  const flags = publicSettings(service)
    .filter(({ name }) => !reservedFlags.has(flagName(name)))
    .flatMap(({ name }) => {
      const value = parsed.string(flagName(name));
      return value === undefined ? [] : [[name, value] as const];
    });
  const settings = Object.fromEntries(flags);
  asUsageError(() => assertRecordSettings(settings), service);
  return settings;
}

/** Returns the settings of flags and environment, by name. Flags take precedence. */
export const settingsFrom = (
  parsed: ParsedArguments,
  environment: Readonly<Record<string, string | undefined>>,
  service?: ServiceSettings,
  reservedFlags?: ReadonlySet<string>,
): Record<string, string | undefined> => ({
  ...asUsageError(() => settingsFromEnvironment(environment, service)),
  ...settingsFromFlags(parsed, service, reservedFlags),
});

/**
 * Converts a TypeError about a setting to a UsageError that names the variable and flag; rethrows other errors. The message
 * must begin with the name of the setting, and quote the names of others.
 */
export function throwAsUsage(error: unknown, service: ServiceSettings = contract): never {
  if (!(error instanceof TypeError)) throw error;
  const message = error.message
    .replace(/^\w+/, (name) => settingLocation(name, service) ?? name)
    .replace(/`(\w+)`/g, (quoted, name: string) =>
      settingLocation(name, service) ? environmentName(name) : quoted,
    );
  throw new UsageError(message);
}

/** Runs `read` and converts its TypeError with `throwAsUsage`. */
export function asUsageError<T>(read: () => T, service: ServiceSettings = contract): T {
  try {
    return read();
  } catch (error) {
    return throwAsUsage(error, service);
  }
}

/** Returns the variable and flag of a setting; undefined for an unknown setting. */
export function settingLocation(name: string, service: ServiceSettings = contract): string | undefined {
  const setting = settingsOf(service).find((known) => known.name === name);
  if (!setting) return undefined;
  return setting.secret ? environmentName(name) : `${environmentName(name)} or --${flagName(name)}`;
}

/** Returns the environment variables that hold secret credentials of the service. */
export const credentialVariables = (service: ServiceSettings = contract): string[] =>
  secretSettings(service)
    .filter((setting) => setting.section === "credentials")
    .map(({ name }) => environmentName(name));

export const storeSettingsFrom = (parsed: ParsedArguments, { environment }: Terminal): StoreSettings =>
  asUsageError(() => parseStoreSettings(settingsFrom(parsed, environment)));

/** Runs `work` on the store of the settings. */
export async function useStore<T>(
  parsed: ParsedArguments,
  terminal: Terminal,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const { withStore } = await import("../../core/store/open.js");
  return withStore(storeSettingsFrom(parsed, terminal), work);
}

/** Runs `work`, which only reads, on the store of the settings. A copy of a read-only store serves it as well. */
export const readStore: typeof useStore = (parsed, terminal, work) =>
  useStore(parsed, terminal, work).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EROFS") throw error;
    const { location } = storeSettingsFrom(parsed, terminal);
    throw new UsageError(
      `The store ${location} is on a read-only file system, but reading it without its -wal and -shm files writes them. Copy it and all ` +
        "files that start with its name to a writable folder, chmod 600 them, and pass the copy with --store or FXDESK_STORE.",
    );
  });

/** Converts a refusal, and an error about a setting, to a UsageError. */
export async function refusalAsUsage<T>(
  refusal: new (message: string) => Error,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof refusal) throw new UsageError(error.message);
    return throwAsUsage(error);
  }
}

export const extensionSettings: readonly (readonly [variable: string, description: string])[] = [
  [
    extensionVariables.path,
    "Absolute path of a CommonJS module with your operations, procedures, watches and interceptors.",
  ],
  [
    extensionVariables.effects,
    "Names of its operations, separated by commas, whose declared effect is trusted although they are not GET requests. " +
      "All other operations that are not GET requests count as money.",
  ],
];

export const extensionsHelp = section(
  "Extensions (your own operations), as environment variables",
  extensionSettings,
)!;

/** Loads a service on demand: commands that do not need its operations start faster without it. */
export type ServiceLoader = () => Promise<Service>;

/** Returns the service, by default the contract, with the extension that the environment names. */
export async function loadExtendedService({ environment }: Terminal, service?: Service): Promise<Service> {
  const { serviceFrom } = await import("../../core/client/extensions.js");
  try {
    return serviceFrom(environment, service);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
