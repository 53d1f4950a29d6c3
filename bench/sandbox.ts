/**
 * Measures the sandbox: start, a page of an account with 100,000 transactions, the MT940 file of all of them with its memory,
 * and saving, loading and forking.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createClient, type FxdeskClient } from "../core";
import { median } from "./compare";
import {
  manyAccounts,
  manyTransactions,
  type Memory,
  type Ready,
  type Saving,
  transactions,
} from "./sandbox-process";

const starts = 9;
const pages = 51;
/** Every account has at least this many pages. */
const maxPage = 20;
const pageSize = 50;
const statementReadyMs = 1_000;
const mebibyte = 2 ** 20;

/** Measures consecutive pages, in milliseconds. */
async function pageTimes(client: FxdeskClient, account_id: string): Promise<number[]> {
  const times: number[] = [];
  for (let round = 1; round <= pages; round += 1) {
    const page = 1 + (round % maxPage);
    const start = performance.now();
    await client.transactions.list({ account_id, page_size: pageSize, page });
    times.push(performance.now() - start);
  }
  return times;
}

/** Streams the complete file; returns its size and the times of its first and last byte. */
async function fetchAll(client: FxdeskClient, account_id: string) {
  const from_value_datetime = "2000-01-01T00:00";
  const { url } = await client.statements.createFile({ account_id, format: "mt940", from_value_datetime });
  const statement_id = url.split("/").at(-2)!;
  await wait(statementReadyMs);
  const start = performance.now();
  const { body, status } = await client.statements.getFile({ account_id, statement_id });
  if (status !== 200) throw new Error("The statement is not ready.");
  let [size, begun] = [0, 0];
  for await (const chunk of body.stream) {
    begun ||= performance.now() - start;
    size += (chunk as Buffer).length;
  }
  return { size, begun, took: performance.now() - start };
}

const row = (name: string, value: number, unit: string) =>
  console.log(`  ${name.padEnd(34)} ${value.toFixed(1).padStart(8)} ${unit}`);

/** Measures the time from starting the command until it prints its address, in milliseconds. */
async function timeToStart(): Promise<number> {
  const begin = performance.now();
  const command = join(__dirname, "../cli/main.js");
  const server = spawn(process.execPath, [command, "sandbox", "--port", "0"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(server.stdout, "data");
  const took = performance.now() - begin;
  server.kill();
  await once(server, "exit");
  return took;
}

async function benchStart(): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < starts; round += 1) times.push(await timeToStart());
  console.log("Sandbox with the default world");
  row(`start, median of ${starts}`, median(times), "ms");
}

/** Starts a sandbox with transactions in a process of its own, and a client. */
async function startLoadedSandbox(...args: readonly string[]) {
  const child = fork(join(__dirname, "sandbox-process.js"), args, { execArgv: [] });
  const [{ baseUrl, clientId, accessToken, apiKey }] = (await once(child, "message")) as [Ready];
  const client = createClient({ baseUrl, clientId, credentials: { accessToken, apiKey } });
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const responseTo = async <T>(request: string): Promise<T> => {
    child.send(request);
    const [response] = (await once(child, "message")) as [T];
    return response;
  };
  const close = async () => {
    await client.close();
    child.disconnect();
  };
  return { client, accountId: account!.account_id, responseTo, close };
}

type LoadedSandbox = Awaited<ReturnType<typeof startLoadedSandbox>>;

async function benchReading({ client, accountId, responseTo }: LoadedSandbox): Promise<void> {
  const times = await pageTimes(client, accountId);
  const { size, begun, took } = await fetchAll(client, accountId);
  const { before, peak } = await responseTo<Memory>("memory");
  row(`page of ${pageSize}, median of ${times.length}`, median(times), "ms");
  row("MT940 of all of an account", size / mebibyte, "MiB");
  row("  first piece after", begun, "ms");
  row("  all of it after", took, "ms");
  row("resident before", before / mebibyte, "MiB");
  row("resident at most afterwards", peak / mebibyte, "MiB");
}

async function benchSaving({ responseTo }: LoadedSandbox): Promise<void> {
  const { size, save, load, fork: forked } = await responseTo<Saving>("save");
  row("saved as text", size / mebibyte, "MiB");
  row("  saving it", save, "ms");
  row("  loading it, up to the door", load, "ms");
  row("forking it, up to the door", forked, "ms");
}

async function benchStatements(): Promise<void> {
  const one = await startLoadedSandbox();
  console.log(`Sandbox with ${transactions} transactions on one account`);
  await benchReading(one);
  await benchSaving(one);
  await one.close();
  const many = await startLoadedSandbox("many");
  console.log(`Sandbox with ${manyTransactions} transactions on ${manyAccounts} accounts`);
  await benchReading(many);
  await many.close();
}

export async function benchSandbox(): Promise<void> {
  await benchStart();
  await benchStatements();
}

if (require.main === module) void benchSandbox();
