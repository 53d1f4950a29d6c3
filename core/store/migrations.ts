/** The schema of the store. Released migrations never change; new ones are appended. */
import type { Database, Row, StatementRunner } from "./database";
import { assertNotMoved } from "./move-state";

/** Properties of a table that moving and sealing need. */
export interface Table {
  readonly name: string;
  /** Columns of the primary key. */
  readonly key: readonly string[];
  /** Columns with sealed text, bound to their row: see `sealLocationOf`. */
  readonly sealed?: readonly string[];
  /** SQL condition for rows that a process is working on, given an expression for the current time. */
  readonly inUse?: (now: string) => string;
  /** True if the data matters only to running processes. A move of the store does not copy it. */
  readonly isTransient?: true;
}

/** All tables of the latest version. */
export const tables: readonly Table[] = [
  { name: "fxdesk_leases", key: ["name"], inUse: (now) => `expires_at > ${now}`, isTransient: true },
  { name: "fxdesk_tokens", key: ["family"], sealed: ["content"] },
  { name: "fxdesk_journal_events", key: ["seq"] },
  { name: "fxdesk_journal_details", key: ["seq"], sealed: ["content"] },
  {
    name: "fxdesk_journal_entries",
    key: ["id"],
    inUse: (now) => `state IN ('intended', 'sent') AND expires_at > ${now}`,
  },
  { name: "fxdesk_halts", key: ["environment"] },
  { name: "fxdesk_paces", key: ["name"], isTransient: true },
  { name: "fxdesk_watches", key: ["id"], inUse: (now) => `held_until > ${now}` },
  { name: "fxdesk_watch_states", key: ["watch", "entry"], sealed: ["content"] },
  { name: "fxdesk_watch_changes", key: ["watch", "seq"], sealed: ["content"] },
  {
    name: "fxdesk_releases",
    key: ["id"],
    sealed: ["content", "progress"],
    inUse: (now) => `held_until > ${now}`,
  },
  { name: "fxdesk_release_decisions", key: ["release", "person"], sealed: ["content"] },
  { name: "fxdesk_created", key: ["id"], sealed: ["content"] },
];

/** Returns the location that a row's sealed texts are bound to. */
export const sealLocationOf = ({ name, key }: Table, row: Row): string =>
  [name, ...key.map((column) => row[column])].join(" ");

/** Statements that upgrade each version to the next. */
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
  [
    `CREATE TABLE fxdesk_journal_events (
       seq BIGINT PRIMARY KEY,
       entry TEXT NOT NULL,
       kind TEXT NOT NULL,
       at BIGINT NOT NULL,
       content TEXT NOT NULL,
       hash TEXT NOT NULL
     )`,
    "CREATE INDEX fxdesk_journal_events_of_entry ON fxdesk_journal_events (entry)",
    `CREATE TABLE fxdesk_journal_details (
       seq BIGINT PRIMARY KEY,
       content TEXT NOT NULL
     )`,
    `CREATE TABLE fxdesk_journal_entries (
       id TEXT PRIMARY KEY,
       environment TEXT NOT NULL,
       client TEXT NOT NULL,
       operation TEXT NOT NULL,
       key TEXT NOT NULL,
       state TEXT NOT NULL,
       intent BIGINT NOT NULL UNIQUE,
       latest BIGINT NOT NULL,
       fence BIGINT NOT NULL,
       hold_ms BIGINT NOT NULL,
       expires_at BIGINT NOT NULL,
       reference TEXT,
       identity TEXT,
       looks BIGINT NOT NULL DEFAULT 0,
       look_at BIGINT NOT NULL DEFAULT 0,
       look_until BIGINT NOT NULL DEFAULT 0,
       UNIQUE (environment, client, operation, key)
     )`,
    "CREATE INDEX fxdesk_journal_entries_by_reference ON fxdesk_journal_entries (reference)",
    "CREATE INDEX fxdesk_journal_entries_by_identity ON fxdesk_journal_entries (identity)",
    "CREATE INDEX fxdesk_journal_entries_in_state ON fxdesk_journal_entries (state)",
  ],
  [
    `CREATE TABLE fxdesk_halts (
       environment TEXT PRIMARY KEY,
       halted_at BIGINT NOT NULL,
       halted_by TEXT NOT NULL,
       reason TEXT
     )`,
    `CREATE TABLE fxdesk_paces (
       name TEXT PRIMARY KEY,
       version BIGINT NOT NULL,
       interval_ms DOUBLE PRECISION NOT NULL,
       next_at DOUBLE PRECISION NOT NULL,
       quiet_until DOUBLE PRECISION NOT NULL,
       taken BIGINT NOT NULL,
       content TEXT NOT NULL
     )`,
  ],
  [
    `CREATE TABLE fxdesk_watches (
       id TEXT PRIMARY KEY,
       name TEXT NOT NULL,
       version BIGINT NOT NULL,
       seq BIGINT NOT NULL,
       told BIGINT NOT NULL,
       heard BIGINT NOT NULL,
       read_day TEXT,
       next_at BIGINT NOT NULL,
       failures BIGINT NOT NULL,
       holder TEXT NOT NULL,
       held_until BIGINT NOT NULL
     )`,
    `CREATE TABLE fxdesk_watch_states (
       watch TEXT NOT NULL,
       entry TEXT NOT NULL,
       content TEXT NOT NULL,
       PRIMARY KEY (watch, entry)
     )`,
    `CREATE TABLE fxdesk_watch_changes (
       watch TEXT NOT NULL,
       seq BIGINT NOT NULL,
       found_at BIGINT NOT NULL,
       content TEXT NOT NULL,
       PRIMARY KEY (watch, seq)
     )`,
  ],
  [
    `CREATE TABLE fxdesk_releases (
       id TEXT PRIMARY KEY,
       kind TEXT NOT NULL,
       state TEXT NOT NULL,
       environment TEXT NOT NULL,
       client TEXT NOT NULL,
       operation TEXT NOT NULL,
       key TEXT NOT NULL,
       asks TEXT NOT NULL,
       hash TEXT NOT NULL,
       asked_at BIGINT NOT NULL,
       valid_until BIGINT NOT NULL,
       changed_at BIGINT NOT NULL,
       fence BIGINT NOT NULL DEFAULT 0,
       held_until BIGINT NOT NULL DEFAULT 0,
       next_at BIGINT NOT NULL DEFAULT 0,
       entry TEXT,
       limit_day TEXT,
       limit_amount TEXT,
       content TEXT NOT NULL,
       progress TEXT NOT NULL
     )`,
    "CREATE INDEX fxdesk_releases_in_state ON fxdesk_releases (state, next_at)",
    "CREATE INDEX fxdesk_releases_by_key ON fxdesk_releases (environment, client, operation, key)",
    "CREATE INDEX fxdesk_releases_by_asks ON fxdesk_releases (asks)",
    "CREATE INDEX fxdesk_releases_by_day ON fxdesk_releases (limit_day)",
    "CREATE INDEX fxdesk_releases_by_change ON fxdesk_releases (changed_at)",
    `CREATE TABLE fxdesk_release_decisions (
       release TEXT NOT NULL,
       person TEXT NOT NULL,
       decision TEXT NOT NULL,
       hash TEXT NOT NULL,
       at BIGINT NOT NULL,
       until BIGINT NOT NULL,
       mac TEXT NOT NULL,
       content TEXT NOT NULL,
       PRIMARY KEY (release, person)
     )`,
  ],
  [
    `CREATE TABLE fxdesk_created (
       id TEXT PRIMARY KEY,
       environment TEXT NOT NULL,
       client TEXT NOT NULL,
       operation TEXT NOT NULL,
       created_at BIGINT NOT NULL,
       content TEXT NOT NULL
     )`,
    "CREATE INDEX fxdesk_created_by_call ON fxdesk_created (environment, client, operation, created_at)",
  ],
];

/** Schema version that this program uses. */
export const latestVersion = migrations.length;

const versionsTable = `CREATE TABLE IF NOT EXISTS fxdesk_migrations (
  version BIGINT PRIMARY KEY,
  applied_at BIGINT NOT NULL
)`;

async function versionOf(run: StatementRunner): Promise<number> {
  const [row] = await run("SELECT coalesce(max(version), 0) AS version FROM fxdesk_migrations");
  return Number(row!.version);
}

/** Schema versions before and after an upgrade. `from` is 0 for a new store. */
export interface MigrationResult {
  readonly from: number;
  readonly to: number;
}

/** Applies missing migrations. Throws if the schema is newer than this program. */
export async function applyMigrations(run: StatementRunner, now: string): Promise<MigrationResult> {
  await run(versionsTable);
  const version = await versionOf(run);
  if (version > latestVersion)
    throw new Error(
      `The store has schema version ${version}, but this version of fxdesk supports at most ${latestVersion}. ` +
        "Update @fxdesk/toolkit wherever this store is used.",
    );
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    for (const statement of statements) await run(statement);
    await run(`INSERT INTO fxdesk_migrations (version, applied_at) VALUES ($1, ${now})`, [index + 1]);
  }
  return { from: version, to: latestVersion };
}

/** Upgrades the schema. Throws if it is newer than this program or the store has moved. */
export const migrate = (database: Database): Promise<MigrationResult> =>
  database.transaction(async (run) => {
    await assertNotMoved(run);
    return applyMigrations(run, database.now);
  });
