/** Opens the store: selects the engine by the location and creates the tables if missing. */
import { measureCommits } from "./commit-duration";
import type { Database, StoreAccess } from "./database";
import { explainMovedStore } from "./move-state";
import { prepareStore } from "./schema";
import { createSealer } from "./sealer";
import { isPostgres, type StoreSettings } from "./settings";

export interface Store extends StoreAccess, Pick<Database, "now"> {
  readonly database: Database;
  /** Random ID, which copies of the store share. */
  readonly id: string;
}

/** Prepares a database and returns it as a store. Closes the database if that fails. */
export async function toStore(database: Database, key: StoreSettings["key"]): Promise<Store> {
  try {
    const { run, now } = database;
    const sealer = createSealer(key);
    return { database, run, now, sealer, id: await prepareStore(database, sealer) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Called only when the file is created, so that the warning does not repeat. */
function warnUnencrypted(path: string): void {
  process.emitWarning(
    `Tokens and the journal are stored unencrypted in ${path}, readable by this user only. Set FXDESK_STORE_KEY to encrypt them.`,
    { type: "FxdeskWarning", code: "FXDESK_STORE_PLAIN" },
  );
}

/** Opens the database of a store without creating its tables. */
export async function openDatabase({ location, key }: StoreSettings): Promise<Database> {
  if (isPostgres(location))
    return explainMovedStore(measureCommits(await (await import("./postgres.js")).openPostgres(location)));
  const { database, isNew } = await (await import("./sqlite.js")).openSqlite(location);
  if (isNew && !key) warnUnencrypted(location);
  return explainMovedStore(measureCommits(database));
}

/** Opens the store. The caller closes its database. Throws an Error that tells a person what to do. */
export const openStore = async (settings: StoreSettings): Promise<Store> =>
  toStore(await openDatabase(settings), settings.key);

/** Opens the store, runs `work` and closes the store. */
export async function withStore<T>(settings: StoreSettings, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(settings);
  try {
    return await work(store);
  } finally {
    await store.database.close();
  }
}
