/** The embedded SQLite database: a file that several processes of one machine share. */
import { mkdir, open, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Database, StatementRunner } from "./database";

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

/** Busy timeout of SQLite itself, which blocks the event loop. */
const sqliteBusyTimeoutMs = 20;
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

/** Magic numbers of network file systems on Linux. File locks are unreliable on them. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x01021997, "9P"],
]);

/** Returns the kind of network drive that a path is on. Undefined if it is local or undetectable. */
export function findNetworkDrive(
  path: string,
  type: number,
  platform = process.platform,
): string | undefined {
  if (platform === "win32") return /^[\\/]{2}/.test(path) ? "a share" : undefined;
  return platform === "linux" ? networkFileSystems.get(type >>> 0) : undefined;
}

async function assertLocal(path: string): Promise<void> {
  const drive = findNetworkDrive(path, (await statfs(dirname(path))).type);
  if (drive)
    throw new Error(
      `${path} is on a network drive (${drive}), where file locks are unreliable. Use a local path or PostgreSQL.`,
    );
}

/** Creates the file if missing, readable by this user only. On Windows, the permissions of the folder apply. */
async function createPrivateFile(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await assertLocal(path);
  const file = await open(path, "a", 0o600);
  try {
    const { mode, size } = await file.stat();
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new Error(`Other users can read ${path}. Run \`chmod 600 ${path}\`.`);
    return size === 0;
  } finally {
    await file.close();
  }
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
  } catch (error) {
    file.close();
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
  const run: StatementRunner = (sql, values = []) =>
    retryWhileBusy(() => {
      const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
      return statement(sql).all(named) as Awaited<ReturnType<StatementRunner>>;
    });
  return {
    description: path,
    now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
    run,
    async transaction(work, { durable = "now" } = {}) {
      if (durable === "later") file.exec("PRAGMA synchronous = NORMAL");
      try {
        await run("BEGIN IMMEDIATE");
        const result = await work(run);
        await run("COMMIT");
        return result;
      } catch (error) {
        // A full disk may have rolled the transaction back already.
        if (file.isTransaction) file.exec("ROLLBACK");
        throw error;
      } finally {
        if (durable === "later") file.exec("PRAGMA synchronous = FULL");
      }
    },
    async findFaults() {
      const rows = await run("PRAGMA quick_check");
      return rows.map((row) => String(Object.values(row)[0])).filter((line) => line !== "ok");
    },
    async close() {
      try {
        // SQLite checkpoints on the last close, but prepared statements may keep the file open.
        file.exec("PRAGMA wal_checkpoint(PASSIVE)");
      } catch {
        // The data stays in the WAL.
      }
      file.close();
    },
  };
}
