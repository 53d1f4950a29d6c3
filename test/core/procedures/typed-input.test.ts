/** CSV input and periods: usual spellings are accepted, others are refused, in CSV with line and column. */
import * as fc from "fast-check";
import { parseCsvRows } from "../../../core/procedures/csv-input";
import { parseFuturePeriod, parsePeriod } from "../../../core/procedures/period";

const columns = {
  amount: { names: ["amount"], required: true },
  currency: { names: ["currency", "ccy"], required: true },
  date: { names: ["date", "due date"] },
  party: { names: ["party", "customer"] },
} as const;

const read = (text: string) =>
  parseCsvRows("test.read", "csv", text, columns, (row) => {
    const currency = row.currency("currency");
    const { date, party } = row.cells;
    return {
      line: row.line,
      amount: row.amount("amount", currency),
      currency,
      ...(date && { date: row.day("date") }),
      ...(party && { party }),
    };
  });

/** Reads amounts, with EUR where no currency is given. */
const amountsIn = (...cells: string[]) =>
  read(`Amount;Currency\n${cells.map((each) => (each.includes(";") ? each : `${each};EUR`)).join("\n")}`).map(
    ({ amount, currency }) => (currency === "EUR" ? amount : `${amount} ${currency}`),
  );

test.each([
  ["amount,currency,date\n1.5,EUR,2026-03-01"],
  ["Due Date;CCY;Amount\r\n01.03.2026;eur;1,50\r\n"],
  ['\uFEFFcurrency\tremark\tdue_date\tAMOUNT\n\nEUR\t"a ""b"""\t2026-03-01\t1.50\n\n'],
])("%j", (text) => {
  expect(read(text)).toEqual([
    { line: expect.any(Number), amount: "1.50", currency: "EUR", date: "2026-03-01" },
  ]);
});

test("accepts cells over several lines and counts lines correctly", () => {
  const rows = read('amount,currency,party\n1.00,EUR,"Duval\nSARL, Paris"\n\n2.00,EUR,Berg\n');
  expect(rows.map(({ line, party }) => [line, party])).toEqual([
    [2, "Duval\nSARL, Paris"],
    [5, "Berg"],
  ]);
});

test.each([
  [["1234.5"], ["1234.50"]],
  [["1234,5"], ["1234.50"]],
  [
    ["1.234,56", "1.234"],
    ["1234.56", "1234.00"],
  ],
  [
    ["1,234.56", "1,234"],
    ["1234.56", "1234.00"],
  ],
  [["1.234.567"], ["1234567.00"]],
  [["-12,30"], ["-12.30"]],
  [["\u221212.30"], ["-12.30"]],
  [["1 234,56"], ["1234.56"]],
  [["1'234.56"], ["1234.56"]],
  [["0.500"], ["0.50"]],
  [["7"], ["7.00"]],
  [["250.000;KWD"], ["250.000 KWD"]],
  [["-1,005;TND"], ["-1.005 TND"]],
  [["1,250.000;BHD"], ["1250.000 BHD"]],
  [["1,234,567;KWD"], ["1234567.000 KWD"]],
  [
    ["1,000;JPY", "2.000;KRW"],
    ["1000 JPY", "2000 KRW"],
  ],
  [
    ["1.000;JPY", "12,50"],
    ["1000 JPY", "12.50"],
  ],
  [
    ["250.000;KWD", "7"],
    ["250.000 KWD", "7.00"],
  ],
  [
    ["1,250;KWD", "12.50"],
    ["1250.000 KWD", "12.50"],
  ],
])("parses the amounts %j", (given, expected) => {
  expect(amountsIn(...given)).toEqual(expected);
});

test.each([
  ["1,234", /line 2, column amount: "1,234" is ambiguous/],
  ["1.2.3", /line 2, column amount: "1.2.3" is not an amount/],
  ["12,34,56", /is not an amount/],
  ["1.23,4.5", /is not an amount/],
  ["1e3", /is not an amount/],
  ["abc", /is not an amount/],
  ["", /is not an amount/],
  ["1.005,001", /has more than the 2 decimals of EUR/],
])("refuses the amount %j", (given, message) => {
  expect(() => amountsIn(given)).toThrow(message);
});

test.each([
  [["1.000"], "write 1000 or 1", "1000", "1000.00"],
  [["1.234"], "write 1234", "1234", "1234.00"],
  [["-1.000", "250.000;KWD", "7"], "write -1000 or -1", "-1000", "-1000.00"],
  [["1.005;KWD", "1,250;KWD"], "write 1005 or 1.0050", "1.0050;KWD", "1.005 KWD"],
  [["1.234;UYW"], "write 1234 or 1.2340", "1.2340;UYW", "1.2340 UYW"],
  [["1,000;JPY", "12,50"], "write 1000 or 1", "1000;JPY", "1000 JPY"],
])("refuses %j with useful advice", ([row, ...others], advice, better, amount) => {
  expect(() => amountsIn(row!, ...others)).toThrow(
    `line 2, column amount: "${row!.split(";")[0]}" is ambiguous: ${advice}`,
  );
  expect(amountsIn(better)).toEqual([amount]);
});

test.each([
  ["", /csv is empty: it must start with a header row/],
  ["date,party\n1,2", /csv line 1: the header lacks the columns amount and currency/],
  ["amount,Amount,currency\n1,2,EUR", /line 1: duplicate column amount/],
  ["amount,currency\n1,50,EUR", /line 2: has 3 cells, but the header has 2/],
  ['amount,currency\n"1,EUR', /line 2: unclosed quote/],
  ['amount,currency\n1"2,EUR"', /line 2: unexpected quote/],
  ["amount,currency\n1,EURO", /line 2, column currency: "EURO" is not a currency such as EUR/],
  [
    "amount,currency,date\n1,EUR,03/04/2026",
    /line 2, column date: "03\/04\/2026" is not a day as YYYY-MM-DD/,
  ],
])("refuses %j", (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test("reports all problems at once with the outcome not-sent", () => {
  expect(() => read("amount,currency\nx,EUR\ny,EUR")).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      outcome: "not-sent",
      violations: [
        { field: "csv", message: expect.stringMatching(/^line 2, column amount/) },
        { field: "csv", message: expect.stringMatching(/^line 3, column amount/) },
      ],
    }),
  );
});

describe("periods", () => {
  /** A Wednesday. */
  const today = new Date("2026-03-18T23:30:00Z");

  test.each([
    ["today", "2026-03-18", "2026-03-18"],
    ["Yesterday", "2026-03-17", "2026-03-17"],
    ["this week", "2026-03-16", "2026-03-18"],
    ["last week", "2026-03-09", "2026-03-15"],
    ["last month", "2026-02-01", "2026-02-28"],
    ["last_month", "2026-02-01", "2026-02-28"],
    ["last-30-days", "2026-02-17", "2026-03-18"],
    ["this month", "2026-03-01", "2026-03-18"],
    ["last quarter", "2025-10-01", "2025-12-31"],
    ["this quarter", "2026-01-01", "2026-03-18"],
    ["last year", "2025-01-01", "2025-12-31"],
    ["last 30 days", "2026-02-17", "2026-03-18"],
    ["2026-02", "2026-02-01", "2026-02-28"],
    ["2024-02", "2024-02-01", "2024-02-29"],
    ["2026-Q1", "2026-01-01", "2026-03-31"],
    ["2025", "2025-01-01", "2025-12-31"],
    ["2026-01-31", "2026-01-31", "2026-01-31"],
    ["2026-01-01..2026-01-31", "2026-01-01", "2026-01-31"],
    ["2026-01-01 to 2026-01-31", "2026-01-01", "2026-01-31"],
    ["2026-01-01/2026-01-31", "2026-01-01", "2026-01-31"],
    ["October 2026", "2026-10-01", "2026-10-31"],
    ["OKTOBER-2026", "2026-10-01", "2026-10-31"],
    ["Feb. 2024", "2024-02-01", "2024-02-29"],
    ["März 2026", "2026-03-01", "2026-03-31"],
    ["1.10.2026", "2026-10-01", "2026-10-01"],
    ["01.10.2026-31.10.2026", "2026-10-01", "2026-10-31"],
    ["01.10.2026 – 31.10.2026", "2026-10-01", "2026-10-31"],
    ["1. Oktober 2026 bis 3. Dez. 2026", "2026-10-01", "2026-12-03"],
  ])("%s is %s to %s", (text, from, to) => {
    expect(parsePeriod(text, today)).toEqual({ from, to });
  });

  test.each([
    "",
    "soon",
    "2026-02-30",
    "2026-13",
    "2026-01-31..2026-01-01",
    "last 0 days",
    "last -5 days",
    "last  - 5 days",
    "last fortnight",
    "October",
    "Octember 2026",
    "31.02.2026",
    "01/10/2026",
    "31.10.2026-01.10.2026",
    "1.10.20261",
  ])("refuses %j", (text) => {
    expect(parsePeriod(text, today)).toBeUndefined();
  });

  test.each([
    ["tomorrow", "2026-03-19", "2026-03-19"],
    ["this week", "2026-03-16", "2026-03-22"],
    ["this month", "2026-03-01", "2026-03-31"],
    ["next week", "2026-03-23", "2026-03-29"],
    ["next month", "2026-04-01", "2026-04-30"],
    ["next quarter", "2026-04-01", "2026-06-30"],
    ["next year", "2027-01-01", "2027-12-31"],
    ["next 30 days", "2026-03-18", "2026-04-17"],
    ["today", "2026-03-18", "2026-03-18"],
    ["2026-05", "2026-05-01", "2026-05-31"],
    ["Mai 2026", "2026-05-01", "2026-05-31"],
    ["01.05.2026 - 31.05.2026", "2026-05-01", "2026-05-31"],
  ])("as a future period, %s is %s to %s", (text, from, to) => {
    expect(parseFuturePeriod(text, today)).toEqual({ from, to });
  });

  test.each(["en-GB", "de-DE", "de-AT"])("months and days as %s writes them are understood", (locale) => {
    for (let month = 0; month < 12; month += 1)
      for (const length of ["long", "short"] as const) {
        const from = new Date(Date.UTC(2026, month, 1));
        const [day, end] = [from, new Date(Date.UTC(2026, month + 1, 0))].map((each) =>
          each.toISOString().slice(0, 10),
        );
        const format = (options: Intl.DateTimeFormatOptions) =>
          new Intl.DateTimeFormat(locale, { timeZone: "UTC", ...options }).format(from);
        expect(parsePeriod(format({ month: length, year: "numeric" }))).toEqual({ from: day, to: end });
        const written = format({ day: "numeric", month: length, year: "numeric" });
        expect(parsePeriod(written)).toEqual({ from: day, to: day });
      }
  });

  test("the last unit always ends on the day before the current one", () => {
    const day = fc.date({
      min: new Date("1990-01-01"),
      max: new Date("2090-12-31"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(day, fc.constantFrom("week", "month", "quarter", "year"), (now, unit) => {
        const last = parsePeriod(`last ${unit}`, now)!;
        const current = parsePeriod(`this ${unit}`, now)!;
        expect(Date.parse(current.from) - Date.parse(last.to)).toBe(86_400_000);
        expect(current.to).toBe(now.toISOString().slice(0, 10));
      }),
    );
  });
});
