/** Backs up a store in a file. The copy is consistent while other processes use the store. */
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { type Store, withStore } from "./open";
import type { StoreSettings } from "./settings";

interface Backup {
  readonly store: string;
  /** Number of journal entries in the copy. */
  readonly entries: number;
}

/** Readable by this user only, which SQLite does not ensure itself. Throws if the file exists. */
const createFile = (path: string) => closeSync(openSync(path, "wx", 0o600));

function syncFile(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

async function countEntries({ database, run }: Store): Promise<number> {
  const [fault] = await database.findFaults();
  if (fault !== undefined) throw new Error(`The copy is damaged (${fault}), and was deleted.`);
  const [row] = await run("SELECT count(*) AS count FROM fxdesk_journal_entries");
  return Number(row!.count);
}

/** Copies a store in a file to a new file, with the same key. Throws an Error that tells a person what to do; then there is no copy. */
export async function backUpStore(settings: StoreSettings, path: string): Promise<Backup> {
  createFile(path);
  try {
    await withStore(settings, ({ run }) => run("VACUUM INTO $1", [path]));
    syncFile(path);
    const entries = await withStore({ ...settings, location: path }, countEntries);
    return { store: settings.location, entries };
  } catch (error) {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    throw error;
  }
}
