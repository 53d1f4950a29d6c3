/**
 * The sandbox: how long it takes to start, a page of an account with 100,000 transactions, the MT940 file of all of them
 * with the memory it takes, and to save, load and fork it.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createClient, type FxdeskClient } from "../core";
import { median } from "./compare";
import { transactions, type Ready, type Memory, type Saving } from "./sandbox-process";

const starts = 9;
const pages = 51;
const pageSize = 50;
const madeWithinMs = 1_000;
const mebibyte = 2 ** 20;

/** Milliseconds for each of the first pages, one after the other. */
async function pageTimes(client: FxdeskClient, account_id: string): Promise<number[]> {
  const times: number[] = [];
  for (let page = 1; page <= pages; page += 1) {
    const start = performance.now();
    await client.transactions.list({ account_id, page_size: pageSize, page });
    times.push(performance.now() - start);
  }
  return times;
}

/** Fetches the file of everything, piece by piece; returns its bytes, and when its beginning and its end were there. */
async function fetchAll(client: FxdeskClient, account_id: string) {
  const from_value_datetime = "2000-01-01T00:00";
  const { url } = await client.statements.createFile({ account_id, format: "mt940", from_value_datetime });
  const statement_id = url.split("/").at(-2)!;
  await wait(madeWithinMs);
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

/** Milliseconds from starting the command to its saying where the sandbox is. */
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

async function benchStatements(): Promise<void> {
  const child = fork(join(__dirname, "sandbox-process.js"), { execArgv: [] });
  const [{ baseUrl, clientId, accessToken, apiKey }] = (await once(child, "message")) as [Ready];
  const client = createClient({ baseUrl, clientId, credentials: { accessToken, apiKey } });
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const times = await pageTimes(client, account!.account_id);
  const { size, begun, took } = await fetchAll(client, account!.account_id);
  child.send("memory");
  const [{ before, peak }] = (await once(child, "message")) as [Memory];
  console.log(`Sandbox with ${transactions} transactions on one account`);
  row(`page of ${pageSize}, median of ${pages}`, median(times), "ms");
  row("MT940 of all", size / mebibyte, "MiB");
  row("  first piece after", begun, "ms");
  row("  all of it after", took, "ms");
  row("resident before", before / mebibyte, "MiB");
  row("resident at most afterwards", peak / mebibyte, "MiB");
  child.send("save");
  const [saving] = (await once(child, "message")) as [Saving];
  row("saved as text", saving.size / mebibyte, "MiB");
  row("  saving it", saving.save, "ms");
  row("  loading it, up to the door", saving.load, "ms");
  row("forking it, up to the door", saving.fork, "ms");
  await client.close();
  child.disconnect();
}

export async function benchSandbox(): Promise<void> {
  await benchStart();
  await benchStatements();
}

if (require.main === module) void benchSandbox();
