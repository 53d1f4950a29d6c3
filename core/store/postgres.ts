/** The PostgreSQL database, through the optional peer dependency `pg`. */
import type { Database, Row, StatementRunner, Value } from "./database";
import { redactLocation } from "./settings";

/** The used part of `pg`, declared here so that types compile without the package. */
interface PgClient {
  on(event: "error" | "end", listener: () => void): void;
  connect(): Promise<unknown>;
  query(query: { text: string; values: readonly Value[] }): Promise<{ rows: Row[] }>;
  end(): Promise<void>;
  ref(): void;
  unref(): void;
}

type PgClientType = new (options: Readonly<Record<string, unknown>>) => PgClient;

/** Limit for connecting and for each statement. */
const timeoutMs = 10_000;

/** Arbitrary key of the advisory lock that serialises transactions of all processes. */
const tablesLock = 7_342_019_551;

const lock = "SELECT pg_advisory_xact_lock($1)";
const lockStatements = {
  now: lock,
  later: `${lock}, set_config('synchronous_commit', 'off', true)`,
} as const;

function loadClient(): PgClientType {
  try {
    return (require("pg") as { Client: PgClientType }).Client;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new Error("A store in PostgreSQL needs the package pg: npm install pg", { cause: error });
  }
}

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
  const run: StatementRunner = async (text, values = []) =>
    (await trackInFlight(() => client.query({ text, values }))).rows;
  return {
    description: redactLocation(url),
    now: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
    tablesQuery: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
    run,
    async transaction(work, { durable = "now" } = {}) {
      await run("BEGIN");
      try {
        await run(lockStatements[durable], [tablesLock]);
        const result = await work(run);
        await run("COMMIT");
        return result;
      } catch (error) {
        await run("ROLLBACK").catch(() => undefined);
        throw error;
      }
    },
    emptyLog: async () => undefined,
    findFaults: async () => [],
    close: () => trackInFlight(() => client.end()),
  };
}
