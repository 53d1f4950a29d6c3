/** The connection of a command: from the environment, and from flags for what is not secret. */
import type { ClientOptions } from "../core/client/client-options";
import {
  environmentName,
  optionsFromSettings,
  settingsFromEnvironment,
  settingsOf,
} from "../core/client/settings";
import type { Service, Setting } from "../core/declaration/service";
import { settings as contractSettings } from "../core/contract/settings";
import { type Flag, type ParsedArguments, UsageError } from "./arguments";
import { columns, section } from "./help";
import { flagName } from "./flag-names";

/** What a connection is made of; a command that only reads settings loads no operations. */
export type ServiceSettings = Pick<Service, "settings">;
const contract: ServiceSettings = { settings: contractSettings };

const publicSettings = (service: ServiceSettings) => settingsOf(service).filter(({ secret }) => !secret);
const secretSettings = (service: ServiceSettings) => settingsOf(service).filter(({ secret }) => secret);

const flagPlaceholder = ({ options }: Setting): string => (options ? `<${options.join("|")}>` : "<text>");

/** The flags of settings that are not secret. */
export const settingFlags = (settings: readonly Setting[]): readonly Flag[] =>
  settings
    .filter(({ secret }) => !secret)
    .map((setting) => ({
      name: flagName(setting.name),
      value: flagPlaceholder(setting),
      description: setting.description,
    }));

export const connectionFlags = (service: ServiceSettings = contract): readonly Flag[] =>
  settingFlags(settingsOf(service));

/** What a person reads about settings in the help. */
export const settingsHelp = (title: string, settings: readonly Setting[]): string =>
  section(
    `${title}: from the environment, or by flags for what is not secret`,
    columns(
      settings.map(({ name, description, secret }) => {
        const flag = secret ? "never a flag" : `--${flagName(name)}`;
        return [environmentName(name), `${description} (${flag})`];
      }),
    ),
  )!;

export const connectionHelp = (service: ServiceSettings = contract): string =>
  settingsHelp("Connection", settingsOf(service));

/** Says so before parsing, without repeating the value: other users of a machine can read its command lines. */
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
        `--${flag} is not a flag: other users of this machine could read it. Set ${environmentName(name)} in the environment.`,
      );
  }
}

/** The settings that flags give, by name. `taken` are flags that mean something else. */
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
  return Object.fromEntries(flags);
}

/** The settings of flags and environment, by name: a flag wins. */
export const settingsFrom = (
  parsed: ParsedArguments,
  environment: Readonly<Record<string, string | undefined>>,
  service?: ServiceSettings,
  reservedFlags?: ReadonlySet<string>,
): Record<string, string | undefined> => ({
  ...settingsFromEnvironment(environment, service),
  ...settingsFromFlags(parsed, service, reservedFlags),
});

/**
 * What was found wrong with the settings is a mistake of usage; all else is thrown on. The setting that is named first is
 * named as a person sets it.
 */
export function throwAsUsage(error: unknown, service: ServiceSettings = contract): never {
  if (!(error instanceof TypeError)) throw error;
  throw new UsageError(error.message.replace(/^\w+/, (name) => settingLocation(name, service) ?? name));
}

/** Runs what reads the settings. */
export function asUsageError<T>(read: () => T, service: ServiceSettings = contract): T {
  try {
    return read();
  } catch (error) {
    return throwAsUsage(error, service);
  }
}

export const clientOptions = (
  settings: Readonly<Record<string, string | undefined>>,
  service: ServiceSettings = contract,
): ClientOptions => asUsageError(() => optionsFromSettings(settings), service);

/** Where a person sets what a setting's name stands for; undefined for any other name. */
export function settingLocation(name: string, service: ServiceSettings = contract): string | undefined {
  const setting = settingsOf(service).find((known) => known.name === name);
  if (!setting) return undefined;
  return setting.secret ? environmentName(name) : `${environmentName(name)} or --${flagName(name)}`;
}

/** The variables that hold credentials. */
export const credentialVariables = (service: ServiceSettings = contract): string[] =>
  secretSettings(service).map(({ name }) => environmentName(name));
