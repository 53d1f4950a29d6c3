/** Statements: as a file and by e-mail. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FxdeskClient, ReceivedFile } from "@fxdesk/toolkit";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { sandboxClient } from "../support/samples";

const statementMs = 300;
const now = new Date("2026-11-20T17:00:00Z");

let dataDir: string;
let sandbox: Sandbox;
let client: FxdeskClient;
let account_id: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sandbox-"));
  sandbox = await startSandbox({ dataDir, now });
  client = sandboxClient(sandbox);
  account_id = (await client.accounts.list({ currencies: "EUR" }))[0]!.account_id;
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
  await rm(dataDir, { recursive: true });
});

type Format = "pdf" | "csv" | "mt940" | "xls";

async function create(format: Format | undefined, from: string, to?: string) {
  const { url } = await client.statements.createFile({
    account_id,
    format,
    from_value_datetime: `${from}T10:00`,
    ...(to && { to_value_datetime: `${to}T11:00` }),
  });
  const statement_id = url.split("/").at(-2)!;
  expect(url).toBe(`/accounts/${account_id}/statements/${statement_id}/file`);
  return { account_id, statement_id };
}

async function fetched(statement: { account_id: string; statement_id: string }): Promise<ReceivedFile> {
  sandbox.advance(statementMs);
  const { status, body } = await client.statements.getFile(statement);
  if (status !== 200) throw new Error(`There is no file yet: ${JSON.stringify(body)}`);
  return body;
}

const lastMail = () => sandbox.mails.at(-1)!;

const rowsOf = (file: string) => {
  const [header = "", ...lines] = file.trim().split("\r\n");
  const names = header.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(names.map((name, index) => [name, cells[index]!]));
  });
};

describe("a statement file", () => {
  test("is pending at first", async () => {
    const statement = await create("csv", "2026-10-01");
    expect(await client.statements.getFile(statement)).toEqual({ status: 202, body: { status: "Pending" } });
    await (await fetched(statement)).stream.dump();
  });

  test("in CSV has the transactions of the days, both included", async () => {
    const file = await fetched(await create("csv", "2026-10-01", "2026-10-31"));
    expect(file).toMatchObject({
      contentType: "text/csv; charset=utf-8",
      fileName: "statement-EUR-2026-10-01-2026-10-31.csv",
    });
    const rows = rowsOf((await file.bytes()).toString());
    const listed: string[] = [];
    const [after, before] = ["2026-09-30T23:59", "2026-11-01T00:00"];
    const pages = client.transactions.list.pages({
      account_id,
      from_value_datetime: after,
      to_value_datetime: before,
    });
    for await (const page of pages) listed.push(...page.map(({ transaction_id }) => transaction_id));
    expect(rows.map(({ transaction_id }) => transaction_id)).toEqual(listed.toReversed());
    const sum = rows.slice(1).reduce((total, { amount }) => total + Number(amount), 0);
    expect(Number(rows[0]!.balance) + sum).toBeCloseTo(Number(rows.at(-1)!.balance), 2);
  });

  test("in PDF is a PDF, and the default", async () => {
    const file = await fetched(await create(undefined, "2026-06-01", "2026-06-30"));
    expect([file.contentType, file.fileName]).toEqual([
      "application/pdf",
      "statement-EUR-2026-06-01-2026-06-30.pdf",
    ]);
    expect((await file.bytes()).subarray(0, 5).toString()).toBe("%PDF-");
  });

  test("says what was booked when it was asked for, whenever it is fetched", async () => {
    const statement = await create("csv", "2026-11-20");
    const first = await (await fetched(statement)).bytes();
    sandbox.advance(4 * 86_400_000);
    expect(await (await fetched(statement)).bytes()).toEqual(first);
  });

  test("that cannot be made has failed", async () => {
    const statement = await create("mt940", "2026-10-01");
    sandbox.advance(statementMs);
    expect(await client.statements.getFile(statement)).toEqual({ status: 202, body: { status: "Failed" } });
  });

  test("belongs to one account", async () => {
    const { statement_id } = await create("csv", "2026-10-01");
    const [other] = await client.accounts.list({ currencies: "GBP" });
    await expect(
      client.statements.getFile({ account_id: other!.account_id, statement_id }),
    ).rejects.toMatchObject({ status: 404 });
  });
});

describe("a statement by e-mail", () => {
  const period = { date_from: "2026-10-01", date_to: "2026-10-31" };
  test("goes to the registered address, and into the outbox folder", async () => {
    const said = await client.statements.emailAccounts({ ...period, format: "csv", currencies: "EUR,GBP" });
    expect(said).toBe("The statement will be sent by e-mail.");
    expect(lastMail()).toMatchObject({
      to: "treasury@meridian-tools.example",
      subject: "Accounts statement 2026-10-01 to 2026-10-31",
    });
    const names = lastMail().attachments.map(({ fileName }) => fileName);
    expect(names).toEqual(["EUR", "GBP"].map((each) => `statement-${each}-2026-10-01-2026-10-31.csv`));
    const folder = join(dataDir, "outbox");
    const letter = (await readdir(folder))
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .at(-1)!;
    expect(JSON.parse(await readFile(join(folder, letter), "utf8"))).toMatchObject({ attachments: names });
    const attached = await readFile(join(folder, `${letter.replace(".json", "")}-${names[0]}`));
    expect(attached).toEqual(lastMail().attachments[0]!.bytes);
  });

  test("of incoming funds has what came in on all accounts", async () => {
    await client.statements.emailIncomingFunds(period);
    const rows = rowsOf(lastMail().attachments[0]!.bytes.toString());
    expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(["EUR", "GBP", "USD", "JPY"]));
    expect(rows.every(({ booking_date: day }) => day!.startsWith("2026-10"))).toBe(true);
  });

  test("of trades is for a month or a day that has begun", async () => {
    await client.statements.emailTrades({ date_from: "2026-11" });
    expect(lastMail().attachments).toMatchObject([{ fileName: "trades-2026-11.pdf" }]);
    await expect(client.statements.emailTrades({ date_from: "2090-01" })).rejects.toMatchObject({
      outcome: "not-sent",
    });
  });

  test("in a format that cannot be made yet says so", async () => {
    await client.statements.emailMt940({ date_from: "2026-10-01" });
    expect(lastMail()).toMatchObject({ attachments: [], text: expect.stringContaining("could not be made") });
  });

  test("is for accounts that exist", async () => {
    await expect(
      client.statements.emailMt940({ date_from: "2026-10-01", account_ids: [1] }),
    ).rejects.toMatchObject({ status: 400 });
  });
});
