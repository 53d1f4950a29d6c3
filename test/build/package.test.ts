/** The package as it is published. */
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import manifest from "../../package.json";
import { asConsumerOf, compiledIn } from "../support/consumer";

const run = promisify(execFile);
const root = join(__dirname, "../..");
const tool = (name: string) => join(root, "node_modules/.bin", name);

let folder: string;
let tarball: string;
let packed: readonly { readonly path: string; readonly size: number }[];
let files: readonly string[];

/**
 * Packs a copy without scripts: npm runs `prepare` before it packs, some versions even when told not to, and a build
 * would pull dist away from under the other tests.
 */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fxdesk-package-"));
  const copy = join(folder, "copy");
  const skipped = new Set(["node_modules", ".git", ".fxdesk"]);
  await cp(root, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  const { scripts: _, ...rest } = manifest;
  await writeFile(join(copy, "package.json"), JSON.stringify(rest));
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: copy });
  const [made] = JSON.parse(stdout) as [{ filename: string; files: typeof packed }];
  tarball = join(folder, made.filename);
  packed = made.files;
  files = packed.map(({ path }) => path);
}, 60_000);

afterAll(() => rm(folder, { recursive: true }));

test("has what a user needs and nothing else", () => {
  for (const path of [
    "dist/cli/main.js",
    "dist/core/index.d.ts",
    "dist/nodes/fxdesk.html",
    "dist/mcp/index.js",
  ])
    expect(files).toContain(path);
  expect(
    files.filter((path) => /^(test|sandbox|bench|build|demo)\/|^dist\/(bench|build|demo)\//.test(path)),
  ).toEqual([]);
});

test("has what its guides lead to", async () => {
  for (const guide of files.filter((path) => /^(README|docs\/\w+)\.md$/.test(path)))
    for (const [, target] of (await readFile(join(root, guide), "utf8")).matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(files).toContain(join(dirname(guide), target!));
});

test("its entry points and types resolve in every module system that Node.js has", async () => {
  await run(tool("publint"), [tarball, "--strict"]);
  await run(tool("attw"), [tarball, "--profile", "node16"]);
}, 60_000);

test("its declarations are small, and only those that its entry points lead to", () => {
  const declarations = packed.filter(({ path }) => path.endsWith(".d.ts"));
  expect(declarations.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(300_000);
  const inside = /^dist\/(?!core\/)|\/(trades|payments|call|transport)\.d\.ts$/;
  expect(declarations.map(({ path }) => path).filter((path) => inside.test(path))).toEqual([]);
});

/** The codes of errors that the guide lists. */
async function documentedCodes(): Promise<string[]> {
  const [, table = ""] = /\| Class +\| Code.*\n((?:\|.*\n)+)/.exec(
    await readFile(join(root, "docs/client.md"), "utf8"),
  )!;
  const cells = table.split("\n").map((row) => row.split("|")[2] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => code!));
}

const consumer = (codes: readonly string[]) => `
import { createClient, FxdeskError, type BookedTrade, type BookTradeInput, type ErrorCode, type FxdeskClient,
  type GetStatementFileResponse, type ListTradesInput, type Payment } from "@fxdesk/toolkit";
import { contract, defineService, json, operation, type InputOf } from "@fxdesk/toolkit/operations";
import { readMt940, signedAmount, type Statement } from "@fxdesk/toolkit/formats";
import { Currency } from "@fxdesk/toolkit/schema";
import { z } from "zod";

const options = { domain: "example.com", clientId: "c" };
const client: FxdeskClient = createClient(options);

const input: ListTradesInput = { trade_type: ["spot"] };
const newTrade: BookTradeInput = { quote_id: "q", reason: "mortage_repayment" };

export async function use(): Promise<string | undefined> {
  const booked = await client.trades.book(newTrade);
  const margin: number | undefined = booked.initial_margin_amount;
  const known: (trade: BookedTrade) => boolean = ({ status }) => status === "Closed";
  for await (const trade of client.trades.list.all(input)) if (known(trade) && trade.rate > 1) break;
  for await (const page of client.trades.list.pages()) page satisfies BookedTrade[];
  const { total, body: listed } = await client.trades.list.response({ page: 2 });
  listed satisfies BookedTrade[];
  const response: GetStatementFileResponse = await client.statements.getFile({ account_id: "a", statement_id: "s" });
  if (response.status === 202) return response.body.status;
  await response.body.save("statement.pdf");
  const inJson = { "payment-product": "sepa-credit-transfers", paymentId: "p" } as const;
  const payment: Payment = await client.payments.get(inJson);
  const inXml = { ...inJson, "payment-product": "pain.001-sepa-credit-transfers" } as const;
  const text: Payment | string = await client.payments.get(inXml);
  // @ts-expect-error it may be a text
  (await client.payments.get(inXml)) satisfies Payment;
  // @ts-expect-error a reason is needed
  await client.trades.book({ quote_id: "q" });
  // @ts-expect-error the contract has no such reason
  await client.trades.book({ quote_id: "q", reason: "mortgage_repayment" });
  // @ts-expect-error there is no such field
  await client.trades.book({ ...newTrade, amount: 5 });
  // @ts-expect-error the connection gives the client
  await client.accountDetails.listAll({ client_id: "c" });
  // @ts-expect-error a rate is a number
  const rate: string = (await client.trades.get({ trade_id: "t" })).rate;
  // @ts-expect-error not a list of pages
  client.trades.get.all({ trade_id: "t" });
  return [total, margin, payment, text, rate].join();
}

export function meaning(error: FxdeskError): ErrorCode {
  switch (error.code) {
${codes.map((code) => `    case "${code}":`).join("\n")}
      return error.code;
    // @ts-expect-error there is no such code
    case "booked":
      return error.code;
  }
}

const getFixing = operation({
  name: "fixings.get", tool: "get_fixing", title: "Get fixing", summary: "Returns a fixing.", effect: "read",
  method: "GET", path: "/fixings/{symbol}", server: "service", credentials: [], contract: "none",
  parameters: { symbol: Currency }, responses: { 200: json(z.object({ rate: z.number() }), "The fixing.") }, errors: {},
});
const operations = [...contract.operations, getFixing] as const;
const extended = createClient(options, defineService({ ...contract, operations }));
const alone = createClient(options, { ...contract, operations: [getFixing] as const });

export async function useExtended(given: InputOf<typeof getFixing>): Promise<number> {
  const { rate } = await extended.trades.get({ trade_id: "t" });
  // @ts-expect-error the symbol is needed
  await alone.fixings.get({});
  return rate + (await extended.fixings.get(given)).rate + (await alone.fixings.get(given)).rate;
}

export async function read(text: string): Promise<Statement[]> {
  const statements: Statement[] = [];
  for await (const statement of readMt940(text)) statements.push(statement);
  statements.map(({ closingBalance }) => signedAmount(closingBalance).length);
  return statements;
}
`;

test("a strict consumer compiles against what is packed, and what is wrong does not", async () => {
  const code = consumer(await documentedCodes());
  await asConsumerOf(tarball, async (consuming) => {
    expect(
      await compiledIn(consuming, { "consumer.cts": code, "consumer.mts": code }, { module: "node16" }),
    ).toBe("");
    const bundled = { module: "esnext", moduleResolution: "bundler" };
    expect(await compiledIn(consuming, { "consumer.ts": code }, bundled)).toBe("");
  });
});

test("its command is a program, which runs as it is built", async () => {
  const command = join(root, "dist/cli/main.js");
  expect(await readFile(command, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect((await stat(command)).mode & 0o777).toBe(0o755);
});

test("needs nothing that is only there to develop it", async () => {
  const code = files.filter((path) => path.endsWith(".js"));
  const asked = new Set<string>();
  for (const path of code)
    for (const [, name] of (await readFile(join(root, path), "utf8")).matchAll(
      // What a quote comes before is text, of code that is written elsewhere.
      /(?<!["'`])(?:require|import)\("((?:@[^/"]+\/)?[^./"][^/"]*)/g,
    ))
      asked.add(name!);
  const peers: Readonly<Record<string, string>> = manifest.peerDependencies;
  const developing = new Set(Object.keys(manifest.devDependencies).filter((name) => !(name in peers)));
  expect([...asked].filter((name) => developing.has(name))).toEqual([]);
  for (const name of Object.keys(manifest.dependencies)) expect(asked).toContain(name);
});
