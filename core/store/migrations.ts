/** The tables of the store. A migration that was released is never changed: what comes later is appended. */
import type { Database, Run } from "./database";

/** The statements that lead from each version to the next. */
const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE fxdesk_leases (
       name TEXT PRIMARY KEY,
       fence BIGINT NOT NULL,
       expires_at BIGINT NOT NULL
     )`,
    `CREATE TABLE fxdesk_tokens (
       family TEXT PRIMARY KEY,
       version BIGINT NOT NULL,
       saved_at BIGINT NOT NULL,
       expires_at BIGINT NOT NULL,
       content TEXT NOT NULL
     )`,
  ],
];

/** The version of the tables that this program knows. */
export const newestVersion = migrations.length;

const versionsTable = `CREATE TABLE IF NOT EXISTS fxdesk_migrations (
  version BIGINT PRIMARY KEY,
  applied_at BIGINT NOT NULL
)`;

async function versionOf(run: Run): Promise<number> {
  const [row] = await run("SELECT coalesce(max(version), 0) AS version FROM fxdesk_migrations");
  return Number(row!.version);
}

/** Brings the tables to the newest version. Throws where they are newer than this program. */
export const migrate = (database: Database): Promise<void> =>
  database.exclusively(async (run) => {
    await run(versionsTable);
    const version = await versionOf(run);
    if (version > newestVersion)
      throw new Error(
        `The store has version ${version} of its tables, and this fxdesk knows ${newestVersion}: ` +
          "update @fxdesk/toolkit wherever this store is used.",
      );
    for (const [index, statements] of migrations.entries()) {
      if (index < version) continue;
      for (const statement of statements) await run(statement);
      await run(`INSERT INTO fxdesk_migrations (version, applied_at) VALUES ($1, ${database.now})`, [
        index + 1,
      ]);
    }
  });
