/** The embedded SQLite database: a file that several processes of one machine share. */
import { closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import { type BatchRunner, type Database, type StatementRunner, wholeTransaction } from "./database";
import { watchFiles } from "./file-identity";
import { assertSafeLocation } from "./file-location";

type Statement = ReturnType<DatabaseSyncInstance["prepare"]>;
type Driver = new (path: string, options: { readonly timeout: number }) => DatabaseSyncInstance;

/** Older versions can lose committed data if two processes checkpoint the WAL at the same time. */
const minSafeVersion = [3, 51, 3];

function isSafeVersion(version = ""): boolean {
  const parts = version.split(".").map(Number);
  const differing = minSafeVersion.findIndex((part, index) => parts[index] !== part);
  return differing < 0 || parts[differing]! > minSafeVersion[differing]!;
}

/** Older versions of Node.js print a warning that their SQLite is experimental. */
const stableSinceNode = 24;

/** Loads the SQLite of Node.js if it is safe and stable, else a package with the same interface. */
function loadDriver(): Driver {
  const { node, sqlite } = process.versions;
  const isStable = parseInt(node, 10) >= stableSinceNode && isSafeVersion(sqlite);
  const builtIn: unknown = isStable && process.getBuiltinModule("node:sqlite");
  const { DatabaseSync } = (builtIn || require("@photostructure/sqlite")) as { DatabaseSync: Driver };
  return DatabaseSync;
}

/** SQLite itself does not wait: that would block the event loop, and with it the transactions of this process. */
const sqliteBusyTimeoutMs = 0;
/** Maximum wait for another process to unlock the file, before an operation fails. */
const busyTimeoutMs = 10_000;

const isBusy = (error: unknown) => (error as Error).message.includes("database is locked");

/** Retries while another process writes, with random pauses so that two processes do not collide again. */
async function retryWhileBusy<T>(attempt: () => T): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() - startedAt > busyTimeoutMs) throw error;
      await wait(Math.random() * 5);
    }
  }
}

/** Creates the file if missing, readable by this user only. On Windows, the permissions of the folder apply. */
async function createPrivateFile(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await assertSafeLocation(path);
  // An existing file is not opened: closing it would end the locks of the other connections of this process.
  if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
  const stats = statSync(path);
  if (!stats.isFile()) throw new Error(`${path} is not a file.`);
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0)
    throw new Error(`Other users can read ${path}. Run \`chmod 600 ${path}\`.`);
  return stats.size === 0;
}

/** `secure_delete` overwrites deleted data, so that erased details and old tokens do not remain in the file. */
const pragmas = ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"];

/** Opens a file, creating it if missing. */
export async function openSqlite(path: string): Promise<{ database: Database; isNew: boolean }> {
  const isNew = await createPrivateFile(path);
  const DatabaseSync = loadDriver();
  const file = await retryWhileBusy(() => new DatabaseSync(path, { timeout: sqliteBusyTimeoutMs }));
  try {
    for (const setting of pragmas) await retryWhileBusy(() => file.exec(`PRAGMA ${setting}`));
    // The first read creates the log.
    await retryWhileBusy(() => file.exec("SELECT count(*) FROM sqlite_schema"));
  } catch (error) {
    file.close();
    // SQLite does not say that it failed because the file system is read-only.
    await access(path, constants.W_OK);
    throw error;
  }
  return { database: toDatabase(file, path), isNew };
}

function toDatabase(file: DatabaseSyncInstance, path: string): Database {
  const prepared = new Map<string, Statement>();
  const statement = (sql: string): Statement => {
    const known = prepared.get(sql) ?? file.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  const assertInPlace = watchFiles(path);
  const execute: StatementRunner = (sql, values = []) =>
    retryWhileBusy(() => {
      const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
      return statement(sql).all(named) as Awaited<ReturnType<StatementRunner>>;
    });
  /** Returns false if another connection is reading or writing. */
  const tryEmptyLog = async (): Promise<boolean> => {
    const [result] = await execute("PRAGMA wal_checkpoint(TRUNCATE)");
    return result!.busy === 0;
  };
  const executeAll: BatchRunner = async (statements) => {
    const rows = [];
    for (const { sql, values } of statements) rows.push(await execute(sql, values));
    return rows;
  };
  const transactInPhases: Database["transactInPhases"] = async (
    { reads, decide },
    { durable = "now" } = {},
  ) => {
    if (durable === "later") file.exec("PRAGMA synchronous = NORMAL");
    try {
      await execute("BEGIN IMMEDIATE");
      const { writes, result } = await decide(await executeAll(reads), executeAll);
      await executeAll(writes);
      assertInPlace();
      await execute("COMMIT");
      return result;
    } catch (error) {
      // A full disk may have rolled the transaction back already.
      if (file.isTransaction) file.exec("ROLLBACK");
      throw error;
    } finally {
      if (durable === "later") file.exec("PRAGMA synchronous = FULL");
    }
  };
  return {
    description: path,
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    tablesQuery: "SELECT name FROM sqlite_master WHERE type = 'table'",
    async run(sql, values) {
      assertInPlace();
      return execute(sql, values);
    },
    transaction: (work, options) => transactInPhases(wholeTransaction(work, execute), options),
    transactInPhases,
    async emptyLog() {
      for (const startedAt = performance.now(); !(await tryEmptyLog()); await wait(Math.random() * 5))
        if (performance.now() - startedAt > busyTimeoutMs)
          throw new Error(`${path}-wal is in use by another process.`);
    },
    async findFaults() {
      const rows = await execute("PRAGMA quick_check");
      return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== "ok");
    },
    async close() {
      try {
        // Then a copy of the file is complete. SQLite does this on the last close only.
        await tryEmptyLog();
      } catch {
        // The data stays in the log.
      }
      file.close();
    },
  };
}
