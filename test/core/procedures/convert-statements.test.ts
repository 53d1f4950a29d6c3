/** statements.convert with statements of the sandbox. */
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "../../../core";
import { sandboxClient } from "../../support/samples";

let sandbox: Sandbox;
let client: FxdeskClient;
let mt940: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = sandboxClient(sandbox);
  const { files } = await client.statements.fetch({
    currencies: "EUR",
    format: "mt940",
    period: "2000-01-01..2060-01-01",
  });
  mt940 = files[0]!.content!.toString("latin1");
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

test("keeps amounts, days and directions in a round trip through every format", async () => {
  const before = sandbox.requests.length;
  const { statements, from, entry_count: count } = await client.statements.convert({ content: mt940 });
  expect([from, count > 5]).toEqual(["mt940", true]);
  const facts = (all: typeof statements) =>
    all!.map(({ account, openingBalance, closingBalance, entries }) => ({
      account: [account.number, account.currency],
      openingBalance,
      closingBalance,
      entries: entries.map(({ amount, creditDebit, valueDate, bookingDate }) => [
        amount,
        creditDebit,
        valueDate,
        bookingDate,
      ]),
    }));
  for (const to of ["csv", "coda", "mt940"] as const) {
    const { file, statements: none } = await client.statements.convert({ content: mt940, to });
    expect(none).toBeUndefined();
    const back = await client.statements.convert({ content_base64: file!.content!.toString("base64") });
    expect(back.from).toBe(to);
    expect(facts(back.statements)).toEqual(facts(statements));
  }
  expect(sandbox.requests).toHaveLength(before);
});

test.each([
  [
    "a broken line",
    () => mt940.replace(/^:61:.{10}/m, ":61:99139999CC"),
    /content is not usable: MT940 line \d+, :61::/,
  ],
  [
    "a wrong balance",
    () => mt940.replace(/^(:62F:.*\d),(\d)/m, "$19,$2"),
    /content is not usable: MT940 line \d+/,
  ],
  ["nothing", () => "  \n", /content must contain a statement/],
  ["a PDF", () => "%PDF-1.7 …", /it looks like PDF/],
  ["XML", () => "<Document/>", /it looks like XML/],
])("refuses %s and names the position", async (_, content, message) => {
  await expect(client.statements.convert({ content: content() })).rejects.toMatchObject({
    code: "invalid_input",
    outcome: "not-sent",
    message: expect.stringMatching(message),
    violations: [{ field: "content" }],
  });
});

test("decodes Windows-1252, and requires exactly one content", async () => {
  const [line] = /^:86:.*$/m.exec(mt940)!;
  const bytes = Buffer.from(mt940.replace(line, ":86:Müller"), "latin1");
  const { statements } = await client.statements.convert({ content_base64: bytes.toString("base64") });
  expect(JSON.stringify(statements)).toContain("Müller");
  await expect(client.statements.convert({})).rejects.toThrow(/Exactly one of content/);
});
