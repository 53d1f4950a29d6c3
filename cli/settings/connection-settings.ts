/** Reads connection settings from the environment and from flags. Secrets have no flag. */
import type { ClientOptions } from "../../core/call/client-options";
import {
  environmentName,
  optionsFromSettings,
  settingsFromEnvironment,
  settingsOf,
} from "../../core/call/settings";
import type { Service, Setting } from "../../core/spec/service";
import { settings as contractSettings } from "../../core/contract/settings";
import { type Flag, type ParsedArguments, UsageError, flagName } from "../command-line/arguments";
import { columns, section } from "../command-line/help";

/** The settings of a service; without its operations, commands start faster. */
export type ServiceSettings = Pick<Service, "settings">;
const contract: ServiceSettings = { settings: contractSettings };

const publicSettings = (service: ServiceSettings) => settingsOf(service).filter(({ secret }) => !secret);
const secretSettings = (service: ServiceSettings) => settingsOf(service).filter(({ secret }) => secret);

const flagPlaceholder = ({ options }: Setting): string => (options ? `<${options.join("|")}>` : "<text>");

/** Returns flags for the settings that are not secret. */
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

/** Renders the help section for settings. */
export const settingsHelp = (title: string, settings: readonly Setting[]): string =>
  section(
    `${title} settings, as environment variables or as the flags in parentheses`,
    columns(
      settings.map(({ name, description, secret }) => {
        const flag = secret ? "no flag: secret" : `--${flagName(name)}`;
        return [environmentName(name), `${description} (${flag})`];
      }),
    ),
  )!;

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
  return Object.fromEntries(flags);
}

/** Returns the settings of flags and environment, by name. Flags take precedence. */
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
 * Converts a TypeError about a setting to a UsageError that names the variable and flag; rethrows other errors. The message
 * must begin with the name of the setting.
 */
export function throwAsUsage(error: unknown, service: ServiceSettings = contract): never {
  if (!(error instanceof TypeError)) throw error;
  throw new UsageError(error.message.replace(/^\w+/, (name) => settingLocation(name, service) ?? name));
}

/** Runs `read` and converts its TypeError with `throwAsUsage`. */
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

/** Returns the variable and flag of a setting; undefined for an unknown setting. */
export function settingLocation(name: string, service: ServiceSettings = contract): string | undefined {
  const setting = settingsOf(service).find((known) => known.name === name);
  if (!setting) return undefined;
  return setting.secret ? environmentName(name) : `${environmentName(name)} or --${flagName(name)}`;
}

/** Returns the environment variables that hold credentials. */
export const credentialVariables = (service: ServiceSettings = contract): string[] =>
  secretSettings(service).map(({ name }) => environmentName(name));
