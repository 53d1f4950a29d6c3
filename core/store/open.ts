/** Opens the store: the engine that its place asks for, with tables of the newest version. */
import type { Database } from "./database";
import { migrate, type Migrated } from "./migrations";
import { tellingWhereItMoved } from "./moved";
import { type Seal, sealWith } from "./seal";
import { isPostgres, type StoreSettings } from "./settings";

export interface Store {
  readonly database: Database;
  readonly seal: Seal;
  /** Between which versions its tables were brought when it was opened. */
  readonly migrated: Migrated;
}

/** Said when the file is made, not each time that it is used. */
function sayPlain(path: string): void {
  process.emitWarning(
    `Tokens and the journal are kept in plain text in ${path}, for this user alone. FXDESK_STORE_KEY encrypts them.`,
    { type: "FxdeskWarning", code: "FXDESK_STORE_PLAIN" },
  );
}

/** Opens the database of a store, whatever is in it. */
export async function openDatabase({ place, key }: StoreSettings): Promise<Database> {
  if (isPostgres(place))
    return tellingWhereItMoved(await (await import("./postgres.js")).openPostgres(place));
  const { database, isNew } = await (await import("./sqlite.js")).openSqlite(place);
  if (isNew && !key) sayPlain(place);
  return tellingWhereItMoved(database);
}

/** Opens the store until its database is closed. Throws an Error that says what a person can do. */
export async function openStore(settings: StoreSettings): Promise<Store> {
  const database = await openDatabase(settings);
  try {
    return { database, seal: sealWith(settings.key), migrated: await migrate(database) };
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
