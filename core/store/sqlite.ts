/** The embedded database: a file of SQLite, which several processes of this machine share. */
import { mkdir, open, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { DatabaseSyncInstance } from "@photostructure/sqlite";
import type { Database, StatementRunner } from "./database";

type Statement = ReturnType<DatabaseSyncInstance["prepare"]>;
type Driver = new (path: string, options: { readonly timeout: number }) => DatabaseSyncInstance;

/** Before it, two processes that write back a log at the same time could lose what was committed. */
const minSafeVersion = [3, 51, 3];

function isSafeVersion(version = ""): boolean {
  const parts = version.split(".").map(Number);
  const differing = minSafeVersion.findIndex((part, index) => parts[index] !== part);
  return differing < 0 || parts[differing]! > minSafeVersion[differing]!;
}

/** Before it, Node.js warns with each start that its SQLite is an experiment. */
const stableSinceNode = 24;

/** The SQLite of Node.js where that is sound and settled, else one of the same interface. */
function loadDriver(): Driver {
  const { node, sqlite } = process.versions;
  const isStable = parseInt(node, 10) >= stableSinceNode && isSafeVersion(sqlite);
  const builtIn: unknown = isStable && process.getBuiltinModule("node:sqlite");
  const { DatabaseSync } = (builtIn || require("@photostructure/sqlite")) as { DatabaseSync: Driver };
  return DatabaseSync;
}

/** How SQLite itself waits, which stops the whole process. */
const sqliteBusyTimeoutMs = 20;
/** How long another process may hold the file. */
const busyTimeoutMs = 10_000;

const isBusy = (error: unknown) => (error as Error).message.includes("database is locked");

/** Tries again while another process writes, after a pause that is never the same for two of them. */
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

/** File systems of other machines, by the number that Linux has for them: their locks do not hold. */
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

/** The kind of a network drive on which a path is; undefined where it is none, or nobody can tell. */
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
      `${path} is on a network drive (${drive}), where it would break. Take a local path, or PostgreSQL.`,
    );
}

/** Makes the file where there is none, for this user alone. Windows has no such modes: there its folder decides. */
async function createPrivateFile(path: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await assertLocal(path);
  const file = await open(path, "a", 0o600);
  try {
    const { mode, size } = await file.stat();
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw new Error(`Others may read ${path}. Make it yours alone: chmod 600 ${path}`);
    return size === 0;
  } finally {
    await file.close();
  }
}

/** What is deleted is overwritten: erased details and old tokens are not left in the file. */
const pragmas = ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"];

/** Opens a file, and makes it where there is none; `isNew` says which. */
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
        // A full disk may have ended it already.
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
        // The last one to leave would do so, were it not that statements keep the file open for a while.
        file.exec("PRAGMA wal_checkpoint(PASSIVE)");
      } catch {
        // What cannot be moved into the file stays in its log.
      }
      file.close();
    },
  };
}
