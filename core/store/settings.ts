/** Where the store is, and what encrypts it. Loads nothing: who renews no tokens needs no more of the store than this. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface StoreSettings {
  /** The path of a file, or the URL of a PostgreSQL database. */
  readonly location: string;
  /** 32 bytes; undefined where the store is in plain text. */
  readonly key: Buffer | undefined;
}

const defaultStoreFile = "fxdesk/store.db";

/** The folder in which programs of this user keep what they want to find again. */
function stateFolder({ XDG_STATE_HOME, LOCALAPPDATA }: NodeJS.ProcessEnv): string {
  if (XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME)) return XDG_STATE_HOME;
  if (process.platform === "win32") return LOCALAPPDATA ?? join(homedir(), "AppData/Local");
  if (process.platform === "darwin") return join(homedir(), "Library/Application Support");
  return join(homedir(), ".local/state");
}

export const isPostgres = (location: string): boolean => /^postgres(ql)?:\/\//.test(location);

/** Whether somebody made the store, as far as that is seen without opening it: opened, it is made. */
export const storeExists = ({ location }: StoreSettings): boolean =>
  isPostgres(location) || existsSync(location);

/** The password of a database's URL. */
export function extractPassword(location: string): string | undefined {
  if (!isPostgres(location) || !URL.canParse(location)) return undefined;
  return new URL(location).password;
}

/** The place as it is shown: an address without its user and password. */
export function redactLocation(location: string): string {
  if (!isPostgres(location)) return location;
  const { host, pathname } = new URL(location);
  return `postgres://${host}${pathname}`;
}

const keyLength = 32;

/** Where something is said of them that is wrong, the value itself is not: it may hold a password. */
export function parseStoreSettings(given: {
  readonly store?: string | undefined;
  readonly storeKey?: string | undefined;
}): StoreSettings {
  const location = given.store || join(stateFolder(process.env), defaultStoreFile);
  const key = given.storeKey ? Buffer.from(given.storeKey, "base64") : undefined;
  if (!isAbsolute(location) && !(isPostgres(location) && URL.canParse(location)))
    throw new TypeError("store must be the absolute path of a file, or an address postgres://host/database.");
  if (key && key.length !== keyLength)
    throw new TypeError(`storeKey must be ${keyLength} bytes in base64, not ${key.length}.`);
  if (!key && isPostgres(location))
    throw new TypeError("storeKey is needed where store is PostgreSQL: others can read what is there.");
  return { location, key };
}
