/**
 * Measures how close the rate limiter comes to an unknown limit of 20 requests per second: 1,000 reads by four users of one
 * connection, and by four processes on one store. Runs in real time, at least 50 seconds each.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type ClientOptions, type FxdeskClient } from "../core";
import { startLimitedServer } from "./limited-server";

const perSecond = 20;
const [users, readsPerUser] = [4, 250];
const idealSeconds = (users * readsPerUser) / perSecond;

const optionsFor = (url: string): ClientOptions => ({
  baseUrl: url,
  clientId: "c-1",
  credentials: { accessToken: "t", apiKey: "k" },
  queueTimeoutMs: 300_000,
});

type Client = FxdeskClient;

/** Starts all reads at once; returns the seconds until the last response. */
async function readAll(client: Client, user: string): Promise<number> {
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: readsPerUser }, () => client.trades.list({}, { user })));
  return (performance.now() - startedAt) / 1_000;
}

async function measureUsers(url: string): Promise<readonly number[]> {
  const client = createClient(optionsFor(url));
  const seconds = await Promise.all(
    Array.from({ length: users }, (_, user) => readAll(client, String(user))),
  );
  await client.close();
  return seconds;
}

/** Waits for the next message of a process. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`A process ended before it had finished (${String(code)}).`);
  });
  const [message] = await Promise.race([once(child, "message"), ended]);
  return message;
}

async function measureProcesses(url: string): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-pacing-"));
  const children = Array.from({ length: users }, () =>
    fork(__filename, [url, join(folder, "store.db")], { execArgv: [] }),
  );
  await Promise.all(children.map(nextMessage));
  for (const child of children) child.send("begin");
  const seconds = await Promise.all(children.map(nextMessage));
  await rm(folder, { recursive: true });
  return seconds.map(Number);
}

/** Runs as one of several processes. */
async function runWorker(url: string, store: string): Promise<void> {
  const client = createClient({ ...optionsFor(url), pacing: "shared", store });
  process.send!("ready");
  await once(process, "message");
  const seconds = await readAll(client, "");
  await client.close();
  process.send!(seconds, () => process.exit(0));
}

async function measure(name: string, run: (url: string) => Promise<readonly number[]>): Promise<string> {
  const server = await startLimitedServer(perSecond);
  const seconds = (await run(server.url)).toSorted((a, b) => a - b);
  const { taken, refused } = await server.stop();
  const last = seconds.at(-1)!;
  const [first, share] = [seconds[0]!, (100 * refused) / (taken + refused)];
  return (
    `  ${name.padEnd(28)} ${last.toFixed(1)} s, ${(last / idealSeconds).toFixed(2)} of ideal; ` +
    `first of them ${first.toFixed(1)} s; refused ${share.toFixed(1)} %`
  );
}

export async function benchPacing(): Promise<void> {
  const lines = await Promise.all([
    measure("four users of a connection", measureUsers),
    measure("four processes on a store", measureProcesses),
  ]);
  console.log(`1,000 reads, ${perSecond} a second: ideal ${idealSeconds} s\n${lines.join("\n")}`);
}

if (require.main === module) void runWorker(process.argv[2]!, process.argv[3]!);
