/** Tests statements by e-mail, and their delivery to the outbox, a folder or a mail server. */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient, type FxdeskClient } from "@fxdesk/toolkit";
import { readCoda, readCsv, readMt940, type Statement } from "@fxdesk/toolkit/formats";
import { contract } from "@fxdesk/toolkit/operations";
import { controls, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { SMTPServer } from "smtp-server";
import { Outbox } from "../../sandbox/src/world/model/outbox";
import { closeLater, listen, tempFolder } from "../support/resources";
import { openClient, openSandbox } from "../support/sandboxes";
import { readMail, readPdf, readXlsx } from "./support/documents";

const now = new Date("2026-11-20T17:00:00Z");
const period = { date_from: "2026-10-01", date_to: "2026-10-31" };
const days = "2026-10-01-2026-10-31";
const currencies = ["EUR", "GBP", "USD", "JPY"];

let dataDir: string;
let sandbox: Sandbox;
let client: FxdeskClient;
const open = async () => {
  dataDir = await tempFolder();
  sandbox = await openSandbox({ now }, { dataDir });
  client = openClient(sandbox);
};
beforeAll(open);

const outbox = () => join(dataDir, "outbox");
const outboxFiles = async () => (await readdir(outbox())).toSorted();
const lastMail = () => sandbox.mails.at(-1)!;
const attached = () => lastMail().attachments.map(({ bytes }) => bytes.toString());

async function statementsIn(files: readonly string[], read: (file: string) => AsyncIterable<Statement>) {
  const all: Statement[] = [];
  for (const file of files) for await (const statement of read(file)) all.push(statement);
  return all;
}

const figuresOf = ({ account, openingBalance, closingBalance, entries }: Statement) => ({
  account: account.number,
  from: openingBalance!.amount,
  to: closingBalance!.amount,
  entries: entries.map(({ creditDebit, amount }) => `${creditDebit} ${amount}`),
});

describe("a statement of the accounts", () => {
  test.each([
    ["pdf", "pdf"],
    ["csv", "csv"],
    ["xls", "xlsx"],
    ["coda", "cod"],
  ] as const)("has one file per account in %s", async (format, extension) => {
    expect(await client.statements.emailAccounts({ ...period, format })).toBe(
      "The statement will be sent by e-mail.",
    );
    expect(lastMail().attachments.map(({ fileName }) => fileName)).toEqual(
      currencies.map((currency) => `statement-${currency}-${days}.${extension}`),
    );
  });

  test.each(["EUR,GBP", "EURGBP", "GBPEUR,"])("covers the requested currencies only: %s", async (chosen) => {
    await client.statements.emailAccounts({ ...period, format: "csv", currencies: chosen });
    expect(lastMail().attachments).toHaveLength(2);
  });

  test("has equal content in every readable format", async () => {
    await client.statements.emailAccounts({ ...period, format: "csv" });
    const csv = (await statementsIn(attached(), readCsv)).map(figuresOf);
    expect(csv).toHaveLength(currencies.length);
    expect(csv.every(({ entries }) => entries.length > 5)).toBe(true);
    await client.statements.emailAccounts({ ...period, format: "coda" });
    expect((await statementsIn(attached(), readCoda)).map(figuresOf)).toEqual(csv);
    for (const sub_tags of [false, true]) {
      await client.statements.emailMt940({ ...period, sub_tags });
      expect((await statementsIn(attached(), readMt940)).map(figuresOf)).toEqual(csv);
    }
  });

  test("accepts a future period", async () => {
    await client.statements.emailAccounts({ date_from: "2026-12-01", date_to: "2026-12-31", format: "xls" });
    expect(lastMail().attachments.map(({ bytes }) => readXlsx(bytes).rows.length)).toEqual([3, 3, 3, 3]);
  });
});

describe("a statement in MT940", () => {
  test("has plain text, or code words between slashes with sub-tags", async () => {
    await client.statements.emailMt940(period);
    const informationIn = () => attached().flatMap((file) => file.match(/^:86:.*/gm) ?? []);
    const plain = informationIn();
    await client.statements.emailMt940({ ...period, sub_tags: true });
    const coded = informationIn();
    expect(coded).toHaveLength(plain.length);
    expect(coded.every((line) => /^:86:\/(EREF|ORDP|BENM|REMI|EXCH)\//.test(line))).toBe(true);
    expect(plain.some((line) => line.includes("/REMI/") || line.startsWith(":86:/"))).toBe(false);
    const [first] = await statementsIn(attached(), readMt940);
    expect(first!.entries.some(({ counterparty }) => counterparty?.name === "Ferme Duval SARL")).toBe(true);
  });

  test("covers the requested accounts, which must exist", async () => {
    const [{ account_id } = { account_id: 0 }] = await client.accounts.listCurrencyAccounts();
    await client.statements.emailMt940({ date_from: "2026-10-01", account_ids: [account_id] });
    expect(lastMail().attachments).toHaveLength(1);
    await expect(
      client.statements.emailMt940({ date_from: "2026-10-01", account_ids: [1] }),
    ).rejects.toMatchObject({ status: 400 });
  });

  test("reports an account that the format cannot carry", async () => {
    const other = await openSandbox({ now });
    for (let times = 0; times < 2; times += 1)
      other.control.payIn({ currency: "USD", amount: "999999999999.99" });
    await openClient(other).statements.emailMt940({ date_from: "2026-11-01" });
    const [mail] = other.mails;
    expect(mail!.attachments).toHaveLength(currencies.length - 1);
    expect(mail!.text).toMatch(/The statement of account \d+ in [A-Z]{3} could not be created/);
  });
});

test("lists incoming funds of all accounts", async () => {
  await client.statements.emailIncomingFunds(period);
  const [header, ...rows] = attached()[0]!.trimEnd().split("\r\n");
  expect(header).toBe(
    "booking_date,account_id,debtor_name,transaction_reference,transaction_information,currency,amount",
  );
  expect(rows.every((row) => row.startsWith("2026-10-"))).toBe(true);
  await client.statements.emailAccounts({ ...period, format: "csv" });
  const all = (await statementsIn(attached(), readCsv)).flatMap(({ entries }) => entries);
  const incoming = all.filter(({ endToEndId }) => endToEndId?.startsWith("INV-"));
  expect(rows).toHaveLength(incoming.length);
});

test("prints incoming funds with thousands separators", async () => {
  await client.statements.emailIncomingFunds({ ...period, format: "pdf" });
  const amounts = readPdf(lastMail().attachments[0]!.bytes)
    .flat()
    .filter((text) => /^[\d,]+\.\d\d$/.test(text));
  expect(amounts.some((amount) => amount.includes(","))).toBe(true);
  for (const amount of amounts) expect(amount).toMatch(/^\d{1,3}(,\d{3})*\.\d\d$/);
});

test("lists trades of a month or day that has started", async () => {
  await client.statements.emailTrades({ date_from: "2026-11" });
  expect(lastMail().attachments).toMatchObject([{ fileName: "trades-2026-11.pdf" }]);
  const trades = await client.trades.list();
  const texts = readPdf(lastMail().attachments[0]!.bytes).flat();
  const ordered = trades.filter(({ order_date: day }) => day?.startsWith("2026-11"));
  expect(ordered.length).toBeGreaterThan(0);
  expect(texts).toEqual(expect.arrayContaining(ordered.map(({ trade_id: id }) => id)));
  await expect(client.statements.emailTrades({ date_from: "2090-01" })).rejects.toMatchObject({
    outcome: "not-sent",
  });
});

test("writes a message to the outbox folder with headers, text and attachments", async () => {
  await client.statements.emailAccounts({ ...period, format: "xls", currencies: "EUR,JPY" });
  const mail = lastMail();
  const names = await outboxFiles();
  expect(names).toHaveLength(sandbox.mails.length);
  expect(names.at(-1)).toMatch(/^20261120T17\d{7}Z-[0-9a-f]{8}\.eml$/);
  const message = await readFile(join(outbox(), names.at(-1)!));
  expect(message.equals(mail.message)).toBe(true);
  const remote = closeLater(
    createClient({ baseUrl: sandbox.baseUrl }, { ...contract, operations: controls }),
  );
  const downloaded = await remote.sandbox.getMessage({ mail: names.length });
  expect(downloaded.fileName).toBe(names.at(-1));
  expect(Buffer.from(await downloaded.bytes())).toEqual(message);
  await expect(remote.sandbox.getMessage({ mail: 999 })).rejects.toMatchObject({ code: "not_found" });
  const { headers, parts } = readMail(message);
  expect(headers).toMatchObject({
    from: "Sandbox Bank <statements@sandbox-bank.example>",
    to: "treasury@meridian-tools.example",
    subject: `Accounts statement ${period.date_from} to ${period.date_to}`,
    "mime-version": "1.0",
    "message-id": expect.stringMatching(/^<\d+\.[0-9a-f-]{36}@sandbox-bank\.example>$/) as string,
  });
  expect(new Date(headers.date!).getTime()).toBe(Math.floor(mail.sentAt.getTime() / 1000) * 1000);
  const [text, ...files] = parts;
  expect(text!.headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(text!.content.toString()).toContain("Dear Meridian Tools GmbH,");
  expect(
    files.map(({ headers: own, content }) => ({
      fileName: /filename=(\S+)/.exec(own["content-disposition"]!)![1],
      contentType: own["content-type"]!.split(";")[0],
      bytes: content,
    })),
  ).toEqual(mail.attachments);
});

describe("a reset", () => {
  beforeAll(open);

  const send = () => client.statements.emailTrades({ date_from: "2026-01" });

  test("removes the sandbox's own files only", async () => {
    await mkdir(join(outbox(), "kept"), { recursive: true });
    await writeFile(join(outbox(), "notes.txt"), "mine");
    await writeFile(join(outbox(), "20260101T000000000Z-00000000.eml"), "mine too");
    const others = await outboxFiles();
    await send();
    await send();
    expect(await outboxFiles()).toHaveLength(others.length + 2);
    sandbox.control.reset();
    expect(await outboxFiles()).toEqual(others);
  });

  test("tolerates missing files", async () => {
    await send();
    await rm(outbox(), { recursive: true });
    expect(() => sandbox.control.reset()).not.toThrow();
  });

  test("removes an e-mail in delivery", async () => {
    const folder = await tempFolder();
    const box = new Outbox({ folder });
    const letter = { id: "0123456789", to: "a@b.example", subject: "S", text: "T", sentAt: new Date(0) };
    const sent = box.send({ ...letter, attachments: [] });
    box.removeFiles();
    await sent;
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("with a mail server", () => {
  interface Received {
    readonly from: string;
    readonly to: string[];
    readonly message: Buffer;
  }

  async function openWithServer(refuses: boolean) {
    const received: Received[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS", "AUTH"],
      onRcptTo: (_address, _session, done) => done(refuses ? new Error("No such mailbox.") : null),
      onData: (stream, { envelope: { mailFrom, rcptTo } }, done) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          received.push({
            from: mailFrom ? mailFrom.address : "",
            to: rcptTo.map(({ address }) => address),
            message: Buffer.concat(chunks),
          });
          done();
        });
      },
    });
    const smtpUrl = `smtp://127.0.0.1:${await listen(server.server)}`;
    const folder = join(await tempFolder(), "none");
    const other = await openSandbox({ now }, { dataDir: folder, smtpUrl });
    return { received, folder, other, sender: openClient(other) };
  }

  test("sends the e-mail instead of writing it to the folder", async () => {
    const { received, folder, other, sender } = await openWithServer(false);
    await sender.statements.emailMt940(period);
    expect(received).toEqual([
      {
        from: "statements@sandbox-bank.example",
        to: ["treasury@meridian-tools.example"],
        message: other.mails[0]!.message,
      },
    ]);
    await expect(readdir(folder)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("fails the request if the server refuses the e-mail", async () => {
    const { other, sender } = await openWithServer(true);
    await expect(sender.statements.emailMt940(period)).rejects.toMatchObject({ status: 502 });
    expect(other.requests.at(-1)!.refusal).toContain("No such mailbox");
    expect(other.mails).toEqual([]);
  });
});

test.each([
  ["a folder in a file", () => ({ dataDir: join(dataDir, "file", "deeper") }), /dataDir: .*file/],
  ["a folder that is a file", () => ({ dataDir: join(dataDir, "file") }), /dataDir: .*file/],
  ["a folder that cannot be created", () => ({ dataDir: "/proc/fxdesk" }), /dataDir: .*proc/],
  ["another protocol", () => ({ smtpUrl: "http://127.0.0.1" }), /smtpUrl must be an smtp:/],
  ["no address", () => ({ smtpUrl: "mail" }), /smtpUrl must be an smtp:/],
])("does not start with %s", async (_what, options, message) => {
  await writeFile(join(dataDir, "file"), "");
  await expect(startSandbox(options())).rejects.toThrow(message);
});

test("refuses unknown accounts without sending an e-mail", async () => {
  const before = sandbox.mails.length;
  // The error has no body in the contract, so read the reason from the log.
  const reason = () => sandbox.requests.at(-1)!.refusal;
  const inFrancs = client.statements.emailAccounts({ ...period, currencies: "EUR,CHF" });
  await expect(inFrancs).rejects.toMatchObject({ status: 400 });
  expect(reason()).toContain("currencies: the client has no account in CHF");
  const ofNone = client.statements.emailMt940({ ...period, account_ids: [] });
  await expect(ofNone).rejects.toMatchObject({ status: 400 });
  expect(reason()).toContain("account_ids: list at least one account, or omit it to select all");
  expect(sandbox.mails).toHaveLength(before);
});
