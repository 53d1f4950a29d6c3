/** Examples in the help of nodes are what the sandbox answers; FXDESK_WRITE_DOCS=1 writes them. */
import { now } from "../support/fixed-clock";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "@fxdesk/toolkit";
import type { Values } from "@fxdesk/toolkit/operations";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { describeOperation } from "../../core/spec/describe-operation";
import type { Callable } from "../../core/spec/operation";
import { declarationsOf } from "../../core/spec/service";
import { isWatch } from "../../core/spec/watch";
import { isObject } from "../../core/values/json";
import { omitted, printResult } from "../../nodes/generate/result-examples";
import { sampleInput } from "../support/samples";
import { openClient, openSandbox } from "../support/sandboxes";

const file = join(__dirname, "../../nodes/generate/result-examples.json");

const operationNames = new Set<string>(fxdeskService.operations.map(({ name }) => name));

type Input = (client: FxdeskClient, sandbox: Sandbox) => Values | Promise<Values>;

const february = { period: "2026-02" };
const paymentRun = async (client: FxdeskClient) => ({
  rows: [
    {
      payee: "Atelier Rousseau SAS",
      iban: "FR7630006000011234567890189",
      amount: "125.50",
      reference: "PO-20418",
    },
    {
      payee: "Papeterie Morel SARL",
      iban: "FR1420041010050500013M02606",
      amount: "80.00",
      reference: "PO-20419",
    },
  ],
  debtor_iban: (await client.accountDetails.listAll()).find(({ currency }) => currency === "EUR")!.iban!,
});

/** Inputs of procedures and watches. Those whose results have random or changing parts have no example. */
const inputs: Readonly<Record<string, Input>> = {
  "cash.getPosition": () => ({}),
  "transactions.find": () => ({ ...february, direction: "in" }),
  "transactions.summarize": () => ({ ...february, by: ["month"] }),
  "forwards.list": () => ({}),
  "exposure.get": () => ({}),
  "transactions.reconcile": () => ({
    items: [{ reference: "INV-16825", amount: "4307.89", currency: "EUR" }],
  }),
  "statements.fetch": () => ({ ...february, currencies: "EUR", format: "mt940" }),
  "statements.convert": async (client) => {
    const { files } = await client.statements.fetch({ ...february, currencies: "EUR", format: "mt940" });
    return { content: files[0]!.content!.toString("latin1") };
  },
  "consents.connect": () => ({ wait_seconds: 0 }),
  "payments.follow": async (client) => ({
    ...(await sampleInput("payments.getStatus", client)),
    wait_seconds: 0,
  }),
  "payments.prepareRun": paymentRun,
  "payments.initiateRun": paymentRun,
  "payments.followRun": async (client) => {
    const { run } = await client.payments.initiateRun(await paymentRun(client));
    return { run };
  },
  "accountDetails.open": () => ({
    country: "BE",
    currency: "EUR",
    alias: "Belgian customers",
    wait_seconds: 0,
  }),
  "transactions.watch": () => ({}),
  "accounts.watchBalances": () => ({ below: "1000000" }),
  "trades.watch": () => ({}),
  "trades.watchPayments": () => ({}),
  "forwards.watch": () => ({}),
  "payments.watch": async (client) => {
    const { paymentId, ...kind } = await sampleInput("payments.getStatus", client);
    return { payments: [[kind["payment-service"], kind["payment-product"], paymentId].join("/")] };
  },
  "accountDetails.watch": () => ({}),
  "consents.watch": async (client) => ({
    consents: [(await sampleInput("openBanking.listAccounts", client))["Consent-ID"]],
    within_days: 366,
  }),
  "statements.watch": async (client, sandbox) => {
    const { account_id, statement_id } = await sampleInput("statements.getFile", client);
    sandbox.advance(10_000);
    return { urls: [["", "accounts", account_id, "statements", statement_id, "file"].join("/")] };
  },
};

async function resultOf(callable: Callable, client: FxdeskClient, sandbox: Sandbox): Promise<unknown> {
  const input = inputs[callable.name] ?? ((each) => sampleInput(callable.name, each));
  const values = await input(client, sandbox);
  if (!isWatch(callable)) return (await client.call(callable, values)).body;
  const { changes } = await client.readInitialChanges(callable, values, { from: "beginning" });
  return changes.at(-1)?.entry;
}

/** The most fields of an object, and of those inside of it. */
type Size = readonly [fields: number, inner?: number];

/** Returns the first entry of lists and the first fields of objects. */
function cut(value: unknown, size: Size): unknown {
  const [fields, inner = fields] = size;
  if (Array.isArray(value)) {
    const [first, ...others] = value as unknown[];
    if (first === undefined) return [];
    return [cut(first, size), ...(others.length > 0 ? [omitted] : [])];
  }
  if (Buffer.isBuffer(value)) return omitted;
  if (!isObject(value)) return value;
  const all = Object.entries(value).filter(([, field]) => field !== undefined);
  const kept = all.slice(0, fields).map(([name, field]) => [name, cut(field, [inner])]);
  return Object.fromEntries(all.length > fields ? [...kept, [omitted, omitted]] : kept);
}

const sizes: readonly Size[] = [
  ...[8, 7, 6, 5, 4, 3].map((inner) => [12, inner] as const),
  ...[12, 11, 10, 9, 8, 7, 6].map((fields) => [fields, 2] as const),
];

const maxLines = 14;

/** Returns as much of a result as fits into the lines. */
function shorten(result: unknown): unknown {
  const examples = sizes.map((size) => cut(result, size));
  return examples.find((each) => printResult(each).split("\n").length <= maxLines) ?? examples.at(-1);
}

/** Returns a result with the usual port of a sandbox. */
const withUsualPort = (result: unknown, { baseUrl }: Sandbox): unknown =>
  JSON.parse(JSON.stringify(result).replaceAll(baseUrl, "http://127.0.0.1:8080"));

/** Nodes with an example. Files, texts and empty responses need none. */
const recorded = declarationsOf(fxdeskService).filter(
  (each) =>
    each.name in inputs ||
    (operationNames.has(each.name) && describeOperation(each).responses[0]!.kind === "json"),
);

async function record(): Promise<Readonly<Record<string, unknown>>> {
  const start = await openSandbox({ now });
  const examples: Record<string, unknown> = {};
  for (const callable of recorded) {
    // Each is the first on its sandbox, so no example depends on another.
    const sandbox = await start.fork();
    const client = openClient(sandbox, { settings: { redirectUri: sandbox.demo.redirectUri! } });
    const result = await resultOf(callable, client, sandbox);
    if (result !== undefined) examples[callable.name] = withUsualPort(shorten(result), sandbox);
    await client.close();
    await sandbox.close();
  }
  return examples;
}

test("every example is what the sandbox answers", async () => {
  const examples = await record();
  if (process.env.FXDESK_WRITE_DOCS) writeFileSync(file, JSON.stringify(examples));
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(examples);
  const text = JSON.stringify(examples);
  for (const secret of [demo.accessToken, demo.apiKey]) expect(text).not.toContain(secret);
});
