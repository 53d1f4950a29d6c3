/** CSV input: usual spellings are accepted, others are refused with line and column. */
import { parseCsvRows } from "../../../core/procedures/csv-input";

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

const amountsIn = (...amounts: string[]) =>
  read(`Amount;Currency\n${amounts.map((each) => `${each};EUR`).join("\n")}`).map(({ amount }) => amount);

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
])("parses the amounts %j", (given, expected) => {
  expect(amountsIn(...given)).toEqual(expected);
});

test.each([
  ["1,234", /line 2, column amount: "1,234" is ambiguous/],
  ["1.234", /line 2, column amount: "1.234" is ambiguous/],
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

describe("the decimals of the currency determine the decimal mark", () => {
  const amountsOf = (...rows: string[]) =>
    read(`Amount;Currency\n${rows.join("\n")}`).map(({ amount, currency }) => `${amount} ${currency}`);

  test.each([
    [["250.000;KWD"], ["250.000 KWD"]],
    [["1.005;KWD"], ["1.005 KWD"]],
    [["-1,005;TND"], ["-1.005 TND"]],
    [["1,250.000;BHD"], ["1250.000 BHD"]],
    [["1,234,567;KWD"], ["1234567.000 KWD"]],
    [["1,000;JPY"], ["1000 JPY"]],
    [
      ["1,000;JPY", "2.000;KRW"],
      ["1000 JPY", "2000 KRW"],
    ],
    [
      ["1.000;JPY", "12,50;EUR"],
      ["1000 JPY", "12.50 EUR"],
    ],
    [
      ["250.000;KWD", "7;EUR"],
      ["250.000 KWD", "7.00 EUR"],
    ],
  ])("%j", (rows, expected) => {
    expect(amountsOf(...rows)).toEqual(expected);
  });

  test("the unambiguous cells of a column take precedence", () => {
    expect(amountsOf("1,250;KWD", "12.50;EUR")).toEqual(["1250.000 KWD", "12.50 EUR"]);
  });

  test.each([
    [["1.000;EUR"], "write 1000 or 1", "1000;EUR", "1000.00 EUR"],
    [["1.234;EUR"], "write 1234", "1234;EUR", "1234.00 EUR"],
    [["-1.000;EUR", "250.000;KWD", "7;EUR"], "write -1000 or -1", "-1000;EUR", "-1000.00 EUR"],
    [["250.000;KWD", "1,250;KWD"], "write 250000 or 250", "250;KWD", "250.000 KWD"],
    [["1.005;KWD", "1,250;KWD"], "write 1005 or 1.0050", "1.0050;KWD", "1.005 KWD"],
    [["1.234;UYW"], "write 1234 or 1.2340", "1.2340;UYW", "1.2340 UYW"],
    [["1,000;JPY", "12,50;EUR"], "write 1000 or 1", "1000;JPY", "1000 JPY"],
  ])("refuses %j with useful advice", ([row, ...others], advice, better, amount) => {
    expect(() => amountsOf(row!, ...others)).toThrow(
      `line 2, column amount: "${row!.split(";")[0]}" is ambiguous: ${advice}`,
    );
    expect(amountsOf(better)).toEqual([amount]);
  });
});

test("treats a column with both marks as ambiguous", () => {
  expect(() => amountsIn("1.5", "2,5", "1,234")).toThrow(/line 4, column amount/);
});

test.each([
  ["", /csv is empty: it must start with a header row/],
  ["date,party\n1,2", /csv line 1: the header has no column amount or currency/],
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
