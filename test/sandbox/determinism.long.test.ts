/** Tests that equal seed, time and requests give byte-identical responses. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Declaration, fieldsOf, operations } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { eventually } from "../support/eventually";
import { operationNamed } from "../support/operations";
import { closeLater } from "../support/resources";
import { sampleInput } from "../support/samples";
import { openClient } from "../support/sandboxes";
import { demoHeaders, type PlainRequest, toRequest } from "./support/http";

interface PlayedSandbox {
  readonly sandbox: Sandbox;
  readonly client: FxdeskClient;
  /** Recorded responses by label. */
  readonly responses: Record<string, string>;
}

/** Returns a response without the callers' own IDs and the random port. */
async function recordResponse(
  { sandbox, responses }: PlayedSandbox,
  what: string,
  path: string,
  request: PlainRequest = {},
) {
  const response = await fetch(sandbox.baseUrl + path, { redirect: "manual", ...(request as RequestInit) });
  const bytes = Buffer.from(await response.arrayBuffer());
  const headers = [...response.headers].filter(
    ([name]) => name !== "x-request-id" && name !== "content-length",
  );
  const head = JSON.stringify([response.status, headers]);
  const isText = /json|text|xml/.test(response.headers.get("content-type") ?? "");
  const body = bytes.toString(isText ? "utf8" : "base64");
  // The page shows the callers' request IDs, which differ.
  responses[what] = `${head} ${body}`
    .replaceAll(new URL(sandbox.baseUrl).host, "sandbox")
    .replaceAll(/x-request-id: [\w-]+/gi, "x-request-id");
}

const recordCall = async (played: PlayedSandbox, operation: Declaration) => {
  const { path, ...request } = toRequest(operation, await sampleInput(operation.name, played.client));
  await recordResponse(played, operation.name, path, request);
};

/** Returns the enumerated values of a field. */
const optionsOf = (name: string, field: string) =>
  fieldsOf(operationNamed(name)).find((each) => each.name === field)!.options!;

const clientQuery = `client_id=${demo.clientId}`;
const period = { date_from: "2026-01-01", date_to: "2026-10-31" };

async function recordStatements(played: PlayedSandbox): Promise<void> {
  const { sandbox, client, responses } = played;
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const { account_id } = account!;
  for (const format of optionsOf("statements.createFile", "format")) {
    const query = `format=${format}&${clientQuery}`;
    const headers = { ...demoHeaders, "content-type": "application/json" };
    const created = await fetch(`${sandbox.baseUrl}/accounts/${account_id}/statements/file?${query}`, {
      method: "POST",
      headers,
      body: JSON.stringify({ from_value_datetime: "2026-01-01T00:00" }),
    });
    const { url } = (await created.json()) as { url: string };
    sandbox.advance(10_000);
    await recordResponse(played, `statement as ${format}`, `${url}?${clientQuery}`, { headers: demoHeaders });
  }
  for (const format of optionsOf("statements.emailAccounts", "format"))
    await client.statements.emailAccounts({ ...period, format: format as "coda" });
  for (const sub_tags of [false, true]) await client.statements.emailMt940({ ...period, sub_tags });
  await client.statements.emailTrades({ date_from: "2026-10" });
  for (const format of optionsOf("statements.emailIncomingFunds", "format"))
    await client.statements.emailIncomingFunds({ ...period, format: format as "csv" });
  sandbox.mails.forEach(({ subject, message }, index) => {
    responses[`e-mail ${index} ${subject}`] = message.toString("base64");
  });
}

async function recordDocuments(played: PlayedSandbox): Promise<void> {
  for (const { trade_id } of await played.client.trades.list({ page_size: 20 })) {
    const trade = await played.client.trades.get({ trade_id, response_model: "ExtendedBookedTrade" });
    const payments = trade.payments ?? [];
    const links = [
      trade.trade_receipt,
      ...payments.flatMap((each) => [each.payment_instruction, each.payment_receipt]),
    ];
    for (const link of links.filter((each) => each !== undefined)) {
      const { pathname, search } = new URL(link);
      await recordResponse(played, `document ${pathname}`, pathname + search, { headers: demoHeaders });
    }
  }
}

async function recordOpenBanking(played: PlayedSandbox): Promise<void> {
  const operation = operationNamed("openBanking.listTransactions");
  for (const accept of optionsOf(operation.name, "Accept")) {
    const { path, headers } = toRequest(operation, await sampleInput(operation.name, played.client));
    await recordResponse(played, `transactions as ${accept}`, path, { headers: { ...headers, accept } });
  }
}

/** Records the response to each sample, every file and document, and the dashboard. */
async function recordEverything(sandbox: Sandbox): Promise<Record<string, string>> {
  const played: PlayedSandbox = { sandbox, client: openClient(sandbox), responses: {} };
  for (const operation of operations) await recordCall(played, operation);
  await recordStatements(played);
  await recordDocuments(played);
  await recordOpenBanking(played);
  await recordResponse(played, "the page", "/");
  await recordResponse(played, "the log", "/_sandbox/requests");
  return played.responses;
}

const now = new Date("2026-11-20T10:00:00Z");
const start = async () => closeLater(await startSandbox({ seed: "one", now }));
const machineSecond = () => Math.floor(Date.now() / 1_000);

test("repeats all responses at another time and after a reset, unless the seed differs", async () => {
  const sandbox = await start();
  const once = await recordEverything(sandbox);
  expect(Object.keys(once).length).toBeGreaterThan(operations.length + 20);
  const ended = machineSecond();
  await eventually(() => machineSecond() > ended, { withinMs: 30_000, what: "another second" });
  sandbox.control.reset();
  for (const again of [await recordEverything(await start()), await recordEverything(sandbox)]) {
    const differing = Object.keys({ ...once, ...again }).filter((what) => once[what] !== again[what]);
    expect(differing).toEqual([]);
  }
  sandbox.control.reset({ seed: "two" });
  const other = await recordEverything(sandbox);
  const same = Object.keys(once).filter((what) => once[what] === other[what]);
  expect(same.length).toBeLessThan(Object.keys(once).length / 2);
});

test("dates responses by the sandbox's clock", async () => {
  const { headers } = await fetch(`${(await start()).baseUrl}/_sandbox/clock`);
  expect(headers.get("date")).toBe("Fri, 20 Nov 2026 10:00:00 GMT");
});
