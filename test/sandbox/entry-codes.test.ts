/** Tests codes, exchanges, numbers and references of statement entries. */
import { readCoda, readCsv, readMt940, type Statement } from "@fxdesk/toolkit/formats";
import { XMLParser } from "fast-xml-parser";
import { bankTransactionCode, writeCamt053 } from "../../sandbox/src/open-banking/iso20022";
import { createAccountStatement } from "../../sandbox/src/world/statements/account-statement";
import type { Period } from "../../sandbox/src/world/model/statement";
import { statementFile } from "../../sandbox/src/files/statement-file";
import type { StatementFormat } from "../../sandbox/src/world/common/enumerations";
import { reportPdf } from "../../sandbox/src/files/pdf";
import { incomingFundsReport, tradesReport } from "../../sandbox/src/files/reports";
import { findOrOpenAccount } from "../../sandbox/src/world/accounts/accounts";
import { addDays } from "@fxdesk/toolkit/calendars";
import { demo } from "../../sandbox/src/world/parties/parties";
import { closeLater } from "../support/resources";
import { readPdf } from "./support/documents";
import { startInProcess, type InProcessSandbox } from "./support/in-process";

let sandbox: InProcessSandbox;
beforeAll(() => {
  sandbox = closeLater(startInProcess(new Date("2026-03-16T09:00:00Z")));
});

const clientOf = () => sandbox.world.clients.get(demo.clientId)!;
const statementOf = (period: Period) =>
  createAccountStatement(sandbox.world, clientOf(), findOrOpenAccount(sandbox.world, demo, "EUR"), period);

const months = { from: "2025-12-16", to: "2026-03-16" };

async function written(format: StatementFormat): Promise<string> {
  const file = await statementFile(statementOf(months), format);
  return file!.bytes.toString("latin1");
}

async function only(statements: AsyncIterable<Statement>): Promise<Statement> {
  const all: Statement[] = [];
  for await (const statement of statements) all.push(statement);
  return { ...all[0]!, entries: all.flatMap(({ entries }) => entries) };
}

/** Kinds of entries by the start of their text. */
const codesOf = ({ entries }: Statement) =>
  new Map(
    entries.map(({ remittance = "", transactionCode }) => [
      /(Proceeds|Funds) of|^(Fee|Initial|Account fee|Interest|Returned|Salaries)|Funds for/.exec(
        remittance,
      )?.[0] ?? "",
      transactionCode,
    ]),
  );

const expected = {
  "Funds for": "NFEX",
  Fee: "NCHG",
  Initial: "NMAR",
  "Account fee": "NCHG",
  Interest: "NINT",
  Salaries: "NTRF",
};

test.each([
  ["MT940", async () => readMt940(await written("mt940"))],
  ["CSV", async () => readCsv(await written("csv"))],
])("distinguishes exchanges, fees, margin and interest in %s", async (_format, read) => {
  expect(Object.fromEntries(codesOf(await only(await read())))).toMatchObject(expected);
});

test("distinguishes exchanges, fees and interest in CODA", async () => {
  const { entries } = await only(readCoda(await written("coda")));
  const families = new Set(entries.map(({ transactionCode = "" }) => transactionCode.slice(1, 3)));
  expect([...families]).toEqual(expect.arrayContaining(["01", "30", "35", "80"]));
});

test("distinguishes them in camt.053", () => {
  const document = new XMLParser().parse(writeCamt053(statementOf(months))) as {
    Document: {
      BkToCstmrStmt: {
        Stmt: { Ntry: { BkTxCd: { Domn: { Cd: string; Fmly: { Cd: string; SubFmlyCd: string } } } }[] };
      };
    };
  };
  const codes = document.Document.BkToCstmrStmt.Stmt.Ntry.map(({ BkTxCd: { Domn } }) =>
    [Domn.Cd, Domn.Fmly.Cd, Domn.Fmly.SubFmlyCd].join("-"),
  );
  expect([...new Set(codes)]).toEqual(
    expect.arrayContaining([
      "FORX-SPOT-OTHR",
      "FORX-FWRD-OTHR",
      "ACMT-MDOP-CHRG",
      "ACMT-MCOP-INTR",
      "PMNT-RCDT-OTHR",
    ]),
  );
  expect(codes).not.toContain("XTND-NTAV-NTAV");
  expect(bankTransactionCode("NMSC", "Debit")).toEqual(["XTND", "NTAV", "NTAV"]);
});

test("shows rate and counter amount of an exchange", async () => {
  const { entries } = await only(readCsv(await written("csv")));
  const exchanges = entries.filter(({ remittance = "" }) => remittance.startsWith("Funds for trade"));
  expect(exchanges.length).toBeGreaterThan(3);
  for (const { customerReference, exchangeRate, instructedAmount } of exchanges) {
    const { rate, buy } = sandbox.world.trades.get(customerReference!)!;
    expect([exchangeRate, instructedAmount]).toEqual([
      rate.rate.toFixed(),
      { amount: buy.amount.toFixed(buy.currency === "JPY" ? 0 : 2), currency: buy.currency },
    ]);
  }
});

test("numbers daily statements in order, with unique numbers and references per period", () => {
  const days = Array.from({ length: 60 }, (_, n) => addDays("2026-01-10", n));
  const daily = days.map((day) => statementOf({ from: day, to: day }));
  expect(daily.map(({ number }) => number)).toEqual(days.map((_, n) => 10 + n));
  const periods = days.flatMap((from, n) => days.slice(n).map((to) => ({ from, to })));
  const heads = periods.map(statementOf);
  expect(new Set(heads.map(({ number }) => number)).size).toBe(periods.length);
  expect(new Set(heads.map(({ reference }) => reference)).size).toBe(periods.length);
  expect(
    heads.every(({ number, reference = "" }) => number <= 99_999 && /^[0-9A-Z+-]{1,16}$/.test(reference)),
  ).toBe(true);
});

test("shows rate, fee and reference in the report of trades", async () => {
  const trade = [...sandbox.world.trades.values()].find(({ reference }) => reference === "PO-7001")!;
  const texts = readPdf(await reportPdf(tradesReport(sandbox.world, clientOf(), trade.orderDate))).flat();
  const { rate, fee } = trade;
  expect(texts).toEqual(
    expect.arrayContaining([
      "PO-7001",
      rate.symbol,
      rate.rate.toFixed(),
      `${fee.amount.toFixed(2)} ${fee.currency}`,
    ]),
  );
});

test("totals incoming funds by account", async () => {
  const report = incomingFundsReport(sandbox.world, clientOf(), months);
  const cents = (text: string) => Math.round(Number(text) * 100);
  for (const [, , name, , , currency, total] of report.below) {
    const amounts = [...report.rows].filter((row) => row[5] === currency).map((row) => cents(row[6]!));
    expect([name, cents(total!)]).toEqual([
      `Total of ${amounts.length} payments`,
      amounts.reduce((sum, each) => sum + each),
    ]);
  }
  expect(report.below.length).toBe(4);
  expect(readPdf(await reportPdf(report)).flat()).toContain(report.below[0]![2]);
});
