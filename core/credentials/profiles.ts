/**
 * Profiles: a name for who is logged in where. A file in the user's configuration folder, for this user alone, has the
 * settings of each; its secrets are sealed as the store's are, and its tokens are in the store.
 */
import { mkdir, open, rename, stat, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createSealer } from "../store/sealer";
import type { StoreSettings } from "../store/settings";

type Texts = Readonly<Record<string, string>>;

/** A profile as the file has it. */
export interface Profile {
  /** What is no secret, by the names of settings. */
  readonly settings: Texts;
  /** Sealed; none where nobody is logged in. */
  readonly secrets?: string;
  /** When somebody logged in. */
  readonly loggedInAt?: string;
}

export type Profiles = ReadonlyMap<string, Profile>;

/** The folder in which programs of this user keep what the user sets. */
function configurationFolder({ XDG_CONFIG_HOME, APPDATA }: NodeJS.ProcessEnv): string {
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return XDG_CONFIG_HOME;
  if (process.platform === "win32") return APPDATA ?? join(homedir(), "AppData/Roaming");
  if (process.platform === "darwin") return join(homedir(), "Library/Application Support");
  return join(homedir(), ".config");
}

export const profilesPath = (): string => join(configurationFolder(process.env), "fxdesk/profiles.json");

/** What may be a profile's name: it stands in command lines and in a file. */
export const isProfileName = (name: string): boolean => /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name);

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOENT";
const alreadyExists = (error: unknown) => (error as NodeJS.ErrnoException).code === "EEXIST";

/** Windows has no such modes: there the folder decides. */
async function assertPrivate(path: string): Promise<void> {
  if (process.platform === "win32" || ((await stat(path)).mode & 0o077) === 0) return;
  throw new Error(`Others may read ${path}. Make it yours alone: chmod 600 ${path}`);
}

const isTexts = (value: unknown): value is Texts =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((each) => typeof each === "string");

function isProfile(value: unknown): value is Profile {
  const { settings, ...others } = (value ?? {}) as Partial<Profile>;
  return isTexts(settings) && isTexts(others);
}

function parseProfiles(text: string, path: string): Profiles {
  let entries: [string, unknown][] = [];
  try {
    entries = Object.entries((JSON.parse(text) as { profiles: object }).profiles);
  } catch {
    throw new Error(`${path} cannot be read as JSON with profiles. Remove it, and log in again.`);
  }
  const invalid = entries.find(([name, profile]) => !isProfileName(name) || !isProfile(profile));
  if (invalid)
    throw new Error(`${path}: the profile ${JSON.stringify(invalid[0])} is not as fxdesk writes it.`);
  return new Map(entries as [string, Profile][]);
}

/** All profiles of this user; none where there is no file. Throws an Error that says what a person can do. */
export async function readProfiles(path = profilesPath()): Promise<Profiles> {
  try {
    await assertPrivate(path);
    return parseProfiles(await readFile(path, "utf8"), path);
  } catch (error) {
    if (isMissing(error)) return new Map();
    throw error;
  }
}

/** How long another process may be changing the file. */
const lockTimeoutMs = 5_000;

/** Opens the file that takes the place of the profiles: whoever has made it is the only one who changes them. */
async function openNextFile(path: string) {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await open(path, "wx", 0o600);
    } catch (error) {
      if (!alreadyExists(error)) throw error;
      if (performance.now() - startedAt > lockTimeoutMs)
        throw new Error(`Another process changes the profiles. If none does any more, remove ${path}.`, {
          cause: error,
        });
      await wait(5 + Math.random() * 20);
    }
  }
}

/** Changes one profile, whole or not at all; `undefined` removes it. */
export async function updateProfile(
  name: string,
  change: (profile: Profile | undefined) => Profile | undefined,
  path = profilesPath(),
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.next`;
  const file = await openNextFile(next);
  try {
    const profiles = new Map(await readProfiles(path));
    const changed = change(profiles.get(name));
    if (changed) profiles.set(name, changed);
    else profiles.delete(name);
    await file.writeFile(`${JSON.stringify({ profiles: Object.fromEntries(profiles) }, undefined, 2)}\n`);
    await file.sync();
    await file.close();
    await rename(next, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(next, { force: true });
    throw error;
  }
}

const sealLocation = (name: string) => `profiles ${name}`;

export const sealSecrets = (name: string, secrets: Texts, { key }: StoreSettings): string =>
  createSealer(key).seal(JSON.stringify(secrets), sealLocation(name));

/** The secrets of a profile; none where nobody is logged in. Throws an Error where they were sealed with another key. */
export function unsealSecrets(name: string, { secrets }: Profile, { key }: StoreSettings): Texts {
  return secrets === undefined
    ? {}
    : (JSON.parse(createSealer(key).unseal(secrets, sealLocation(name))) as Texts);
}
