/** CSV: what exactly is written, and what is broken. */
import { readCsv, type Statement, collectText, writeCsv } from "../../../core/files";
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
