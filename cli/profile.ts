/** Profiles on the command line: what `fxdesk login` has written down of a connection stands in for the environment. */
import { environmentName, settingsFromEnvironment } from "../core/client/settings";
import { settings as contractSettings } from "../core/contract/settings";
import {
  isProfileName,
  type Profile,
  type Profiles,
  readProfiles,
  unsealSecrets,
} from "../core/credentials/profiles";
import type { Service } from "../core/declaration/service";
import { Unauthorized } from "../core/errors";
import { suggestions } from "../core/suggestions";
import { parseStoreSettings } from "../core/store/settings";
import { type Flag, type ParsedArguments, UsageError } from "./arguments";
import { asUsageError, connectionFlags, settingsFrom, settingsFromFlags } from "./connection-settings";
import { flagName } from "./flag-names";
import type { Terminal } from "./terminal";

export type Settings = Readonly<Record<string, string | undefined>>;

const profileVariable = environmentName("profile");

export const profileFlag: Flag = {
  name: "profile",
  value: "<name>",
  description: "Who is logged in where, as fxdesk login wrote it down.",
};

/** The flags of what calls the service: those of its settings, and the profile in their place. */
export const connectionAndProfileFlags = (service?: Service): readonly Flag[] => [
  ...connectionFlags(service),
  profileFlag,
];

export const profileHelp =
  `With --profile, or ${profileVariable}, the settings of the service are those of fxdesk login: what the environment says ` +
  "of them does not count.";

/** The profile that is asked for. */
export function requestedProfile(parsed: ParsedArguments, { environment }: Terminal): string | undefined {
  const name = parsed.string(profileFlag.name) ?? (environment[profileVariable] || undefined);
  if (name === undefined || isProfileName(name)) return name;
  throw new UsageError(
    `--profile must be up to 64 letters, digits, dots, dashes and underscores, not ${JSON.stringify(name)}.`,
  );
}

/** The name of the profile that a command cannot do without. */
export function requiredProfile(parsed: ParsedArguments, terminal: Terminal): string {
  const name = requestedProfile(parsed, terminal);
  if (name !== undefined) return name;
  throw new UsageError("--profile is needed: a name of your own for who is logged in where.");
}

function findProfile(profiles: Profiles, name: string): Profile {
  const profile = profiles.get(name);
  if (profile) return profile;
  const near = suggestions(name, [...profiles.keys()]);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "fxdesk profiles lists them.";
  throw new UsageError(`There is no profile ${name}. ${hint}`);
}

/** What the environment says of all but the service, such as where the store is. */
function environmentSettings({ environment }: Terminal): Settings {
  const ofService = new Set(contractSettings.map(({ name }) => name));
  const given = Object.entries(settingsFromEnvironment(environment));
  return Object.fromEntries(given.filter(([name]) => !ofService.has(name)));
}

/** A profile as somebody uses it. */
interface LoadedProfile {
  /** Its own settings of the service, with its secrets where they are there, and the environment's of all else. */
  readonly settings: Settings;
  readonly isLoggedIn: boolean;
  /** Why its secrets cannot be read. */
  readonly unreadableReason?: string;
}

/** Throws where there is no profile of the name. */
export async function loadProfile(
  name: string,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<LoadedProfile> {
  const profile = findProfile(await readProfiles(), name);
  const store = asUsageError(() => parseStoreSettings(settingsFrom(parsed, terminal.environment)));
  const publicSettings = { ...environmentSettings(terminal), ...profile.settings };
  try {
    const secrets = unsealSecrets(name, profile, store);
    return { settings: { ...publicSettings, ...secrets }, isLoggedIn: profile.secrets !== undefined };
  } catch (error) {
    return { settings: publicSettings, isLoggedIn: false, unreadableReason: (error as Error).message };
  }
}

/** Throws where a flag leads the profile elsewhere. */
async function assertSameService(name: string, flags: Settings): Promise<void> {
  if (Object.keys(flags).length === 0) return;
  const [{ contract }, { destinationSettingsOf }] = await Promise.all([
    import("../core/contract/contract.js"),
    import("../core/declaration/service.js"),
  ]);
  const conflicting = destinationSettingsOf(contract).find((setting) => setting in flags);
  if (conflicting !== undefined)
    throw new UsageError(
      `--${flagName(conflicting)} is what the profile ${name} says. For another place log in to another profile.`,
    );
}

/**
 * The settings in force, by name: those of the profile that is asked for, else of the environment; flags win. `taken` are
 * flags that mean something else.
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
    `Nobody is logged in to the profile ${name}. ${reason}fxdesk login --profile ${name} does that.`,
    { operation: "login", code: "unauthorized", outcome: "not-sent" },
  );
}
