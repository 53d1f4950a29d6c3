/** Tests that equal requests get byte-identical responses after a reset. */
import { randomUUID } from "node:crypto";
import { operations } from "@fxdesk/toolkit/operations";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { makeQuote, sampleInput, sandboxClient } from "../../support/samples";
import { ask, demoHeaders } from "../support/http";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ now: new Date("2026-03-16T09:00:00Z"), seed: "again" });
});
afterAll(() => sandbox.close());

async function answered(path: string): Promise<string> {
  const { status, headers, text } = await ask(sandbox, path, { headers: demoHeaders });
  // The page shows the callers' request IDs, which differ.
  return JSON.stringify([path, status, [...headers], text]).replaceAll(
    /x-request-id: [\w-]+/gi,
    "x-request-id",
  );
}

/** Quote IDs repeat after a reset, so the journal must not know them. */
const its = () => ({ key: randomUUID() });

/** Runs a day of calls and controls, then reads everything. */
async function runWorkday(): Promise<string[]> {
  const client = sandboxClient(sandbox);
  for (const operation of operations) {
    const input = await sampleInput(operation.name, client);
    // Set explicitly, because generated references are unique.
    const given = operation.name === "trades.book" ? { ...input, reference: "SAMPLE" } : input;
    await client.call(operation, given, its());
  }
  sandbox.control.moveRate({ symbol: "GBPUSD", rate: 1.4 });
  sandbox.control.payIn({ currency: "GBP", amount: "1000" });
  const quote_id = await makeQuote(client, { sell_currency: "GBP", buy_currency: "EUR" });
  await client.trades.book({ quote_id, reason: "payment_for_goods", reference: "GOODS" }, its());
  sandbox.control.advanceClock({ days: 3 });
  const mails = sandbox.control
    .listMails()
    .flatMap(({ mail, attachments }) =>
      attachments.map((file) => `/_sandbox/outbox/${mail}/attachments/${encodeURIComponent(file.file_name)}`),
    );
  const { account_id } = (await client.accounts.list({ currencies: "GBP" }))[0]!;
  const { url } = await client.statements.createFile({
    account_id,
    format: "pdf",
    from_value_datetime: "2026-01-01T00:00",
  });
  await client.close();
  sandbox.control.advanceClock({ seconds: 10 });
  const query = "?client_id=client-demo";
  const paths = [
    `/trades${query}&page_size=100`,
    `/accounts/${account_id}/transactions${query}`,
    `${url}${query}`,
    "/_sandbox/rates",
    "/_sandbox/outbox",
    "/_sandbox/requests",
    "/",
    ...mails,
  ];
  const responses: string[] = [];
  for (const path of paths) responses.push(await answered(path));
  return responses;
}

test("repeats all responses after a reset", async () => {
  const first = await runWorkday();
  sandbox.control.reset();
  const second = await runWorkday();
  expect(second).toEqual(first);
  sandbox.control.reset({ seed: "other" });
  expect((await runWorkday())[0]).not.toBe(first[0]);
});

test("dates responses by the sandbox's clock", async () => {
  sandbox.control.reset({ now: "2031-05-05T12:00:00Z" });
  const { headers } = await ask(sandbox, "/_sandbox/clock");
  expect(headers.get("date")).toBe("Mon, 05 May 2031 12:00:00 GMT");
});
