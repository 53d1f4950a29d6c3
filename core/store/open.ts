/** Opens the store: selects the engine by the location and upgrades the schema. */
import type { Database, StatementRunner } from "./database";
import { migrate, type MigrationResult } from "./migrations";
import { explainMovedStore } from "./move-state";
import { type Sealer, createSealer } from "./sealer";
import { isPostgres, type StoreSettings } from "./settings";

export interface Store {
  readonly database: Database;
  readonly sealer: Sealer;
  /** Schema versions before and after opening. */
  readonly migration: MigrationResult;
}

/** Access to the tables of a store. */
export interface StoreAccess extends Pick<Store, "sealer"> {
  readonly run: StatementRunner;
}

export const storeAccessOf = ({ database, sealer }: Store): StoreAccess => ({ run: database.run, sealer });

/** Called only when the file is created, so that the warning does not repeat. */
function warnUnencrypted(path: string): void {
  process.emitWarning(
    `Tokens and the journal are stored unencrypted in ${path}, readable by this user only. Set FXDESK_STORE_KEY to encrypt them.`,
    { type: "FxdeskWarning", code: "FXDESK_STORE_PLAIN" },
  );
}

/** Opens the database of a store without upgrading its schema. */
export async function openDatabase({ location, key }: StoreSettings): Promise<Database> {
  if (isPostgres(location))
    return explainMovedStore(await (await import("./postgres.js")).openPostgres(location));
  const { database, isNew } = await (await import("./sqlite.js")).openSqlite(location);
  if (isNew && !key) warnUnencrypted(location);
  return explainMovedStore(database);
}

/** Opens the store. The caller closes its database. Throws an Error that tells a person what to do. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  const database = await openDatabase(settings);
  try {
    return { database, sealer: createSealer(settings.key), migration: await migrate(database) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens the store, runs `work` and closes the store. */
export async function withStore<T>(settings: StoreSettings, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(settings);
  try {
    return await work(store);
  } finally {
    await store.database.close();
  }
}
