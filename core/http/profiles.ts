/**
 * Profiles: named logins, stored in a private file in the user's configuration folder. The file holds settings and sealed
 * secrets; the tokens are in the store.
 */
import { mkdir, stat, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { replaceFile, withFileLock } from "../store/locked-file";
import { createSealer, sealLocation } from "../store/sealer";
import type { StoreSettings } from "../store/settings";

type Texts = Readonly<Record<string, string>>;

/** A profile as stored in the file. */
export interface Profile {
  /** Settings by name, without secrets. */
  readonly settings: Texts;
  /** Sealed secrets; absent after a logout. */
  readonly secrets?: string | undefined;
  /** Time of the login (ISO 8601). */
  readonly loggedInAt?: string | undefined;
}

type Profiles = ReadonlyMap<string, Profile>;

/** Returns the user's configuration folder. */
function configurationFolder({ XDG_CONFIG_HOME, APPDATA }: NodeJS.ProcessEnv): string {
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return XDG_CONFIG_HOME;
  if (process.platform === "win32") return APPDATA ?? join(homedir(), "AppData/Roaming");
  if (process.platform === "darwin") return join(homedir(), "Library/Application Support");
  return join(homedir(), ".config");
}

export const profilesPath = (): string => join(configurationFolder(process.env), "fxdesk/profiles.json");

/** Returns true for a valid profile name. */
export const isProfileName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name);

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Throws if other users may read the file. Not checked on Windows, where the folder's permissions apply. */
async function assertPrivate(path: string): Promise<void> {
  if (process.platform === "win32" || ((await stat(path)).mode & 0o077) === 0) return;
  throw new Error(`Other users can read ${path}. Run \`chmod 600 ${path}\`.`);
}

const isText = (value: unknown) => typeof value === "string";

/** Checks by hand, because commands without a profile start before the schema library has loaded. */
function isProfile(value: unknown): value is Profile {
  if (typeof value !== "object" || value === null || !("settings" in value)) return false;
  const { settings, ...texts } = value as Record<string, unknown>;
  return (
    typeof settings === "object" &&
    settings !== null &&
    !Array.isArray(settings) &&
    Object.values(settings).every(isText) &&
    [texts.secrets, texts.loggedInAt].every((text) => text === undefined || isText(text))
  );
}

function parseProfiles(text: string, path: string): Profiles {
  let entries: [string, unknown][] = [];
  try {
    entries = Object.entries((JSON.parse(text) as { profiles: object }).profiles);
  } catch {
    throw new Error(`${path} is not a valid profiles file. Delete it and log in again.`);
  }
  const invalid = entries.find(([name, profile]) => !isProfileName(name) || !isProfile(profile));
  if (invalid)
    throw new Error(`${path}: the profile ${JSON.stringify(invalid[0])} is invalid. Correct or remove it.`);
  return new Map(entries as [string, Profile][]);
}

/** Returns all profiles of the user; none if the file does not exist. Throws an Error for an unsafe or invalid file. */
export async function readProfiles(path = profilesPath()): Promise<Profiles> {
  try {
    await assertPrivate(path);
    return parseProfiles(await readFile(path, "utf8"), path);
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw error;
  }
}

/** Updates one profile atomically; returning `undefined` removes it. */
export async function updateProfile(
  name: string,
  change: (profile: Profile | undefined) => Profile | undefined,
  path = profilesPath(),
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await withFileLock(path, async (target) => {
    const profiles = new Map(await readProfiles(path));
    const changed = change(profiles.get(name));
    if (changed) profiles.set(name, changed);
    else profiles.delete(name);
    await replaceFile(
      target,
      `${JSON.stringify({ profiles: Object.fromEntries(profiles) }, undefined, 2)}\n`,
    );
  });
}

const secretsLocation = (name: string) => sealLocation("profiles", "secrets", name);

export const sealSecrets = (name: string, secrets: Texts, { key }: StoreSettings): string =>
  createSealer(key).seal(JSON.stringify(secrets), secretsLocation(name));

/** Returns the secrets of a profile; none after a logout. Throws an Error if they were sealed with another key. */
export function unsealSecrets(name: string, { secrets }: Profile, { key }: StoreSettings): Texts {
  return secrets === undefined
    ? {}
    : (JSON.parse(createSealer(key).unseal(secrets, secretsLocation(name))) as Texts);
}
