/** Profiles on the command line: what `fxdesk login` has written down of a connection stands in for the environment. */
import { environmentName, settingsFromEnvironment } from "../core/client/settings";
import { settings as contractSettings } from "../core/contract/settings";
import {
  isProfileName,
  type Profile,
  type Profiles,
  readProfiles,
  secretsOf,
} from "../core/credentials/profiles";
import type { Service } from "../core/declaration/service";
import { Unauthorized } from "../core/errors";
import { nearest } from "../core/nearest";
import { storeSettings } from "../core/store/settings";
import { type Flag, type ParsedArguments, UsageError } from "./arguments";
import { asUsageError, connectionFlags, settingsFrom, settingsFromFlags } from "./connection";
import { flagName } from "./names";
import type { Terminal } from "./terminal";

export type Settings = Readonly<Record<string, string | undefined>>;

const profileVariable = environmentName("profile");

export const profileFlag: Flag = {
  name: "profile",
  value: "<name>",
  description: "Who is logged in where, as fxdesk login wrote it down.",
};

/** The flags of what calls the service: those of its settings, and the profile in their place. */
export const callerFlags = (service?: Service): readonly Flag[] => [...connectionFlags(service), profileFlag];

export const profileHelp =
  `With --profile, or ${profileVariable}, the settings of the service are those of fxdesk login: what the environment says ` +
  "of them does not count.";

/** The profile that is asked for. */
export function profileNamed(parsed: ParsedArguments, { environment }: Terminal): string | undefined {
  const name = parsed.text(profileFlag.name) ?? (environment[profileVariable] || undefined);
  if (name === undefined || isProfileName(name)) return name;
  throw new UsageError(
    `--profile must be up to 64 letters, digits, dots, dashes and underscores, not ${JSON.stringify(name)}.`,
  );
}

/** The name of the profile that a command cannot do without. */
export function neededProfile(parsed: ParsedArguments, terminal: Terminal): string {
  const name = profileNamed(parsed, terminal);
  if (name !== undefined) return name;
  throw new UsageError("--profile is needed: a name of your own for who is logged in where.");
}

function profileIn(profiles: Profiles, name: string): Profile {
  const profile = profiles.get(name);
  if (profile) return profile;
  const near = nearest(name, [...profiles.keys()]);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "fxdesk profiles lists them.";
  throw new UsageError(`There is no profile ${name}. ${hint}`);
}

/** What the environment says of all but the service, such as where the store is. */
function around({ environment }: Terminal): Settings {
  const ofService = new Set(contractSettings.map(({ name }) => name));
  const given = Object.entries(settingsFromEnvironment(environment));
  return Object.fromEntries(given.filter(([name]) => !ofService.has(name)));
}

/** A profile as somebody uses it. */
interface ReadProfile {
  /** Its own settings of the service, with its secrets where they are there, and the environment's of all else. */
  readonly settings: Settings;
  readonly isLoggedIn: boolean;
  /** Why its secrets cannot be read. */
  readonly unreadable?: string;
}

/** Throws where there is no profile of the name. */
export async function readProfile(
  name: string,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<ReadProfile> {
  const profile = profileIn(await readProfiles(), name);
  const store = asUsageError(() => storeSettings(settingsFrom(parsed, terminal.environment)));
  const open = { ...around(terminal), ...profile.settings };
  try {
    const secrets = secretsOf(name, profile, store);
    return { settings: { ...open, ...secrets }, isLoggedIn: profile.secrets !== undefined };
  } catch (error) {
    return { settings: open, isLoggedIn: false, unreadable: (error as Error).message };
  }
}

/** Throws where a flag leads the profile elsewhere. */
async function assertInPlace(name: string, flags: Settings): Promise<void> {
  if (Object.keys(flags).length === 0) return;
  const [{ contract }, { placeSettingsOf }] = await Promise.all([
    import("../core/contract/contract.js"),
    import("../core/declaration/service.js"),
  ]);
  const moved = placeSettingsOf(contract).find((setting) => setting in flags);
  if (moved !== undefined)
    throw new UsageError(
      `--${flagName(moved)} is what the profile ${name} says. For another place log in to another profile.`,
    );
}

/**
 * The settings in force, by name: those of the profile that is asked for, else of the environment; flags win. `taken` are
 * flags that mean something else.
 */
export async function settingsInForce(
  parsed: ParsedArguments,
  terminal: Terminal,
  service?: Service,
  taken?: ReadonlySet<string>,
): Promise<Settings> {
  const name = profileNamed(parsed, terminal);
  if (name === undefined) return settingsFrom(parsed, terminal.environment, service, taken);
  const flags = settingsFromFlags(parsed, service, taken);
  await assertInPlace(name, flags);
  const { settings, isLoggedIn, unreadable } = await readProfile(name, parsed, terminal);
  if (isLoggedIn) return { ...settings, ...flags };
  const because = unreadable === undefined ? "" : `Its secrets cannot be read: ${unreadable} `;
  throw new Unauthorized(
    `Nobody is logged in to the profile ${name}. ${because}fxdesk login --profile ${name} does that.`,
    { operation: "login", code: "unauthorized", outcome: "not-sent" },
  );
}
