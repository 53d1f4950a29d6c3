/**
 * The sandbox with 100,000 transactions on one account, in a process of its own that holds nothing else. Says how to reach
 * it once it is ready; responds to any message with the memory it took.
 */

export const transactions = 100_000;

/** What is used of the sandbox. Its name is not a literal, since it is compiled after this. */
interface SandboxPackage {
  readonly startSandbox: () => Promise<{
    readonly baseUrl: string;
    readonly demo: { readonly clientId: string; readonly accessToken: string; readonly apiKey: string };
    readonly control: { payIn(payment: Readonly<Record<string, string>>): unknown };
  }>;
}
const packageName: string = "@fxdesk/sandbox";

async function serve(): Promise<void> {
  const { startSandbox } = (await import(packageName)) as SandboxPackage;
  const { baseUrl, demo, control } = await startSandbox();
  // Written by way of BigInt: of other numbers the engine keeps the texts, which are not the sandbox's.
  for (let index = 0n; index < transactions; index += 1n)
    control.payIn({
      currency: "EUR",
      amount: `${1n + (index % 10_000n)}.5`,
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

if (require.main === module) void serve();

export interface Ready {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly accessToken: string;
  readonly apiKey: string;
}

export interface Memory {
  readonly before: number;
  readonly peak: number;
}
