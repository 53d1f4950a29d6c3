/** Tests the published package in consumer projects. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { packedConsumer, compileIn } from "../support/consumer-project";
import { type PackedPackage, packPackage } from "../support/packed-package";

const run = promisify(execFile);
const root = join(__dirname, "../..");
const tool = (name: string) => join(root, "node_modules/.bin", name);

let packed: PackedPackage;
beforeAll(async () => (packed = await packPackage()), 60_000);

test("entry points and types resolve in every module system of Node.js", async () => {
  await run(tool("publint"), [packed.tarball, "--strict"]);
  await run(tool("attw"), [packed.tarball, "--profile", "node16"]);
}, 60_000);

/** Error codes that the documentation lists. */
async function documentedCodes(): Promise<string[]> {
  const page = await readFile(join(root, "docs/errors.md"), "utf8");
  return [...page.matchAll(/^## (\w+)$/gm)].map(([, code]) => code!);
}

const consumer = (codes: readonly string[]) => `
import { createClient, FxdeskError, type BookedTrade, type BookTradeInput, type ErrorCode, type FxdeskClient,
  type GetStatementFileResponse, type ListTradesInput, type Payment, fxdeskService } from "@fxdesk/toolkit";
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
const operations = [...fxdeskService.operations, getFixing] as const;
const extended = createClient(options, defineService({ ...fxdeskService, operations }));
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
  statements.map(({ closingBalance }) => closingBalance && signedAmount(closingBalance).length);
  return statements;
}
`;

test("a strict consumer compiles against the packed package, and errors do not", async () => {
  const code = consumer(await documentedCodes());
  const consuming = await packedConsumer(packed.tarball);
  const both = { "consumer.cts": code, "consumer.mts": code };
  expect(await compileIn(consuming, both, { module: "node16" })).toBe("");
  const bundled = { module: "esnext", moduleResolution: "bundler" };
  expect(await compileIn(consuming, { "consumer.ts": code }, bundled)).toBe("");
});
