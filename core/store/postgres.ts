/** The PostgreSQL database, through the optional peer dependency `pg`. */
import { createHash } from "node:crypto";
import {
  type BatchRunner,
  type Database,
  type Row,
  type Statement,
  type StatementRunner,
  type TransactionOptions,
  type Value,
  wholeTransaction,
} from "./database";
import { redactLocation } from "./settings";

interface QueryResult {
  readonly rows: readonly Row[];
}

/** The used part of `pg`, declared here so that types compile without the package. */
interface PgClient {
  on(event: "error" | "end", listener: () => void): void;
  connect(): Promise<unknown>;
  query(query: { text: string; values?: readonly Value[] }): Promise<QueryResult | readonly QueryResult[]>;
  escapeLiteral(text: string): string;
  end(): Promise<void>;
  ref(): void;
  unref(): void;
}

type PgClientType = new (options: Readonly<Record<string, unknown>>) => PgClient;

/** Limit for connecting and for each statement. */
const timeoutMs = 10_000;

/** Arbitrary key of the advisory lock that serialises transactions of all processes. */
const tablesLock = 7_342_019_551;

/** Returns the key of a scope's advisory lock. */
const lockKeyOf = (scope: string): string =>
  createHash("sha256").update(scope).digest().readBigInt64BE().toString();

/** Statements that start a transaction. A transaction with a scope shares the lock of the tables. */
const startStatements = ({ durable = "now", scope }: TransactionOptions): Statement[] => [
  { sql: "BEGIN" },
  ...(scope === undefined
    ? [{ sql: `SELECT pg_advisory_xact_lock(${tablesLock})` }]
    : [
        { sql: `SELECT pg_advisory_xact_lock_shared(${tablesLock})` },
        { sql: `SELECT pg_advisory_xact_lock(${lockKeyOf(scope)})` },
      ]),
  ...(durable === "later" ? [{ sql: "SET LOCAL synchronous_commit = off" }] : []),
];

const commit: Statement = { sql: "COMMIT" };

function loadClient(): PgClientType {
  try {
    return (require("pg") as { Client: PgClientType }).Client;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new Error("A store in PostgreSQL needs the package pg: npm install pg", { cause: error });
  }
}

function toLiteral(value: Value, escape: (text: string) => string): string {
  if (value === null) return "NULL";
  if (typeof value === "string") {
    // The request would end there.
    if (value.includes("\0")) throw new Error("PostgreSQL cannot store a text with a NUL character.");
    return escape(value);
  }
  if (!Number.isFinite(value)) throw new Error(`${value} cannot be stored.`);
  // Without parentheses, two minus signs would start a comment.
  return value < 0 ? `(${value})` : String(value);
}

/** Replaces the parameters of a statement by literals. */
const toLiteralSql = ({ sql, values = [] }: Statement, escape: (text: string) => string): string =>
  sql.replaceAll(/\$(\d+)/g, (_, number) => toLiteral(values[Number(number) - 1]!, escape));

/** Connects by a URL. Parts that it omits come from the PG… variables and the password file, as with psql. */
export async function openPostgres(url: string): Promise<Database> {
  const Client = loadClient();
  const client = new Client({
    connectionString: url,
    application_name: "fxdesk",
    connectionTimeoutMillis: timeoutMs,
    query_timeout: 2 * timeoutMs,
    statement_timeout: timeoutMs,
  });
  // The next statement reports a lost connection; without a listener, the event would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  let inFlight = 0;
  let isConnected = true;
  client.on("end", () => (isConnected = false));
  client.unref();
  /** Keeps the process alive only while a statement runs on an open connection. */
  const trackInFlight = async <T>(work: () => Promise<T>): Promise<T> => {
    inFlight += 1;
    if (isConnected) client.ref();
    try {
      return await work();
    } finally {
      inFlight -= 1;
      if (inFlight === 0 && isConnected) client.unref();
    }
  };
  const query = async (text: string, values?: readonly Value[]): Promise<readonly QueryResult[]> => {
    const result = await trackInFlight(() => client.query(values ? { text, values } : { text }));
    return Array.isArray(result) ? (result as readonly QueryResult[]) : [result as QueryResult];
  };
  const run: StatementRunner = async (text, values = []) => (await query(text, values))[0]!.rows;
  /** One request with literal values: `pg` cannot send several requests with parameters together. */
  const runAll: BatchRunner = async (statements) => {
    if (statements.length === 0) return [];
    const results = await query(
      statements.map((each) => toLiteralSql(each, (text) => client.escapeLiteral(text))).join(";\n"),
    );
    return results.map(({ rows }) => rows);
  };
  const transactInPhases: Database["transactInPhases"] = async ({ reads, decide }, options = {}) => {
    const start = startStatements(options);
    try {
      const rows = await runAll([...start, ...reads]);
      const { writes, result } = await decide(rows.slice(start.length), runAll);
      await runAll([...writes, commit]);
      return result;
    } catch (error) {
      await run("ROLLBACK").catch(() => undefined);
      throw error;
    }
  };
  return {
    description: redactLocation(url),
    now: "CAST(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000 AS BIGINT)",
    tablesQuery: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
    run,
    transaction: (work, options) => transactInPhases(wholeTransaction(work, run), options),
    transactInPhases,
    emptyLog: async () => undefined,
    findFaults: async () => [],
    close: () => trackInFlight(() => client.end()),
  };
}
