/** Opens the store: the engine that its place asks for, with tables of the newest version. */
import type { Database } from "./database";
import { migrate, type MigrationResult } from "./migrations";
import { explainMovedStore } from "./move-state";
import { type Sealer, createSealer } from "./sealer";
import { isPostgres, type StoreSettings } from "./settings";

export interface Store {
  readonly database: Database;
  readonly sealer: Sealer;
  /** Between which versions its tables were brought when it was opened. */
  readonly migration: MigrationResult;
}

/** Said when the file is made, not each time that it is used. */
function warnUnencrypted(path: string): void {
  process.emitWarning(
    `Tokens and the journal are kept in plain text in ${path}, for this user alone. FXDESK_STORE_KEY encrypts them.`,
    { type: "FxdeskWarning", code: "FXDESK_STORE_PLAIN" },
  );
}

/** Opens the database of a store, whatever is in it. */
export async function openDatabase({ location, key }: StoreSettings): Promise<Database> {
  if (isPostgres(location))
    return explainMovedStore(await (await import("./postgres.js")).openPostgres(location));
  const { database, isNew } = await (await import("./sqlite.js")).openSqlite(location);
  if (isNew && !key) warnUnencrypted(location);
  return explainMovedStore(database);
}

/** Opens the store until its database is closed. Throws an Error that says what a person can do. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  const database = await openDatabase(settings);
  try {
    return { database, sealer: createSealer(settings.key), migration: await migrate(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Runs what needs the store, and closes it. */
export async function withStore<T>(settings: StoreSettings, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(settings);
  try {
    return await work(store);
  } finally {
    await store.database.close();
  }
}
