/**
 * How close calls come to what a service takes that nobody has told of: 1,000 reads of one that takes 20 in any second, by four
 * users of one connection, and by four processes on one store. In real time: each takes 50 seconds and what the pace loses.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type ClientOptions, type FxdeskClient } from "../core";
import { startLimitedServer } from "./limited-server";

const perSecond = 20;
const [users, readsOfEach] = [4, 250];
const idealSeconds = (users * readsOfEach) / perSecond;

const optionsFor = (url: string): ClientOptions => ({
  baseUrl: url,
  clientId: "c-1",
  credentials: { accessToken: "t", apiKey: "k" },
  queueTimeoutMs: 300_000,
});

type Client = FxdeskClient;

/** All at once; returns after how many seconds the last one was there. */
async function readAll(client: Client, user: string): Promise<number> {
  const begun = performance.now();
  await Promise.all(Array.from({ length: readsOfEach }, () => client.trades.list({}, { user })));
  return (performance.now() - begun) / 1_000;
}

async function byUsers(url: string): Promise<readonly number[]> {
  const client = createClient(optionsFor(url));
  const seconds = await Promise.all(
    Array.from({ length: users }, (_, user) => readAll(client, String(user))),
  );
  await client.close();
  return seconds;
}

/** The next message of a process. */
async function told(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`A process ended before it was done (${String(code)}).`);
  });
  const [message] = await Promise.race([once(child, "message"), ended]);
  return message;
}

async function byProcesses(url: string): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-pacing-"));
  const children = Array.from({ length: users }, () =>
    fork(__filename, [url, join(folder, "store.db")], { execArgv: [] }),
  );
  await Promise.all(children.map(told));
  for (const child of children) child.send("begin");
  const seconds = await Promise.all(children.map(told));
  await rm(folder, { recursive: true });
  return seconds.map(Number);
}

/** One of several processes. */
async function take(url: string, store: string): Promise<void> {
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
    measure("four users of a connection", byUsers),
    measure("four processes on a store", byProcesses),
  ]);
  console.log(`1,000 reads, ${perSecond} a second: ideal ${idealSeconds} s\n${lines.join("\n")}`);
}

if (require.main === module) void take(process.argv[2]!, process.argv[3]!);
