/** Tests the transactions of an account, and that statement files of every format agree with them. */
import type { FxdeskClient, ReceivedFile } from "@fxdesk/toolkit";
import { minorUnits, readCsv, readMt940, type Statement } from "@fxdesk/toolkit/formats";
import { type Sandbox } from "@fxdesk/sandbox";
import { Big } from "big.js";
import { Parser } from "mt940js";
import { openSandboxAndClient } from "../support/sandboxes";
import { readPdf, readXlsx } from "./support/documents";

const statementMs = 300;
const now = new Date("2026-11-20T17:00:00Z");
const currencies = ["EUR", "GBP", "USD", "JPY"];

let sandbox: Sandbox;
let client: FxdeskClient;
let account_id: string;
beforeAll(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ now }));
  account_id = await accountIn("EUR");
});

const accountIn = async (currency: string) =>
  (await client.accounts.list({ currencies: currency }))[0]!.account_id;

type Format = "pdf" | "csv" | "mt940" | "xls";

async function create(format: Format | undefined, from: string, to?: string, account = account_id) {
  const { url } = await client.statements.createFile({
    account_id: account,
    format,
    from_value_datetime: `${from}T10:00`,
    ...(to && { to_value_datetime: `${to}T11:00` }),
  });
  const statement_id = url.split("/").at(-2)!;
  expect(url).toBe(`/accounts/${account}/statements/${statement_id}/file`);
  return { account_id: account, statement_id };
}

async function fetched(statement: { account_id: string; statement_id: string }): Promise<ReceivedFile> {
  sandbox.advance(statementMs);
  const { status, body } = await client.statements.getFile(statement);
  if (status !== 200) throw new Error(`There is no file yet: ${JSON.stringify(body)}`);
  return body;
}

const bytesOf = async (...input: Parameters<typeof create>) =>
  (await fetched(await create(...input))).bytes();

async function only(statements: AsyncIterable<Statement>): Promise<Statement> {
  const all: Statement[] = [];
  for await (const statement of statements) all.push(statement);
  expect(all).toHaveLength(1);
  return all[0]!;
}

const signed = ({ amount, creditDebit }: { amount: string; creditDebit: string }) =>
  creditDebit === "Debit" ? new Big(amount).neg() : new Big(amount);

/** Lists an account's transactions, oldest first, with the balance after each. */
async function ledgerOf(account: string) {
  const listed = [];
  for await (const page of client.transactions.list.pages({ account_id: account })) listed.push(...page);
  let balance = new Big(0);
  return listed.toReversed().map(({ transaction_id: id, amount: { amount, currency }, ...rest }) => {
    const value = signed({ amount, creditDebit: rest.credit_debit_indicator });
    balance = balance.plus(value);
    return { id, amount: value, balance, day: rest.booking_datetime!.slice(0, 10), currency };
  });
}

const figures = (amounts: readonly Big[], currency: string) =>
  amounts.map((amount) => amount.toFixed(minorUnits(currency)));

/** Spreadsheet dates count days from the end of 1899. */
const dayOfSerial = ({ value }: { value: string }) =>
  new Date(Date.UTC(1899, 11, 30) + Number(value) * 86_400_000).toISOString().slice(0, 10);

const contentTypes = {
  pdf: "application/pdf",
  csv: "text/csv; charset=utf-8",
  mt940: "text/plain; charset=us-ascii",
  xls: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
};
const extensions = { pdf: "pdf", csv: "csv", mt940: "sta", xls: "xlsx" };

describe("transactions", () => {
  type Input = Omit<Parameters<FxdeskClient["transactions"]["list"]>[0], "account_id">;

  type Transaction = Awaited<ReturnType<FxdeskClient["transactions"]["get"]>>;

  async function all(input: Input = {}): Promise<Transaction[]> {
    const found: Transaction[] = [];
    for await (const page of client.transactions.list.pages({ account_id, ...input })) found.push(...page);
    return found;
  }

  const amountOf = ({ amount, credit_debit_indicator: side }: Transaction) =>
    new Big(amount.amount).times(side === "Debit" ? -1 : 1);

  test("are paged with a count", async () => {
    const { total, body } = await client.transactions.list.response({ account_id });
    expect(body).toHaveLength(50);
    expect(total).toBeGreaterThan(200);
    expect(await all()).toHaveLength(total!);
  });

  test("sum to the balance and carry the balance after each", async () => {
    const [latest, ...older] = await all();
    const [balance] = await client.accounts.listBalances({ account_id });
    expect(latest!.balance!.amount).toEqual(balance!.amount);
    let running = new Big(0);
    for (const transaction of [latest!, ...older].toReversed()) {
      running = running.plus(amountOf(transaction));
      expect(transaction.balance!.amount.amount).toBe(running.toFixed(2));
    }
  });

  test("are filtered by side and type", async () => {
    const credits = await all({ credit_debit_indicator: "credit" });
    const debits = await all({ credit_debit_indicator: "debit" });
    expect(new Set(credits.map((each) => each.credit_debit_indicator))).toEqual(new Set(["Credit"]));
    expect(credits.length + debits.length).toBe((await all()).length);
    for (const transaction_type of ["credit", "debit", "incoming", "margin", "payment_returned"]) {
      const found = await all({ transaction_type });
      expect(new Set(found.map((each) => each.transaction_type))).toEqual(new Set([transaction_type]));
    }
  });

  test.each(["zzz", "incoming,margin", "Incoming", ""])(
    "of type %j are refused",
    async (transaction_type) => {
      await expect(all({ transaction_type })).rejects.toMatchObject({ status: 400 });
      expect(sandbox.requests.at(-1)!.refusal).toContain(
        "transaction_type must be one of credit, debit, incoming, margin, payment_returned.",
      );
    },
  );

  test("exclude both bounds of the period", async () => {
    const everything = await all();
    const minutes = [...new Set(everything.map(({ value_datetime: time }) => time!.slice(0, 16)))];
    const [latest, , earliest] = minutes;
    const between = await all({ from_value_datetime: earliest!, to_value_datetime: latest! });
    const expected = everything.filter(({ value_datetime: time }) => time!.startsWith(minutes[1]!));
    expect(between).toEqual(expected);
  });

  test("are read individually with the counterparty", async () => {
    const [listed] = await all({ transaction_type: "incoming" });
    const { transaction_id } = listed!;
    expect(await client.transactions.get({ account_id, transaction_id })).toEqual(listed);
    expect(listed).toMatchObject({
      debtor_name: expect.any(String),
      debtor_account: { iban: expect.any(String) },
    });
  });

  test("belong to one account", async () => {
    const [{ transaction_id } = { transaction_id: "" }] = await all();
    const [other] = await client.accounts.list({ currencies: "GBP" });
    await expect(
      client.transactions.get({ account_id: other!.account_id, transaction_id }),
    ).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe("a statement file", () => {
  test("is pending at first", async () => {
    const statement = await create("csv", "2026-10-01");
    expect(await client.statements.getFile(statement)).toEqual({ status: 202, body: { status: "Pending" } });
    await (await fetched(statement)).bytes();
  });

  test.each(["pdf", "csv", "mt940", "xls"] as const)("has the media type and name of %s", async (format) => {
    const file = await fetched(await create(format, "2026-06-01", "2026-06-30"));
    expect([file.contentType, file.fileName]).toEqual([
      contentTypes[format],
      `statement-EUR-2026-06-01-2026-06-30.${extensions[format]}`,
    ]);
    await file.bytes();
  });

  test("is a PDF by default", async () => {
    expect((await bytesOf(undefined, "2026-06-01")).subarray(0, 5).toString()).toBe("%PDF-");
  });

  test("contains the entries at the time of the request", async () => {
    for (const format of ["csv", "mt940", "xls", "pdf"] as const) {
      const statement = await create(format, "2026-11-01");
      const first = await (await fetched(statement)).bytes();
      sandbox.control.payIn({ currency: "EUR", amount: "12.34" });
      expect(await (await fetched(statement)).bytes()).toEqual(first);
      expect(await bytesOf(format, "2026-11-01")).not.toEqual(first);
    }
  });

  test("belongs to one account", async () => {
    const { statement_id } = await create("csv", "2026-10-01");
    await expect(
      client.statements.getFile({ account_id: await accountIn("GBP"), statement_id }),
    ).rejects.toMatchObject({ status: 404 });
  });
});

describe.each(currencies)("the statements of the %s account agree with its transactions", (currency) => {
  let account: string;
  let ledger: Awaited<ReturnType<typeof ledgerOf>>;
  beforeAll(async () => {
    account = await accountIn(currency);
    ledger = await ledgerOf(account);
  });

  const isAgreed = ({ openingBalance, closingBalance, entries }: Statement, idLength: number) => {
    const references = entries.map(({ bankReference }) => bankReference);
    expect(references).toEqual(ledger.map(({ id }) => id.slice(0, idLength)));
    expect(new Set(references).size).toBe(ledger.length);
    expect(entries.map(signed).map(String)).toEqual(ledger.map(({ amount }) => String(amount)));
    expect(openingBalance!.amount).toBe(new Big(0).toFixed(minorUnits(currency)));
    expect(signed(closingBalance!)).toEqual(ledger.at(-1)!.balance);
  };

  test("in CSV", async () => {
    const file = await bytesOf("csv", "2020-01-01", undefined, account);
    isAgreed(await only(readCsv(file.toString())), 36);
  });

  test("in MT940, also read by another parser", async () => {
    const file = (await bytesOf("mt940", "2020-01-01", undefined, account)).toString("ascii");
    isAgreed(await only(readMt940(file)), 8);
    const messages = new Parser().parse(file);
    const amounts = messages.flatMap(({ transactions }) => transactions.map(({ amount }) => amount));
    expect(amounts).toEqual(ledger.map(({ amount }) => amount.toNumber()));
    expect(messages.at(-1)!.closingBalance).toBe(ledger.at(-1)!.balance.toNumber());
  });

  test("in XLSX, with numeric amounts and real dates", async () => {
    const { rows, xml } = readXlsx(await bytesOf("xls", "2020-01-01", undefined, account));
    const [header, opening, ...lines] = rows;
    const closing = lines.pop()!;
    expect(["A", "G", "H", "I"].map((column) => header![column]!.value)).toEqual([
      "Booking date",
      "Debit",
      "Credit",
      "Balance",
    ]);
    expect(xml).toMatch(/<pane ySplit="1"[^>]*state="frozen"/);
    const format = minorUnits(currency) === 0 ? "#,##0" : "#,##0.00";
    expect(opening).toMatchObject({ C: { value: "Opening balance" }, I: { value: "0", format } });
    const amounts = lines.map(({ G: debit, H: credit }) =>
      new Big(credit?.value ?? 0).minus(debit?.value ?? 0),
    );
    expect(figures(amounts, currency)).toEqual(
      figures(
        ledger.map(({ amount }) => amount),
        currency,
      ),
    );
    expect(lines.map(({ I: balance }) => Number(balance!.value))).toEqual(
      ledger.map(({ balance }) => balance.toNumber()),
    );
    expect(closing.I!.value).toBe(lines.at(-1)!.I!.value);
    expect(lines.map(({ A: date }) => dayOfSerial(date!))).toEqual(ledger.map(({ day }) => day));
    expect(lines[0]!.A!.format).toBe("yyyy-mm-dd");
    const { account: of } = await only(
      readCsv((await bytesOf("csv", "2020-01-01", undefined, account)).toString()),
    );
    for (const { L, M, N, O, P } of [opening!, ...lines, closing])
      expect([L!.value, M!.value, N!.value, dayOfSerial(O!), dayOfSerial(P!)]).toEqual([
        of.number,
        currency,
        "Meridian Tools GmbH",
        "2020-01-01",
        "2026-11-20",
      ]);
  });

  test("in PDF, page by page", async () => {
    const pages = readPdf(await bytesOf("pdf", "2020-01-01", undefined, account));
    const texts = pages.flat();
    const grouped = (amount: Big) =>
      amount.toNumber().toLocaleString("en", { minimumFractionDigits: minorUnits(currency) });
    // The amount and balance of each transaction are drawn consecutively.
    let from = 0;
    for (const { amount, balance } of ledger) {
      const at = texts.indexOf(grouped(amount.abs()), from);
      expect([at >= from, texts[at + 1]]).toEqual([true, grouped(balance)]);
      from = at + 2;
    }
    const last = ledger.at(-1)!.balance;
    expect(texts).toContain(`${grouped(last)} ${currency}`);
    expect(pages.map((page) => page.at(-1))).toEqual(
      pages.map((_, index) => `Page ${index + 1} of ${pages.length}`),
    );
    expect(pages.slice(0, -1).every((page) => page.includes("Continued on the next page"))).toBe(true);
    expect(pages[0]).toEqual(
      expect.arrayContaining(["Meridian Tools GmbH", "Werkstrasse 12", "20457 Hamburg", "Opening balance"]),
    );
    expect(texts).toContain(`Total of ${ledger.length} entries`);
  });
});

describe("a statement of a period", () => {
  test("includes both days and their closing balances", async () => {
    const ledger = await ledgerOf(account_id);
    const inside = ledger.filter(({ day }) => day >= "2026-10-01" && day <= "2026-10-31");
    const { entries, openingBalance, closingBalance, number } = await only(
      readCsv((await bytesOf("csv", "2026-10-01", "2026-10-31")).toString()),
    );
    expect(entries.map(({ bankReference }) => bankReference)).toEqual(inside.map(({ id }) => id));
    expect([openingBalance!.date, closingBalance!.date]).toEqual(["2026-09-30", "2026-10-31"]);
    expect(signed(openingBalance!)).toEqual(inside[0]!.balance.minus(inside[0]!.amount));
    expect(signed(closingBalance!)).toEqual(inside.at(-1)!.balance);
    // Higher than the numbers of daily statements.
    expect(number).toBeGreaterThan(366);
  });

  test("without entries has equal balances in every format", async () => {
    const days = ["2026-10-03", "2026-10-04"] as const;
    const csv = await only(readCsv((await bytesOf("csv", ...days)).toString()));
    const mt940 = await only(readMt940((await bytesOf("mt940", ...days)).toString()));
    for (const { entries, openingBalance, closingBalance } of [csv, mt940]) {
      expect(entries).toEqual([]);
      expect(closingBalance!.amount).toBe(openingBalance!.amount);
    }
    expect(readXlsx(await bytesOf("xls", ...days)).rows).toHaveLength(3);
    expect(readPdf(await bytesOf("pdf", ...days)).flat()).toContain("Total of 0 entries");
  });

  test("without an end must not start after today", async () => {
    // The contract documents no error bodies for statements, so read the reason from the log.
    const because = () => sandbox.requests.at(-1)!.refusal;
    await expect(create("csv", "2027-03-10")).rejects.toMatchObject({ status: 400 });
    expect(because()).toContain("from_value_datetime: 2027-03-10 is after today");
    await expect(client.statements.emailMt940({ date_from: "2027-03-10" })).rejects.toMatchObject({
      status: 400,
    });
    expect(because()).toContain("date_from: 2027-03-10 is after today");
  });

  test("before the account existed has balances on its last day", async () => {
    const { openingBalance, closingBalance, number } = await only(
      readCsv((await bytesOf("csv", "2001-02-01", "2001-02-03")).toString()),
    );
    expect([openingBalance!.date, closingBalance!.date, number]).toEqual(["2001-02-03", "2001-02-03", 34]);
  });

  test("prints amounts on one line", async () => {
    const amount = "999999999999.99";
    sandbox.control.payIn({ currency: "GBP", amount });
    const texts = readPdf(await bytesOf("pdf", "2026-11-20", undefined, await accountIn("GBP"))).flat();
    expect(texts).toContain("999,999,999,999.99");
  });

  test("does not truncate long texts", async () => {
    const name = "The Extraordinarily Long-Named Company of Makers of Very Fine Instruments";
    sandbox.control.payIn({ currency: "EUR", amount: "1.00", debtor_name: name.slice(0, 70) });
    const words = readPdf(await bytesOf("pdf", "2026-11-20"))
      .flat()
      .join(" ");
    expect(words).toContain(name.slice(0, 30));
    expect(words.replace(/\s+/g, " ")).toContain(name.slice(0, 70).trim());
  });
});

test("fails if the format cannot carry it, for example amounts over 15 characters in MT940", async () => {
  for (let times = 0; times < 2; times += 1) sandbox.control.payIn({ account_id, amount: "999999999999.99" });
  const failing = await create("mt940", "2026-11-01");
  sandbox.advance(statementMs);
  expect(await client.statements.getFile(failing)).toEqual({ status: 202, body: { status: "Failed" } });
  expect((await bytesOf("csv", "2026-11-01")).toString()).toMatch(/\d{13}\.\d\d/);
});
