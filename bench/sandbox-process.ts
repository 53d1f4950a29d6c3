/**
 * Runs a sandbox in a process of its own, with 100,000 transactions on one account, or with "many" a million on a thousand
 * accounts. Sends its address when ready, memory figures for "memory", and times to save, load and fork for "save".
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { median } from "./compare";

export const transactions = 100_000;
export const manyTransactions = 1_000_000;
export const manyAccounts = 1_000;

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
  readonly startSandbox: (options?: {
    readonly saved?: unknown;
    readonly world?: string;
  }) => Promise<Sandbox>;
}
const packageName: string = "@fxdesk/sandbox";

/** Writes a world file of one company with many accounts; removed when the process ends. */
function worldOf(count: number): string {
  const file = join(mkdtempSync(join(tmpdir(), "fxdesk-bench-")), "world.yaml");
  const company = {
    id: "client-many",
    name: "Many AG",
    address: "Here 1",
    country: "DE",
    email: "a@many.example",
  };
  const contacts = [{ id: "contact-many", name: "Ada Many", email: "ada@many.example" }];
  const world = {
    version: 1,
    days_behind: 1,
    companies: [{ ...company, contacts, accounts: [{ currency: "EUR", count }] }],
  };
  // JSON is valid YAML.
  writeFileSync(file, JSON.stringify(world));
  process.once("exit", () => rmSync(dirname(file), { recursive: true }));
  return file;
}

async function accountIds({ baseUrl, demo }: Sandbox): Promise<string[]> {
  const headers = { authorization: `Bearer ${demo.accessToken}`, "x-api-key": demo.apiKey };
  const response = await fetch(`${baseUrl}/accounts?currencies=EUR&client_id=${demo.clientId}`, { headers });
  return ((await response.json()) as { account_id: string }[]).map(({ account_id }) => account_id);
}

const rounds = 9;

async function timed<T>(act: () => T | Promise<T>): Promise<readonly [result: T, took: number]> {
  const begin = performance.now();
  return [await act(), performance.now() - begin];
}

/** Measures saving a sandbox as text, starting one from the text, and forking it; medians. */
async function savingTimes(sandbox: Sandbox, { startSandbox }: SandboxPackage): Promise<Saving> {
  const took = { save: [] as number[], load: [] as number[], fork: [] as number[] };
  let size = 0;
  for (let round = 0; round < rounds; round += 1) {
    const [text, save] = await timed(() => JSON.stringify(sandbox.save()));
    const [loaded, load] = await timed(() => startSandbox({ saved: JSON.parse(text) as unknown }));
    const [forked, fork] = await timed(() => sandbox.fork());
    for (const each of [loaded, forked]) await each.close();
    size = text.length;
    took.save.push(save);
    took.load.push(load);
    took.fork.push(fork);
  }
  return { size, save: median(took.save), load: median(took.load), fork: median(took.fork) };
}

async function serve(): Promise<void> {
  const sandboxPackage = (await import(packageName)) as SandboxPackage;
  const isMany = process.argv[2] === "many";
  const sandbox = await sandboxPackage.startSandbox(isMany ? { world: worldOf(manyAccounts) } : {});
  const { baseUrl, demo, control } = sandbox;
  const count = BigInt(isMany ? manyTransactions : transactions);
  const ids = isMany ? await accountIds(sandbox) : [];
  // Via BigInt, because V8 caches the texts of plain numbers, which would count as memory of the sandbox.
  for (let index = 0n; index < count; index += 1n)
    control.payIn({
      ...(isMany ? { account_id: ids[Number(index % BigInt(ids.length))]! } : { currency: "EUR" }),
      amount: `${1n + (index % 10_000n)}.5`,
      reference: `INV-${index}`,
      debtor_name: "Example Supplies Ltd",
    });
  const before = process.memoryUsage.rss();
  let peak = before;
  setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  process.on("message", (request) => {
    if (request === "memory") process.send!({ before, peak } satisfies Memory);
    else void savingTimes(sandbox, sandboxPackage).then((times) => process.send!(times));
  });
  process.on("disconnect", () => process.exit(0));
  process.send!({ baseUrl, ...demo } satisfies Ready);
}

if (require.main === module) void serve();

export interface Ready {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly accessToken: string;
  readonly apiKey: string;
}

/** Size in characters, times in milliseconds. */
export interface Saving {
  readonly size: number;
  readonly save: number;
  readonly load: number;
  readonly fork: number;
}

export interface Memory {
  readonly before: number;
  readonly peak: number;
}
