/** Opens the store: the engine that its place asks for, with tables of the newest version. */
import type { Database } from "./database";
import { migrate } from "./migrations";
import { type Seal, sealWith } from "./seal";
import { isPostgres, type StoreSettings } from "./settings";

export interface Store {
  readonly database: Database;
  readonly seal: Seal;
}

/** Said when the file is made, not each time that it is used. */
function sayPlain(path: string): void {
  process.emitWarning(
    `Tokens are kept in plain text in ${path}, for this user alone. FXDESK_STORE_KEY encrypts them.`,
    { type: "FxdeskWarning", code: "FXDESK_STORE_PLAIN" },
  );
}

async function openDatabase({ place, key }: StoreSettings): Promise<Database> {
  if (isPostgres(place)) return (await import("./postgres.js")).openPostgres(place);
  const { database, isNew } = await (await import("./sqlite.js")).openSqlite(place);
  if (isNew && !key) sayPlain(place);
  return database;
}

/** Runs what needs the store, and closes it. Throws an Error that says what a person can do. */
export async function withStore<T>(settings: StoreSettings, work: (store: Store) => Promise<T>): Promise<T> {
  const database = await openDatabase(settings);
  try {
    await migrate(database);
    return await work({ database, seal: sealWith(settings.key) });
  } finally {
    await database.close();
  }
}
