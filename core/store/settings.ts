/** Location and key of the store. Loads no database driver, for processes that use no store. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface StoreSettings {
  /** Path of a file, or URL of a PostgreSQL database. */
  readonly location: string;
  /** 32 bytes; undefined if the store is not encrypted. */
  readonly key: Buffer | undefined;
  /** Path of the people file, beside which checkpoints are kept. */
  readonly people?: string | undefined;
}

const defaultStoreFile = "fxdesk/store.db";

/** Returns the folder for persistent data of this user's programs. */
export function stateFolder({ XDG_STATE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  if (XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME)) return XDG_STATE_HOME;
  if (process.platform === "win32") return LOCALAPPDATA ?? join(homedir(), "AppData/Local");
  if (process.platform === "darwin") return join(homedir(), "Library/Application Support");
  return join(homedir(), ".local/state");
}

/** Returns the folders with checkpoints of stores, in the order in which they are tried for writing. */
export const checkpointFolders = ({ people }: StoreSettings): readonly string[] => [
  ...(people ? [`${people}.checkpoints`] : []),
  join(stateFolder(process.env), "fxdesk/checkpoints"),
];

export const isPostgres = (location: string): boolean => /^postgres(ql)?:\/\//.test(location);

/** True if the store may exist. Does not open it, because opening creates it. */
export const storeExists = ({ location }: StoreSettings): boolean =>
  isPostgres(location) || existsSync(location);

/** Returns the password in a database URL, or undefined. */
export function extractPassword(location: string): string | undefined {
  if (!isPostgres(location) || !URL.canParse(location)) return undefined;
  return new URL(location).password;
}

/** Returns the location for display, without user and password. */
export function redactLocation(location: string): string {
  if (!isPostgres(location)) return location;
  const { host, pathname } = new URL(location);
  return `postgres://${host}${pathname}`;
}

const keyLength = 32;

/** Parses the settings. Errors never contain the value, because it may contain a password. */
export function parseStoreSettings(given: {
  readonly store?: string | undefined;
  readonly storeKey?: string | undefined;
  readonly people?: string | undefined;
}): StoreSettings {
  const location = given.store || join(stateFolder(process.env), defaultStoreFile);
  const key = given.storeKey ? Buffer.from(given.storeKey, "base64") : undefined;
  if (!isAbsolute(location) && !(isPostgres(location) && URL.canParse(location)))
    throw new TypeError("store must be the absolute path of a file, or a URL postgres://host/database.");
  if (key && key.length !== keyLength)
    throw new TypeError(
      `storeKey must be ${keyLength} bytes in base64; the given value has ${key.length} bytes.`,
    );
  if (!key && isPostgres(location))
    throw new TypeError("storeKey is required for a store in PostgreSQL: others can read the database.");
  return { location, key, ...(given.people && { people: given.people }) };
}
