/** CSV: what exactly is written, and what is broken. */
import { FormatError, readCsv, type Statement, collectText, writeCsv } from "../../../core/files";
import { collect, entry, statement } from "./statement-fixtures";

const write = (...statements: Statement[]) => collectText(writeCsv(statements));

const twoEntries = statement(
  [
    entry({ remittance: 'Say "hi", twice\r\nor more', endToEndId: "=1+1", counterparty: { name: "'@home" } }),
    entry({ creditDebit: "Debit", amount: "200", reversal: true, charges: { amount: "1", currency: "USD" } }),
  ],
  { information: "-End-", reference: "R" },
);

/** The cells of a row without quotes or commas in them. */
const splitCells = (row: string) => row.split(",");

test("a header, then a row for each balance and entry, with the balance after it", async () => {
  const [header, ...rows] = (await write(twoEntries)).split(/(?<!twice)\r\n/);
  const names = splitCells(header!);
  const shown = ["record", "booking_date", "amount", "balance", "reversal"].map((name) =>
    names.indexOf(name),
  );
  expect(rows.pop()).toBe("");
  expect(rows.map((row) => shown.map((column) => splitCells(row)[column]))).toEqual([
    ["opening", "2026-01-01", "", "100.00", ""],
    ["entry", "2026-01-15", "10.00", "110.00", ""],
    ["entry", "2026-01-15", "-200.00", "-90.00", "true"],
    ["closing", "2026-01-31", "", "-90.00", ""],
  ]);
  expect(rows[1]).toContain('"Say ""hi"", twice\r\nor more"');
});

test("text that a spreadsheet would run gets an apostrophe, amounts do not", async () => {
  const text = await write(twoEntries);
  expect(text).toContain(",'=1+1,");
  expect(text).toContain(",''@home,");
  expect(text).toContain(",'-End-,");
  expect(text).toContain(",-200.00,-90.00,");
  const [found] = await collect(readCsv(text));
  expect(found!.entries[0]).toEqual(twoEntries.entries[0]);
  expect(found!.information).toBe("-End-");
});

test("control characters go, and what is behind them is made harmless", async () => {
  const odd = entry({ remittance: "\u0000=1+1\u0007\u009f", counterparty: { name: "A\tB\r\nC" } });
  const text = await write(statement([odd], { information: "\u0000x" }));
  expect(text).not.toMatch(/[^\P{Cc}\t\r\n]/u);
  const [found] = await collect(readCsv(text));
  expect(found).toMatchObject({
    entries: [{ remittance: "=1+1", counterparty: { name: "A\tB\r\nC" } }],
    information: "x",
  });
});

test("columns in another order, unknown ones, LF and a byte order mark", async () => {
  const rows = (await write(statement([entry()]))).trim().split("\r\n").map(splitCells);
  const turned = rows.map((row, index) => [index === 0 ? "new" : "?", ...row.toReversed()].join(","));
  expect(await collect(readCsv(`\uFEFF${turned.join("\n")}`))).toEqual(
    await collect(readCsv(await write(statement([entry()])))),
  );
});

test.each([
  ["TRUE", true],
  ["False", undefined],
  ["", undefined],
])("a reversal that a spreadsheet writes as %j", async (word, expected) => {
  const text = (await write(twoEntries)).replace(",true,", `,${word},`);
  const [found] = await collect(readCsv(text));
  expect(found!.entries[1]!.reversal).toBe(expected);
});

test("a header alone holds no statements", async () => {
  expect(await collect(readCsv(await write()))).toEqual([]);
});

describe("malformed files are reported by column and line", () => {
  const one = statement([entry({ remittance: "Rent", details: [entry({ amount: "10" })] })]);
  // 1 header, 2 opening, 3 entry, 4 detail, 5 closing.
  test.each<[string, (text: string) => string, Partial<FormatError>]>([
    [
      "a balance that does not add up",
      (text) => text.replace(",10.00,110.00,", ",11.00,110.00,"),
      { code: "balance", field: "balance", line: 3 },
    ],
    [
      "a closing balance that does not add up",
      (text) => text.replace(/110\.00(?=,*\r\n$)/, "110.01"),
      { code: "balance", field: "balance", line: 5 },
    ],
    [
      "an amount with a comma",
      (text) => text.replace(",10.00,", ',"10,00",'),
      { code: "invalid", field: "amount", line: 3 },
    ],
    [
      "a day that does not exist",
      (text) => text.replace("2026-01-15", "2026-02-30"),
      { code: "invalid", field: "booking_date", line: 3 },
    ],
    [
      "a record of no kind",
      (text) => text.replace(",opening,", ",start,"),
      { code: "invalid", field: "record", line: 2 },
    ],
    [
      "an entry without a statement",
      (text) => text.replace(/.*,opening,.*\r\n/, ""),
      { code: "misplaced", field: "record", line: 2 },
    ],
    [
      "a statement without an end",
      (text) => text.replace(/.*,closing,.*\r\n/, ""),
      { code: "missing", field: "record", line: 4 },
    ],
    [
      "a missing column",
      (text) => text.replace("balance", "saldo"),
      { code: "missing", field: "balance", line: 1 },
    ],
    [
      "a number that is none",
      (text) => text.replace(",1,opening", ",one,opening"),
      { code: "invalid", field: "statement_number", line: 2 },
    ],
    [
      "no account",
      (text) => text.replaceAll("NL13TEST0123456789", ""),
      { code: "missing", field: "account_number", line: 2 },
    ],
    [
      "a currency that is none",
      (text) => text.replaceAll(",EUR,", ",euro,"),
      { code: "invalid", field: "currency", line: 2 },
    ],
    [
      "a column twice",
      (text) => text.replace("mandate_id", "creditor_id"),
      { code: "invalid", field: "creditor_id", line: 1 },
    ],
    [
      "a reversal that is none",
      (text) => text.replace(",110.00,,NTRF", ",110.00,yes,NTRF"),
      { code: "invalid", field: "reversal", line: 3 },
    ],
    [
      "an entry of another account",
      (text) => text.replace(/NL13TEST0123456789(?=.*,entry,)/, "NL14TEST0123456789"),
      { code: "misplaced", field: "account_number", line: 3 },
    ],
    [
      "a closing balance in another currency",
      (text) => text.replace(/EUR(?=.*,closing,)/, "USD"),
      { code: "misplaced", field: "currency", line: 5 },
    ],
    [
      "a cell too many",
      (text) => text.replace("Rent", "Rent,Rent"),
      { code: "invalid", field: "record", line: 3 },
    ],
    [
      "a quote inside a cell",
      (text) => text.replace("Rent", 'R"e"nt'),
      { code: "invalid", field: "record", line: 3 },
    ],
    [
      "a quote that is never closed",
      (text) => text.replace("Rent", '"Rent'),
      { code: "invalid", field: "record", line: 3 },
    ],
    ["a text of another kind", () => ":20:REF\r\n", { code: "unrecognised", field: "record", line: 1 }],
  ])("%s", async (_, broken, expected) => {
    const text = broken(await write(one));
    await expect(collect(readCsv(text))).rejects.toBeInstanceOf(FormatError);
    await expect(collect(readCsv(text))).rejects.toMatchObject({ format: "CSV", ...expected });
  });

  test.each<[string, Statement, Partial<FormatError>]>([
    [
      "an amount that is none",
      statement([], { openingBalance: { creditDebit: "Credit", amount: "1e3", date: "2026-01-01" } }),
      { code: "invalid", field: "balance" },
    ],
    [
      "a rate that is none",
      statement([entry({ exchangeRate: "=1+1" })]),
      { code: "invalid", field: "exchange_rate" },
    ],
    [
      "a day that does not exist",
      statement([entry({ valueDate: "15.01.2026" })]),
      { code: "invalid", field: "value_date" },
    ],
    [
      "a balance that does not add up",
      { ...statement([entry()]), entries: [] },
      { code: "balance", field: "balance" },
    ],
  ])("%s is not written", async (_, broken, expected) => {
    await expect(write(broken)).rejects.toBeInstanceOf(FormatError);
    await expect(write(broken)).rejects.toMatchObject({ format: "CSV", ...expected });
  });
});
