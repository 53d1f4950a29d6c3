/** The schema of the store: its tables, and the facts about the store itself. */
import { randomUUID } from "node:crypto";
import type { Database, Row, Statement, StatementRunner } from "./database";
import { assertNotMoved } from "./move-state";
import { sealLocation, type Sealer } from "./sealer";

/** Properties of a table that moving and sealing need. */
export interface Table {
  readonly name: string;
  /** Columns of the primary key. */
  readonly key: readonly string[];
  /** Columns with sealed text, bound to their row and column. */
  readonly sealed?: readonly string[];
  /** True if the column `row_hash` has a hash of the others: see `hashRow`. */
  readonly isHashed?: true;
  /** Columns outside that hash: changing them sends nothing and changes no answer. */
  readonly unhashed?: readonly string[];
  /** SQL condition for rows that a process is working on, given an expression for the current time. */
  readonly inUse?: (now: string) => string;
  /** True if the data matters only to running processes. A move of the store does not copy it. */
  readonly isTransient?: true;
}

/** Returns the columns of a row that its hash covers, in the order of the hash. */
export const hashedColumns = (
  { unhashed = [] }: Pick<Table, "unhashed">,
  columns: readonly string[],
): readonly string[] => columns.filter((column) => !unhashed.includes(column)).toSorted();

/** Hashes a row without its hash. With a store key, only its holders can compute the hash. */
export function hashRow(
  { mac }: Pick<Sealer, "mac">,
  table: Pick<Table, "name" | "key" | "unhashed">,
  row: Row,
  columns = hashedColumns(table, Object.keys(row)),
): string {
  const { name, key } = table;
  // As text, because PostgreSQL returns whole numbers as text.
  const values = columns.map((column) => (row[column] === null ? null : String(row[column])));
  return mac(JSON.stringify(values), sealLocation(name, "row_hash", ...key.map((column) => row[column]!)));
}

export const tokensTable: Table = {
  name: "fxdesk_tokens",
  key: ["family"],
  sealed: ["content"],
  isHashed: true,
};

export const haltsTable: Table = { name: "fxdesk_halts", key: ["environment"], isHashed: true };

export const releasesTable: Table = {
  name: "fxdesk_releases",
  key: ["id"],
  sealed: ["content", "progress"],
  isHashed: true,
  unhashed: ["fence", "lease_expires_at"],
  inUse: (now) => `lease_expires_at > ${now}`,
};

export const decisionsTable: Table = {
  name: "fxdesk_release_decisions",
  key: ["release", "person"],
  sealed: ["content"],
  isHashed: true,
};

export const resourceIdsTable: Table = {
  name: "fxdesk_resource_ids",
  key: ["id"],
  sealed: ["content"],
  isHashed: true,
};

export const eventsTable: Table = {
  name: "fxdesk_journal_events",
  key: ["environment", "seq"],
  isHashed: true,
};

/** Tables of the journal, whose rows `verifyStore` checks. */
export const journalTables: readonly Table[] = [
  eventsTable,
  { name: "fxdesk_journal_details", key: ["environment", "seq"], sealed: ["content"] },
  {
    name: "fxdesk_journal_entries",
    key: ["id"],
    isHashed: true,
    inUse: (now) => `state IN ('intended', 'sent') AND claim_expires_at > ${now}`,
  },
];

/** The other tables, except those that describe the store itself. */
export const otherTables: readonly Table[] = [
  { name: "fxdesk_leases", key: ["name"], inUse: (now) => `expires_at > ${now}`, isTransient: true },
  tokensTable,
  haltsTable,
  { name: "fxdesk_rate_limits", key: ["name"], isTransient: true },
  { name: "fxdesk_watches", key: ["id"], inUse: (now) => `lease_expires_at > ${now}` },
  { name: "fxdesk_watch_states", key: ["watch", "entry"], sealed: ["content"] },
  { name: "fxdesk_watch_changes", key: ["watch", "seq"], sealed: ["content"] },
  releasesTable,
  decisionsTable,
  resourceIdsTable,
];

export const tables: readonly Table[] = [...journalTables, ...otherTables];

const definitions: readonly string[] = [
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
     content TEXT NOT NULL,
     row_hash TEXT NOT NULL
   )`,
  `CREATE TABLE fxdesk_journal_events (
     environment TEXT NOT NULL,
     seq BIGINT NOT NULL,
     entry TEXT NOT NULL,
     kind TEXT NOT NULL,
     at BIGINT NOT NULL,
     content TEXT NOT NULL,
     hash TEXT NOT NULL,
     row_hash TEXT NOT NULL,
     PRIMARY KEY (environment, seq)
   )`,
  "CREATE INDEX fxdesk_journal_events_of_entry ON fxdesk_journal_events (entry, seq)",
  "CREATE INDEX fxdesk_journal_events_by_time ON fxdesk_journal_events (environment, at)",
  `CREATE TABLE fxdesk_journal_details (
     environment TEXT NOT NULL,
     seq BIGINT NOT NULL,
     content TEXT NOT NULL,
     PRIMARY KEY (environment, seq)
   )`,
  `CREATE TABLE fxdesk_journal_entries (
     id TEXT PRIMARY KEY,
     environment TEXT NOT NULL,
     client TEXT NOT NULL,
     operation TEXT NOT NULL,
     key TEXT NOT NULL,
     state TEXT NOT NULL,
     begun_at BIGINT NOT NULL,
     intent_seq BIGINT NOT NULL,
     intent_hash TEXT NOT NULL,
     latest_seq BIGINT NOT NULL,
     latest_hash TEXT NOT NULL,
     erased_seq BIGINT,
     fence BIGINT NOT NULL,
     claim_ms BIGINT NOT NULL,
     claim_expires_at BIGINT NOT NULL,
     reference_hash TEXT,
     single_use TEXT,
     identity TEXT,
     recovery_attempts BIGINT NOT NULL,
     recovery_due_at BIGINT NOT NULL,
     recovery_lease_until BIGINT NOT NULL,
     row_hash TEXT NOT NULL,
     UNIQUE (environment, client, operation, key),
     UNIQUE (environment, intent_seq)
   )`,
  "CREATE INDEX fxdesk_journal_entries_by_reference ON fxdesk_journal_entries (reference_hash)",
  "CREATE INDEX fxdesk_journal_entries_by_single_use ON fxdesk_journal_entries (single_use)",
  "CREATE INDEX fxdesk_journal_entries_by_identity ON fxdesk_journal_entries (identity, environment, client, operation)",
  "CREATE INDEX fxdesk_journal_entries_by_time ON fxdesk_journal_entries (begun_at)",
  // With all columns of its queries: SQLite would read all entries of an operation by their keys instead.
  `CREATE INDEX fxdesk_journal_entries_in_state
     ON fxdesk_journal_entries (state, environment, client, operation, intent_seq)`,
  `CREATE TABLE fxdesk_halts (
     environment TEXT PRIMARY KEY,
     halted_at BIGINT NOT NULL,
     halted_by TEXT NOT NULL,
     reason TEXT,
     row_hash TEXT NOT NULL
   )`,
  `CREATE TABLE fxdesk_rate_limits (
     name TEXT PRIMARY KEY,
     version BIGINT NOT NULL,
     interval_ms DOUBLE PRECISION NOT NULL,
     next_at DOUBLE PRECISION NOT NULL,
     paused_until DOUBLE PRECISION NOT NULL,
     accepted BIGINT NOT NULL,
     content TEXT NOT NULL
   )`,
  `CREATE TABLE fxdesk_watches (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     version BIGINT NOT NULL,
     last_seq BIGINT NOT NULL,
     delivered_seq BIGINT NOT NULL,
     acknowledged_seq BIGINT NOT NULL,
     read_day TEXT,
     next_at BIGINT NOT NULL,
     failures BIGINT NOT NULL,
     lease_holder TEXT NOT NULL,
     lease_expires_at BIGINT NOT NULL
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
  `CREATE TABLE fxdesk_releases (
     id TEXT PRIMARY KEY,
     kind TEXT NOT NULL,
     state TEXT NOT NULL,
     environment TEXT NOT NULL,
     client TEXT NOT NULL,
     operation TEXT NOT NULL,
     key TEXT NOT NULL,
     request_hash TEXT NOT NULL,
     seal TEXT NOT NULL,
     request_signature TEXT,
     requested_at BIGINT NOT NULL,
     valid_until BIGINT NOT NULL,
     changed_at BIGINT NOT NULL,
     fence BIGINT NOT NULL DEFAULT 0,
     lease_expires_at BIGINT NOT NULL DEFAULT 0,
     next_at BIGINT NOT NULL DEFAULT 0,
     entry TEXT,
     content TEXT NOT NULL,
     progress TEXT NOT NULL,
     row_hash TEXT NOT NULL
   )`,
  "CREATE INDEX fxdesk_releases_in_state ON fxdesk_releases (state, next_at)",
  "CREATE INDEX fxdesk_releases_by_key ON fxdesk_releases (environment, client, operation, key)",
  "CREATE INDEX fxdesk_releases_by_request ON fxdesk_releases (request_hash)",
  "CREATE INDEX fxdesk_releases_by_change ON fxdesk_releases (changed_at)",
  `CREATE TABLE fxdesk_release_decisions (
     release TEXT NOT NULL,
     person TEXT NOT NULL,
     decision TEXT NOT NULL,
     seal TEXT NOT NULL,
     decided_at BIGINT NOT NULL,
     valid_until BIGINT NOT NULL,
     mac TEXT NOT NULL,
     content TEXT NOT NULL,
     row_hash TEXT NOT NULL,
     PRIMARY KEY (release, person)
   )`,
  `CREATE TABLE fxdesk_resource_ids (
     id TEXT PRIMARY KEY,
     environment TEXT NOT NULL,
     client TEXT NOT NULL,
     operation TEXT NOT NULL,
     created_at BIGINT NOT NULL,
     content TEXT NOT NULL,
     row_hash TEXT NOT NULL
   )`,
  "CREATE INDEX fxdesk_resource_ids_by_call ON fxdesk_resource_ids (environment, client, operation, created_at)",
];

/** Version of the schema. Versions 1 to 7 were never published. */
export const schemaVersion = 8;

/** Facts about the store itself. `key_check` is a sealed text that shows whether the key is right. */
type MetaName = "schema_version" | "store_id" | "key_check";

export async function readMeta(run: StatementRunner, name: MetaName): Promise<string | undefined> {
  const [row] = await run("SELECT value FROM fxdesk_meta WHERE name = $1", [name]);
  return row && String(row.value);
}

export async function writeMeta(run: StatementRunner, name: MetaName, value: string): Promise<void> {
  await run(
    `INSERT INTO fxdesk_meta (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [name, value],
  );
}

export const schemaVersionQuery: Statement = {
  sql: "SELECT value FROM fxdesk_meta WHERE name = 'schema_version'",
};

/** Throws if another version of fxdesk has changed the schema, also while this process has the store open. */
export function assertSchemaVersion([row]: readonly Row[]): void {
  const version = Number(row?.value);
  if (version !== schemaVersion)
    throw new Error(
      `The store has schema version ${version}, but this version of fxdesk needs version ${schemaVersion}. ` +
        "Use the newest version of @fxdesk/toolkit wherever this store is used.",
    );
}

const keyCheckLocation = sealLocation("fxdesk_meta", "value", "key_check");

/** Throws if the store was created with another key, or with none. */
async function assertKey(run: StatementRunner, sealer: Sealer): Promise<void> {
  const sealed = await readMeta(run, "key_check");
  if (sealed === undefined) throw new Error("The store is incomplete: fxdesk_meta has no key_check.");
  if (sealer.isKeyed && !sealer.isSealed(sealed))
    throw new Error(
      "The store is not encrypted, but FXDESK_STORE_KEY is set. To encrypt it, run `fxdesk store move` " +
        "without FXDESK_STORE_KEY and with FXDESK_STORE_KEY_TO.",
    );
  sealer.unseal(sealed, keyCheckLocation);
}

const earlierVersionError = ({ description }: Database) =>
  new Error(
    `${description} was written by an earlier version of fxdesk, which this version cannot read. To keep its journal, run ` +
      "`fxdesk journal export` with that version. Then set FXDESK_STORE to a new location.",
  );

async function hasEarlierTables(run: StatementRunner, { tablesQuery }: Database): Promise<boolean> {
  const rows = await run(`SELECT name FROM (${tablesQuery}) AS found WHERE name = 'fxdesk_migrations'`);
  return rows.length > 0;
}

/** Creates the tables of an empty database. Returns false if they exist. Throws if the store cannot be used with this key. */
export async function createTables(
  run: StatementRunner,
  database: Database,
  sealer: Sealer,
): Promise<boolean> {
  if (await hasEarlierTables(run, database)) throw earlierVersionError(database);
  await run("CREATE TABLE IF NOT EXISTS fxdesk_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
  if ((await readMeta(run, "schema_version")) !== undefined) {
    assertSchemaVersion(await run(schemaVersionQuery.sql));
    await assertKey(run, sealer);
    return false;
  }
  for (const statement of definitions) await run(statement);
  await writeMeta(run, "store_id", randomUUID());
  await writeMeta(run, "key_check", sealer.seal("fxdesk", keyCheckLocation));
  await writeMeta(run, "schema_version", String(schemaVersion));
  return true;
}

/** Prepares a database for use as a store and returns the store's ID. Throws if the store has moved, or see `createTables`. */
export async function prepareStore(database: Database, sealer: Sealer): Promise<string> {
  const { id, isNew } = await database.transaction(async (run) => {
    await assertNotMoved(run);
    const areCreated = await createTables(run, database, sealer);
    return { id: String(await readMeta(run, "store_id")), isNew: areCreated };
  });
  // A copy of the file without its log is then recognised by the ID. If the log is in use, a later close writes it back.
  if (isNew) await database.emptyLog().catch(() => undefined);
  return id;
}
