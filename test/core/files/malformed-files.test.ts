/** Malformed files are reported by code, field and line, and statements that a format cannot carry are refused. */
import {
  type CreditDebit,
  type Entry,
  FormatError,
  readCoda,
  readCsv,
  readMt940,
  type Statement,
  collectText,
  type TextSource,
  writeCoda,
  writeCsv,
  writeMt940,
} from "../../../core/files";
import { message } from "./mt940-messages";
import { collect, entry, problemOf, readOutcome, statement } from "./statement-fixtures";

type Read = (text: TextSource) => AsyncIterable<Statement>;
type Write = (statements: Statement[]) => AsyncIterable<string>;

const replace =
  (from: string | RegExp, to: string) =>
  (text: string): string =>
    text.replace(from, () => to);

const changeLines =
  (change: (lines: string[]) => void) =>
  (text: string): string => {
    const lines = text.split("\r\n");
    change(lines);
    return lines.join("\r\n");
  };
const drop = (line: number) => changeLines((lines) => lines.splice(line - 1, 1));
/** Overwrites characters of a line, both counted from 1. */
const put = (line: number, from: number, text: string) =>
  changeLines((lines) => {
    const old = lines[line - 1]!;
    lines[line - 1] = old.slice(0, from - 1) + text + old.slice(from - 1 + text.length);
  });

type Cases = Readonly<Record<string, readonly [change: (text: string) => string, problem: string]>>;

// 1 to 4 head, 5 entry, 6 closing balance.
const mt940 = message([":61:260115C1,NTRFNONREF"], ":62F:C260131EUR101,00");
const mt940Cases: Cases = {
  "a balance that does not add up": [replace("101,00", "101,01"), "balance :62F: 6"],
  "no account": [drop(2), "missing :60F: 3"],
  "no statement number": [drop(3), "missing :60F: 3"],
  "no opening balance": [drop(4), "misplaced :61: 4"],
  "neither balances nor entries": [replace(/:60F:[^]*(?=-$)/, ""), "missing :60F: 4"],
  "no closing balance": [drop(6), "missing :62F: 6"],
  "two opening balances": [
    changeLines((lines) => lines.splice(1, 0, ...lines.slice(1, 4))),
    "misplaced :60F: 7",
  ],
  "an unknown mark": [replace("260115C", "260115X"), "invalid :61: 5"],
  "a date that does not exist": [replace("260115", "260231"), "invalid :61: 5"],
  "an entry date that does not exist": [replace("260115", "2601150230"), "invalid :61: 5"],
  "another currency at the end": [replace("260131EUR", "260131USD"), "invalid :62F: 6"],
  "an entry after the end": [replace(/-$/, ":61:260115C1,NTRFNONREF"), "misplaced :61: 7"],
  "an available balance before the end": [replace(":61:", ":64:C260131EUR1,\r\n:61:"), "misplaced :64: 5"],
  "an invalid number": [replace(":28C:1/1", ":28C:one"), "invalid :28C: 3"],
  "another kind of text": [() => "date;amount\r\n1;2", "unrecognised :20: 2"],
};

const account = { number: "BE70000012345678", currency: "EUR" };
// 1 header, 2 old balance, 3 to 6 first movement, 7 second movement, 8 new balance, 9 trailer.
const codaStatement = statement(
  [
    entry({ remittance: "x".repeat(200), creditDebit: "Debit" }),
    entry({ creditorReference: "090933755493", amount: "5" }),
  ],
  { account },
);
const codaCases: Cases = {
  "a line that is too short": [changeLines((lines) => (lines[2] = lines[2]!.slice(0, -1))), "invalid 2.1 3"],
  "a line that is too long": [changeLines((lines) => (lines[1] += " ")), "invalid 1 2"],
  "an unknown record": [put(3, 1, "7"), "invalid 71 3"],
  "a missing old balance": [drop(2), "misplaced 2.1 2"],
  "a second part without the first": [drop(3), "misplaced 2.2 3"],
  "a part of another movement": [put(4, 3, "0009"), "misplaced 2.2 4"],
  "a detail of no movement": [put(7, 7, "0001"), "misplaced 2.1 7"],
  "letters in an amount": [put(3, 33, "A"), "invalid 2.1 3"],
  "an unknown sign": [put(7, 32, "7"), "invalid 2.1 7"],
  "a date that does not exist": [put(7, 116, "310226"), "invalid 2.1 7"],
  "no new balance": [drop(8), "misplaced 9 8"],
  "a balance that does not add up": [put(8, 57, "1"), "balance 8 9"],
  "a wrong count": [put(9, 22, "8"), "control_sum 9 9"],
  "a wrong sum": [put(9, 37, "1"), "control_sum 9 9"],
  "a new balance of another account": [put(8, 5, "BE45000012345679"), "misplaced 8 8"],
  "a new balance in another currency": [put(8, 39, "USD"), "misplaced 8 8"],
  "another version": [put(1, 128, "1"), "invalid 0 1"],
  "a file of payments": [put(1, 15, "01"), "unrecognised 0 1"],
  "no trailer": [drop(9), "missing 9 8"],
};

// 1 header, 2 opening, 3 entry, 4 detail, 5 closing.
const csvStatement = statement([entry({ remittance: "Rent", details: [entry({ amount: "10" })] })]);
const csvCases: Cases = {
  "a balance that does not add up": [replace(",10.00,110.00,", ",11.00,110.00,"), "balance balance 3"],
  "a closing balance that does not add up": [replace(/110\.00(?=,*\r\n$)/, "110.01"), "balance balance 5"],
  "an amount with a comma": [replace(",10.00,", ',"10,00",'), "invalid amount 3"],
  "a date that does not exist": [replace("2026-01-15", "2026-02-30"), "invalid booking_date 3"],
  "an unknown record": [replace(",opening,", ",start,"), "invalid record 2"],
  "an entry without a statement": [drop(2), "misplaced record 2"],
  "a statement without an end": [drop(5), "missing record 4"],
  "a missing column": [replace("balance", "saldo"), "missing balance 1"],
  "an invalid number": [replace(",1,opening", ",one,opening"), "invalid statement_number 2"],
  "no account": [replace(/NL13TEST0123456789/g, ""), "missing account_number 2"],
  "an invalid currency": [replace(/,EUR,/g, ",euro,"), "invalid currency 2"],
  "a column twice": [replace("mandate_id", "creditor_id"), "invalid creditor_id 1"],
  "an invalid reversal": [replace(",110.00,,NTRF", ",110.00,yes,NTRF"), "invalid reversal 3"],
  "an entry of another account": [
    replace(/NL13TEST0123456789(?=.*,entry,)/, "NL14TEST0123456789"),
    "misplaced account_number 3",
  ],
  "a closing balance in another currency": [replace(/EUR(?=.*,closing,)/, "USD"), "misplaced currency 5"],
  "a cell too many": [replace("Rent", "Rent,Rent"), "invalid record 3"],
  "a quote inside a cell": [replace("Rent", 'R"e"nt'), "invalid record 3"],
  "a quote that is never closed": [replace("Rent", '"Rent'), "invalid record 3"],
};

describe.each<[string, Read, () => Promise<string>, Cases]>([
  ["MT940", readMt940, () => Promise.resolve(mt940), mt940Cases],
  ["CODA", readCoda, () => collectText(writeCoda([codaStatement])), codaCases],
  ["CSV", readCsv, () => collectText(writeCsv([csvStatement])), csvCases],
])("reading %s", (_, read, valid, cases) => {
  test.each(Object.entries(cases))("%s", async (__, [change, problem]) => {
    expect(await problemOf(read(change(await valid())))).toBe(problem);
  });
});

test.each<[string, (text: string) => string, string]>([
  ["wrong check digits", put(7, 66, "1"), "check_digits"],
  ["an announced file that does not follow", put(9, 128, "1"), "missing"],
])("CODA with %s is read with a warning", async (_, change, rule) => {
  const [found] = await collect(readCoda(change(await collectText(writeCoda([codaStatement])))));
  expect(found).toMatchObject({ entries: [{}, {}], violations: [{ rule, severity: "warning" }] });
});

/** Two statements of three entries each; the second entry of the first has details. */
const whole = [1, 2].map((number) =>
  statement(
    ["1", "2", "4"].map((amount) =>
      entry({ amount, ...(number === 1 && amount === "2" && { details: [entry({ amount: "2" })] }) }),
    ),
    { account, number },
  ),
);

/** Returns the amounts of each statement, and the faults by rule and severity. */
const toFacts = (statements: readonly Statement[]) => ({
  amounts: statements.map(({ entries }) =>
    entries.map(({ amount, details = [] }) => [amount, details.length]),
  ),
  faults: statements.flatMap(({ violations = [] }) =>
    violations.map(({ rule, severity }) => `${severity} ${rule}`),
  ),
});

const all = [
  ["1.00", 0],
  ["2.00", 1],
  ["4.00", 0],
];
const second = [
  ["1.00", 0],
  ["2.00", 0],
  ["4.00", 0],
];

// CODA: 1 header, 2 old balance, 3, 4 and 5 with 6 entries and detail, 7 entry, 8 new balance, 9 trailer; then the next file.
const codaLines = async () => (await collectText(writeCoda(whole))).split("\r\n");
const csvLines = async () => (await collectText(writeCsv(whole))).split("\r\n");

test.each<[string, string, (line: string, index: number) => boolean, unknown[][][], string[]]>([
  [
    "CODA",
    "an entry",
    (line) => line.startsWith("21") && line.includes("000000000001000"),
    [all.slice(1), second.slice(1)],
    [],
  ],
  [
    "CODA",
    "an entry with details",
    (line) => line.startsWith("2100020000"),
    [
      [all[0]!, all[2]!],
      [second[0]!, second[2]!],
    ],
    ["error misplaced"],
  ],
  ["CODA", "a header", (line) => line.startsWith("0"), [all, second], ["error misplaced"]],
  ["CODA", "an old balance", (line) => line.startsWith("1"), [all, second], ["error misplaced"]],
  ["CODA", "a new balance", (line) => line.startsWith("8"), [all, second], ["error misplaced"]],
  ["CODA", "a trailer", (line) => line.startsWith("9"), [all, second], ["error missing"]],
  [
    "CSV",
    "an entry with details",
    (line) => line.includes(",entry,") && line.includes(",2.00,"),
    [
      [all[0]!, all[2]!],
      [second[0]!, second[2]!],
    ],
    ["error misplaced", "error balance"],
  ],
  ["CSV", "an opening balance", (line) => line.includes(",opening,"), [all, second], ["error misplaced"]],
  ["CSV", "a closing balance", (line) => line.includes(",closing,"), [all, second], ["error missing"]],
])("%s without %s is tolerated, with its faults", async (format, _, isBroken, amounts, faults) => {
  const isCoda = format === "CODA";
  const [lines, read] = isCoda ? [await codaLines(), readCoda] : [await csvLines(), readCsv];
  const spoil = (line: string) => [`${line}x`.replace(/,[a-z]+,/, ",x,")];
  // Where a row of CSV is gone, nothing says that its details belong to another entry.
  for (const damage of isCoda || faults[1] === undefined ? [() => [], spoil] : [spoil]) {
    const text = lines.flatMap((line, index) => (isBroken(line, index) ? damage(line) : [line])).join("\r\n");
    const found = toFacts(await collect(read(text, { tolerate: true })));
    expect(found.amounts).toEqual(amounts);
    expect(found.faults).toEqual(expect.arrayContaining(faults));
    expect(found.faults.some((fault) => fault.startsWith("error"))).toBe(true);
    expect(await problemOf(read(text))).not.toBe("read");
  }
});

const formats: [string, Read, Write][] = [
  ["MT940", readMt940, writeMt940],
  ["CODA", readCoda, writeCoda],
  ["CSV", readCsv, writeCsv],
];
const oneStatement = [statement([entry({ remittance: "Rent" })])];

describe.each(formats)("%s", (name, read, write) => {
  test("blank text holds no statements", async () => {
    for (const text of ["", "\n", " \r\n\t\r\n "]) expect(await collect(read(text))).toEqual([]);
  });

  test("names the format of other texts", async () => {
    const others: Record<string, string> = {
      XML: '<?xml version="1.0"?>\n<Document/>\n',
      PDF: "%PDF-1.7\n\n",
      JSON: '{ "accounts": [] }\n',
      "CSV with semicolons": "record;amount\nentry;1\n",
      "CSV with tabs": "record\tamount\nentry\t1\n",
    };
    for (const [other, , writeOther] of formats)
      if (other !== name) others[other] = await collectText(writeOther(oneStatement));
    for (const [kind, text] of Object.entries(others))
      expect(await readOutcome(read(text))).toMatchObject({
        code: "unrecognised",
        format: name,
        message: expect.stringContaining(`it looks like ${kind}`),
      });
  });

  test("refuses lines that end with CR alone", async () => {
    const text = (await collectText(write(oneStatement))).replaceAll("\r\n", "\r");
    await expect(collect(read(text))).rejects.toThrow("LF or CRLF");
  });
});

/** A statement whose stated balances do not depend on its entries. */
const withEntry = (fields: Partial<Entry>): Statement => ({
  ...statement([entry()]),
  entries: [entry(fields)],
});
const invalidIndicator = "debit" as CreditDebit;
const balance = (amount: string, creditDebit: CreditDebit = "Credit") => ({
  creditDebit,
  amount,
  date: "2026-01-01",
});

/** Statements with the field at fault in each format; undefined if the format can carry them. */
const unwritable: Readonly<
  Record<
    string,
    readonly [Statement, mt940: string | undefined, coda: string | undefined, csv: string | undefined]
  >
> = {
  "an invalid amount": [withEntry({ amount: "1e3" }), "invalid :61:", "invalid 2.1", "invalid amount"],
  "a negative balance": [
    statement([], { openingBalance: balance("-1"), closingBalance: balance("1") }),
    "invalid :60F:",
    "invalid 1",
    "invalid balance",
  ],
  "an entry that is neither credit nor debit": [
    withEntry({ creditDebit: invalidIndicator }),
    "invalid :61:",
    "invalid 2.1",
    "invalid amount",
  ],
  "a closing balance that is neither": [
    statement([], { closingBalance: balance("100", invalidIndicator) }),
    "invalid :62F:",
    "invalid 8",
    "invalid balance",
  ],
  "an invalid rate": [
    withEntry({ exchangeRate: "=1+1" }),
    "invalid :86:",
    "invalid 2.1",
    "invalid exchange_rate",
  ],
  "an invalid instructed amount": [
    withEntry({ instructedAmount: { amount: "x", currency: "USD" } }),
    "invalid :86:",
    "invalid 2.1",
    "invalid instructed_amount",
  ],
  "charges without a currency": [
    withEntry({ charges: { amount: "1", currency: "EURO" } }),
    "invalid :86:",
    "invalid 2.1",
    "invalid charges_amount",
  ],
  "a date that does not exist": [
    withEntry({ valueDate: "2026-02-30" }),
    "invalid :61:",
    "invalid 2.1",
    "invalid value_date",
  ],
  "a year that two digits cannot express": [
    withEntry({ bookingDate: "1979-12-31" }),
    "invalid :61:",
    "invalid 2.1",
    undefined,
  ],
  "a balance that does not add up": [
    { ...statement([entry()]), entries: [] },
    "balance :62F:",
    "balance 8",
    "balance balance",
  ],
  "no account number": [
    statement([], { account: { number: "\u0301", currency: "EUR" } }),
    "missing :25:",
    "missing 1",
    undefined,
  ],
  "an invalid currency": [
    statement([], { account: { number: "1", currency: "eur" } }),
    "invalid :60F:",
    "invalid 1",
    "invalid currency",
  ],
  "an invalid number": [
    statement([], { number: 0.5 }),
    "invalid :28C:",
    "invalid 1",
    "invalid statement_number",
  ],
  "more decimals than the format has": [
    statement([entry({ amount: "0.0001" })]),
    "invalid :61:",
    "invalid 2.1",
    "balance balance",
  ],
  "more digits than the format has": [
    statement([entry({ amount: "1000000000000" })]),
    "too_long :61:",
    "too_long 2.1",
    undefined,
  ],
};

describe.each(formats)("writing %s", (name, _, write) => {
  test.each(Object.entries(unwritable))("%s", async (__, [broken, ...problems]) => {
    const problem = problems[formats.findIndex(([format]) => format === name)];
    const written = await collectText(write([broken])).catch((error: unknown) => error);
    if (problem === undefined) expect(typeof written).toBe("string");
    else expect(written).toMatchObject({ name: "FormatError", format: name });
    if (written instanceof FormatError) expect(`${written.code} ${written.field}`).toBe(problem);
  });
});
