/** Profiles on the command line: saved by `fxdesk login`, used instead of the environment. */
import { environmentName, settingsFromEnvironment } from "../../core/call/settings";
import { settings as contractSettings } from "../../core/contract/settings";
import { isProfileName, readProfiles, unsealSecrets } from "../../core/http/profiles";
import type { Service } from "../../core/spec/service";
import { Unauthorized } from "../../core/spec/errors";
import {
  type Flag,
  flagName,
  type ParsedArguments,
  unknownWordError,
  UsageError,
} from "../command-line/arguments";
import { paragraph } from "../command-line/command";
import {
  asUsageError,
  connectionFlags,
  connectionHelp,
  settingsFrom,
  settingsFromFlags,
  storeSettingsFrom,
} from "./connection-settings";
import type { Terminal } from "../terminal/terminal";

export type Settings = Readonly<Record<string, string | undefined>>;

const profileVariable = environmentName("profile");

export const profileFlag: Flag = {
  name: "profile",
  value: "<name>",
  description: "Use the settings and login of this profile, saved by fxdesk login.",
};

/** Returns the flags of commands that call the service: connection settings and --profile. */
export const connectionAndProfileFlags = (service?: Service): readonly Flag[] => [
  ...connectionFlags(service),
  profileFlag,
];

export const profileHelp = paragraph(
  `With --profile or ${profileVariable}, the connection settings of that profile are used, and environment variables about the ` +
    "service are ignored.",
);

/** Options of commands that call the service. */
export const connectionAndProfileOptions = (service?: Service) => ({
  hiddenFlags: connectionAndProfileFlags(service),
  helpSections: [connectionHelp(service), profileHelp],
});

/** Returns the profile name from --profile or the environment. */
export function requestedProfile(parsed: ParsedArguments, { environment }: Terminal): string | undefined {
  const name = parsed.string(profileFlag.name) ?? (environment[profileVariable] || undefined);
  if (name === undefined || isProfileName(name)) return name;
  throw new UsageError(
    `--profile must be 1 to 64 letters, digits, dots, dashes or underscores, not ${JSON.stringify(name)}.`,
  );
}

/** Returns the profile name. Throws a UsageError if none is given. */
export function requiredProfile(parsed: ParsedArguments, terminal: Terminal): string {
  const name = requestedProfile(parsed, terminal);
  if (name !== undefined) return name;
  throw new UsageError("--profile <name> is required. Choose any name for this login.");
}

/** Returns the environment's settings that are not about the service, for example the store. */
function environmentSettings({ environment }: Terminal): Settings {
  const ofService = new Set(contractSettings.map(({ name }) => name));
  const given = Object.entries(asUsageError(() => settingsFromEnvironment(environment)));
  return Object.fromEntries(given.filter(([name]) => !ofService.has(name)));
}

interface LoadedProfile {
  /** Service settings and, if logged in, secrets of the profile; all other settings from the environment. */
  readonly settings: Settings;
  readonly isLoggedIn: boolean;
  /** Reason why the secrets cannot be read. */
  readonly unreadableReason?: string;
}

/** Loads a profile. Throws a UsageError if it does not exist. */
export async function loadProfile(
  name: string,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<LoadedProfile> {
  const profiles = await readProfiles();
  const profile = profiles.get(name);
  if (!profile)
    throw unknownWordError(
      `There is no profile ${name}`,
      name,
      [...profiles.keys()],
      "Run fxdesk profiles for a list.",
    );
  const store = storeSettingsFrom(parsed, terminal);
  const publicSettings = { ...environmentSettings(terminal), ...profile.settings };
  try {
    const secrets = unsealSecrets(name, profile, store);
    return { settings: { ...publicSettings, ...secrets }, isLoggedIn: profile.secrets !== undefined };
  } catch (error) {
    return { settings: publicSettings, isLoggedIn: false, unreadableReason: (error as Error).message };
  }
}

/** Throws a UsageError if a flag would send the profile's credentials to another service. */
async function assertSameService(name: string, flags: Settings): Promise<void> {
  if (Object.keys(flags).length === 0) return;
  const [{ contract }, { destinationSettingsOf }] = await Promise.all([
    import("../../core/contract/contract.js"),
    import("../../core/spec/service.js"),
  ]);
  const conflicting = destinationSettingsOf(contract).find((setting) => setting in flags);
  if (conflicting !== undefined)
    throw new UsageError(
      `--${flagName(conflicting)} cannot be changed for the profile ${name}. Log in to another profile for another service.`,
    );
}

/**
 * Returns the effective settings: those of the profile if one is named, otherwise of the environment. Flags take precedence,
 * except `reservedFlags`, which belong to the command itself.
 */
export async function effectiveSettings(
  parsed: ParsedArguments,
  terminal: Terminal,
  service?: Service,
  reservedFlags?: ReadonlySet<string>,
): Promise<Settings> {
  const name = requestedProfile(parsed, terminal);
  if (name === undefined) return settingsFrom(parsed, terminal.environment, service, reservedFlags);
  const flags = settingsFromFlags(parsed, service, reservedFlags);
  await assertSameService(name, flags);
  const { settings, isLoggedIn, unreadableReason } = await loadProfile(name, parsed, terminal);
  if (isLoggedIn) return { ...settings, ...flags };
  const reason = unreadableReason === undefined ? "" : `Its secrets cannot be read: ${unreadableReason} `;
  throw new Unauthorized(
    `The profile ${name} is not logged in. ${reason}Run fxdesk login --profile ${name}.`,
    { operation: "login", code: "unauthorized", outcome: "not-sent" },
  );
}
