/** 100,000 transactions on one account: a page of them, and the MT940 file of all of them with the memory it takes. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { createClient, type FxdeskClient } from "../core";
import { median } from "./compare";

const transactions = 100_000;
const pages = 51;
const pageSize = 50;
const madeWithinMs = 1_000;
const mebibyte = 2 ** 20;

/** What is used of the sandbox. Its name is not a literal, since it is compiled after this. */
interface SandboxPackage {
  readonly startSandbox: () => Promise<{
    readonly baseUrl: string;
    readonly demo: { readonly clientId: string; readonly accessToken: string; readonly apiKey: string };
    readonly control: { payIn(payment: Readonly<Record<string, string>>): unknown };
  }>;
}
const packageName: string = "@fxdesk/sandbox";

interface Ready {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly accessToken: string;
  readonly apiKey: string;
}

interface Memory {
  readonly before: number;
  readonly peak: number;
}

/** The sandbox, in a process of its own. Answers any message with the memory it took since it was ready. */
async function serve(): Promise<void> {
  const { startSandbox } = (await import(packageName)) as SandboxPackage;
  const { baseUrl, demo, control } = await startSandbox();
  for (let index = 0; index < transactions; index += 1)
    control.payIn({
      currency: "EUR",
      amount: `${index % 10_000}.5`.replace(/^0\./, "1."),
      reference: `INV-${index}`,
      debtor_name: "Example Supplies Ltd",
    });
  const before = process.memoryUsage.rss();
  let peak = before;
  setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  process.on("message", () => process.send!({ before, peak } satisfies Memory));
  process.on("disconnect", () => process.exit(0));
  process.send!({ baseUrl, ...demo } satisfies Ready);
}

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

/** Fetches the file of everything, piece by piece; answers its bytes, and when its beginning and its end were there. */
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

export async function benchStatements(): Promise<void> {
  const child = fork(__filename, { execArgv: [] });
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
  await client.close();
  child.disconnect();
}

if (require.main === module) void (process.send ? serve() : benchStatements());
