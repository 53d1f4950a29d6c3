/** The same seed, the same time and the same requests give the same answers, to the byte. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { operations } from "@fxdesk/toolkit/operations";
import { type Sandbox, type SandboxOptions, startSandbox } from "@fxdesk/sandbox";
import { ReceivedFile } from "@fxdesk/toolkit";
import { sampleInput, sandboxClient } from "../support/samples";

async function pdf(client: FxdeskClient, sandbox: Sandbox): Promise<string> {
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const { account_id } = account!;
  const { url } = await client.statements.createFile({ account_id, from_value_datetime: "2026-01-01T00:00" });
  sandbox.advance(300);
  const { body } = await client.statements.getFile({ account_id, statement_id: url.split("/").at(-2)! });
  return (await (body as ReceivedFile).bytes()).toString("base64");
}

/** What each operation answers to its sample, and a file of each kind. */
async function everything(options: SandboxOptions): Promise<string[]> {
  const sandbox = await startSandbox(options);
  const client = sandboxClient(sandbox);
  const answers: string[] = [];
  for (const operation of operations) {
    const { status, body } = await client.call(operation, await sampleInput(operation.name, client));
    const content =
      body instanceof ReceivedFile ? (await body.bytes()).toString("base64") : JSON.stringify(body);
    answers.push(`${operation.name} ${status} ${content}`.replaceAll(sandbox.baseUrl, ""));
  }
  answers.push(await pdf(client, sandbox));
  await client.close();
  await sandbox.close();
  return answers;
}

const now = new Date("2026-11-20T10:00:00Z");

test("twice the same", async () => {
  expect(await everything({ seed: "one", now })).toEqual(await everything({ seed: "one", now }));
});

test("another seed gives another world", async () => {
  const [one, other] = [await everything({ seed: "one", now }), await everything({ seed: "two", now })];
  const same = one.filter((answer, index) => answer === other[index]);
  expect(same.length).toBeLessThan(one.length / 2);
});
