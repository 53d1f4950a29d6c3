/** Backs up a store in a file, and restores it. Both are consistent while other processes use the store. */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
  statSync,
} from "node:fs";
import { recordRestored } from "../journal/restores";
import type { StatementRunner } from "../store/database";
import { assertNotMoved } from "../store/move-state";
import { openDatabase, type Store, withStore } from "../store/open";
import type { StoreSettings } from "../store/settings";

interface Copied {
  readonly store: string;
  /** Number of journal entries in the copy. */
  readonly entries: number;
}

const suffixes = ["", "-wal", "-shm"] as const;

const removeStore = (path: string): void =>
  suffixes.forEach((suffix) => rmSync(path + suffix, { force: true }));

/** Readable by this user only, which SQLite does not ensure itself. Throws if the file exists. */
const createFile = (path: string) => closeSync(openSync(path, "wx", 0o600));

function syncFile(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

async function assertUndamaged({ database }: Store): Promise<void> {
  const [fault] = await database.findFaults();
  if (fault !== undefined) throw new Error(`The backup is damaged: ${fault}.`);
}

async function countEntries(store: Store): Promise<number> {
  await assertUndamaged(store);
  const [row] = await store.run("SELECT count(*) AS count FROM fxdesk_journal_entries");
  return Number(row!.count);
}

/** Copies a store in a file to a new file, with the same key. Throws an Error that tells a person what to do; then there is no copy. */
export async function backUpStore(settings: StoreSettings, path: string): Promise<Copied> {
  createFile(path);
  try {
    await withStore(settings, ({ run }) => run("VACUUM INTO $1", [path]));
    syncFile(path);
    const entries = await withStore({ ...settings, location: path }, countEntries);
    return { store: settings.location, entries };
  } catch (error) {
    removeStore(path);
    throw error;
  }
}

/** Copies a backup, with the log that a plain copy of a store may have. Reading the backup itself would write files beside it. */
function copyBackup(from: string, to: string): void {
  createFile(to);
  for (const suffix of ["", "-wal"])
    if (existsSync(from + suffix)) {
      copyFileSync(from + suffix, to + suffix);
      chmodSync(to + suffix, 0o600);
    }
}

const tableNames = async (run: StatementRunner, schema: "main" | "backup"): Promise<string[]> => {
  const rows = await run(
    `SELECT name FROM ${schema}.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
  );
  return rows.map(({ name }) => String(name));
};

/** Throws if the file is no store: opening it as one would create an empty store. */
async function assertStore(settings: StoreSettings, path: string): Promise<void> {
  const database = await openDatabase(settings);
  try {
    if (!(await tableNames(database.run, "main")).includes("fxdesk_meta"))
      throw new Error(`${path} is no store of fxdesk.`);
  } finally {
    await database.close();
  }
}

/** Replaces the tables in one transaction, so that open connections see the old ones or the new ones. */
async function replaceTables(settings: StoreSettings, copy: string): Promise<void> {
  // The log of a store that is gone would be read into the new file.
  if (!existsSync(settings.location)) removeStore(settings.location);
  const database = await openDatabase(settings);
  try {
    await database.run("ATTACH $1 AS backup", [copy]);
    await database.transaction(async (run) => {
      await assertNotMoved(run);
      for (const name of await tableNames(run, "main")) await run(`DROP TABLE main.${name}`);
      const definitions = await run(
        "SELECT sql FROM backup.sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC",
      );
      for (const { sql } of definitions) await run(String(sql));
      for (const name of await tableNames(run, "backup"))
        await run(`INSERT INTO main.${name} SELECT * FROM backup.${name}`);
    });
  } finally {
    await database.close();
  }
}

/**
 * Replaces a store in a file by its backup, with the same key. No money is sent from it before a person confirms. Throws an Error
 * that tells a person what to do; then nothing was changed.
 */
export async function restoreStore(settings: StoreSettings, path: string): Promise<Copied> {
  if (statSync(path).size === 0) throw new Error(`${path} is empty.`);
  const copy = { ...settings, location: `${settings.location}.restoring` };
  copyBackup(path, copy.location);
  try {
    await assertStore(copy, path);
    const entries = await withStore(copy, async (store) => {
      await recordRestored(store);
      return countEntries(store);
    });
    await replaceTables(settings, copy.location);
    return { store: settings.location, entries };
  } finally {
    removeStore(copy.location);
  }
}
