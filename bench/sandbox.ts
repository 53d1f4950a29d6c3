/**
 * Measures the sandbox: start, a page of an account with 100,000 transactions, the MT940 file of all of them with its memory,
 * and saving, loading and forking.
 */
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createClient, type FxdeskClient } from "../core";
import { inTurn, median, printRow, timed } from "./compare";
import { msUntilReady } from "./ready";

const transactions = 100_000;
const pages = 51;
/** The account has at least this many pages. */
const maxPage = 20;
const pageSize = 50;
const rounds = 9;
const statementReadyMs = 1_000;
const mebibyte = 2 ** 20;

interface Sandbox {
  readonly baseUrl: string;
  readonly demo: { readonly clientId: string; readonly accessToken: string; readonly apiKey: string };
  readonly control: { payIn(payment: Readonly<Record<string, string>>): unknown };
  save(): unknown;
  fork(): Promise<Sandbox>;
  close(): Promise<void>;
}

/** The part of the sandbox in use. Its name is not a literal, because the sandbox is compiled later. */
interface SandboxPackage {
  readonly startSandbox: (options?: { readonly saved: unknown }) => Promise<Sandbox>;
}
const packageName: string = "@fxdesk/sandbox";

async function benchPages(client: FxdeskClient, account_id: string): Promise<void> {
  const times: number[] = [];
  for (let round = 1; round <= pages; round += 1) {
    const page = 1 + (round % maxPage);
    times.push(await timed(() => client.transactions.list({ account_id, page_size: pageSize, page })));
  }
  printRow(`page of ${pageSize}, median of ${pages}`, median(times), "ms");
}

/** Streams the complete file, with the memory of the sandbox and its client in this process. */
async function benchStatement(client: FxdeskClient, account_id: string): Promise<void> {
  const from_value_datetime = "2000-01-01T00:00";
  const { url } = await client.statements.createFile({ account_id, format: "mt940", from_value_datetime });
  const statement_id = url.split("/").at(-2)!;
  await wait(statementReadyMs);
  const before = process.memoryUsage.rss();
  const start = performance.now();
  const { body, status } = await client.statements.getFile({ account_id, statement_id });
  if (status !== 200) throw new Error("The statement is not ready.");
  let [size, firstMs, peak] = [0, 0, before];
  for await (const chunk of body.stream) {
    firstMs ||= performance.now() - start;
    size += (chunk as Buffer).length;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  printRow("MT940 of all", size / mebibyte, "MiB");
  printRow("  first piece after", firstMs, "ms");
  printRow("  all of it after", performance.now() - start, "ms");
  printRow("  resident memory meanwhile", (peak - before) / mebibyte, "MiB more");
}

async function benchSaving({ startSandbox }: SandboxPackage, sandbox: Sandbox): Promise<void> {
  const saved = JSON.stringify(sandbox.save());
  const startAndClose = async (starting: Promise<Sandbox>) => (await starting).close();
  const [saving, loading, forking] = await inTurn(
    [
      () => timed(() => JSON.stringify(sandbox.save())),
      () => timed(() => startAndClose(startSandbox({ saved: JSON.parse(saved) as unknown }))),
      () => timed(() => startAndClose(sandbox.fork())),
    ],
    rounds,
  );
  printRow("saved as text", saved.length / mebibyte, "MiB");
  printRow("  saving it", median(saving!), "ms");
  printRow("  loading it", median(loading!), "ms");
  printRow("forking it", median(forking!), "ms");
}

export async function benchSandbox(): Promise<void> {
  const command = join(__dirname, "../cli/main.js");
  const [startTimes] = await inTurn(
    [() => msUntilReady(command, ["sandbox", "--port", "0"], "http")],
    rounds,
  );
  const sandboxPackage = (await import(packageName)) as SandboxPackage;
  const sandbox = await sandboxPackage.startSandbox();
  const { baseUrl, demo, control } = sandbox;
  for (let index = 0; index < transactions; index += 1)
    control.payIn({ currency: "EUR", amount: `${1 + (index % 10_000)}.5`, reference: `INV-${index}` });
  const { clientId, ...credentials } = demo;
  const client = createClient({ baseUrl, clientId, credentials });
  const [account] = await client.accounts.list({ currencies: "EUR" });
  console.log(`Sandbox with ${transactions} transactions on one account; medians of ${rounds}`);
  printRow("start, without them", median(startTimes!), "ms");
  await benchPages(client, account!.account_id);
  await benchStatement(client, account!.account_id);
  await benchSaving(sandboxPackage, sandbox);
  await client.close();
  await sandbox.close();
}
