/** CSV of banks: layouts, maps, guesses from headings, and what is refused. */
import * as fc from "fast-check";
import { Big } from "big.js";
import { CsvMap, csvLayouts, planCsv, readBankCsv, signedAmount, type Statement } from "../../../core/files";
import { collect, problemOf } from "./statement-fixtures";

const iban = "DE89370400440532013000";

async function* readParts(text: string, map?: CsvMap, tolerate = false): AsyncGenerator<Statement> {
  yield* readBankCsv(text, await planCsv(text, map), { tolerate });
}
const read = (...given: Parameters<typeof readParts>): Promise<Statement[]> => collect(readParts(...given));

/** Shows statements by account, balances, signed amounts and the rules of their faults. */
const show = (statements: readonly Statement[]) =>
  statements.map(({ account, openingBalance, closingBalance, entries, violations = [] }) =>
    [
      `${account.number} ${account.currency}`,
      [openingBalance, closingBalance].map(
        (balance) => balance && `${balance.creditDebit} ${balance.amount}`,
      ),
      entries.map(({ bookingDate, creditDebit, amount, status = "" }) =>
        [bookingDate, creditDebit, amount, status].join(" ").trim(),
      ),
      violations.map(({ rule, severity, field }) => `${severity} ${rule} ${field}`),
    ].flat(),
  );

const german = [
  "Buchungstag;Wertstellung;Auftraggeber/Empfänger;Verwendungszweck;Betrag (EUR);Saldo",
  "02.11.2026;03.11.2026;A GmbH;Invoice 1;1.250,50;2.250,50",
  "03.11.2026;03.11.2026;B GmbH;Rent;-200,25;2.050,25",
];
const swap = (lines: readonly string[]) => [lines[0]!, ...lines.slice(1).toReversed()];
const join = (lines: readonly string[]) => lines.join("\r\n");

const facts = ["Credit 1000.00", "Credit 2050.25"];
const entries = ["2026-11-02 Credit 1250.50", "2026-11-03 Debit 200.25"];
const noAccount = "warning missing account_number";
/** The opening balance follows from the oldest entry, so that nothing confirms that entry. */
const unconfirmed = "warning missing balance";

test.each<[string, string]>([
  ["German headings", join(german)],
  ["newest entry first", join(swap(german))],
  ["times whose hour has one digit", join(german).replaceAll(/(?<=^|;)\d\d\.11\.2026/gm, "$& 9:05:30")],
  ["rows before the headings", join(["Umsätze;", "", "Kontoname;Giro", ...german])],
  [
    "dates of two digits, and signs at the end",
    join(german).replaceAll("2026", "26").replace("-200,25", "200,25-"),
  ],
  [
    "tabs, quotes and an empty column",
    join(german.map((line) => line.replace(/[^;]+/g, '"$&"').replaceAll(";", "\t").concat("\t"))),
  ],
  [
    "English, debit and credit columns, and points",
    join([
      "Date,Description,Paid out,Paid in,Balance,Currency",
      '2026-11-02,Invoice 1,,"1,250.50","2,250.50",EUR',
      '2026-11-03,Rent,200.25,0.00,"2,050.25",EUR',
    ]),
  ],
  [
    "Dutch, a direction and no sign",
    join([
      "Datum;Omschrijving;Af/Bij;Bedrag;Munt;Saldo na mutatie",
      "20261102;Invoice 1;Bij;1250,50;EUR;2250,50",
      "20261103;Rent;Af;200,25;EUR;2050,25",
    ]),
  ],
  [
    "French, negative debits, spaces between thousands",
    join([
      "Date comptable;Libellé;Débit euros;Crédit euros;Solde",
      "02/11/2026;Invoice 1;;1 250,50;2 250,50",
      "03/11/2026;Rent;-200,25;;2 050,25",
      "",
    ]),
  ],
])("guesses %s, and confirms the guess by balances", async (name, text) => {
  const french = name.startsWith("French");
  const given = french ? text.replace("03/11", "13/11") : text;
  const [[account, ...rest]] = show(await read(given)) as [string[]];
  expect([account, rest.toSorted()]).toEqual([
    "NOTPROVIDED EUR",
    [
      ...facts,
      ...entries.map((each) => (french ? each.replace("-03", "-13") : each)),
      noAccount,
      unconfirmed,
    ].toSorted(),
  ]);
});

const dutch = (...rows: string[]) =>
  join([
    "IBAN/BBAN,Munt,BIC,Volgnr,Datum,Rentedatum,Bedrag,Saldo na trn,Tegenrekening IBAN/BBAN,Naam tegenpartij,BIC tegenpartij,Machtigingskenmerk,Incassant ID,Omschrijving-1,Omschrijving-2,Omschrijving-3",
    ...rows,
  ]);
const dutchRow = (account: string, amount: string, balance: string) =>
  `${account},EUR,TESTNL2A,000001,2026-11-02,2026-11-01,"${amount}","${balance}",${iban},A BV,,,,one,two,`;

test("knows layouts by their headings, splits accounts, and returns the map that it used", async () => {
  const text = dutch(
    dutchRow("NL02ABNA0123456789", "+10,00", "+110,00"),
    dutchRow("NL02ABNA0123456789", "-20,00", "+90,00"),
    dutchRow("NL91ABNA0417164300", "-1,00", "-1,00"),
    dutchRow("NL91ABNA0417164300", "+2,00", "+1,00"),
  );
  const plan = await planCsv(text);
  expect([plan.layout, plan.map]).toEqual(["dutch-signed", csvLayouts["dutch-signed"]]);
  const statements = await read(text);
  expect(show(statements)).toEqual([
    [
      "NL02ABNA0123456789 EUR",
      "Credit 100.00",
      "Credit 90.00",
      "2026-11-02 Credit 10.00",
      "2026-11-02 Debit 20.00",
      unconfirmed,
    ],
    [
      "NL91ABNA0417164300 EUR",
      "Credit 0.00",
      "Credit 1.00",
      "2026-11-02 Debit 1.00",
      "2026-11-02 Credit 2.00",
      unconfirmed,
    ],
  ]);
  expect(statements[0]!.entries[0]).toMatchObject({
    valueDate: "2026-11-01",
    counterparty: { name: "A BV", account: iban },
    remittance: "one two",
    bankReference: "000001",
  });
});

test("a guessed map reads the file again", async () => {
  const text = join(german);
  const { map } = await planCsv(text);
  expect(await read(text, CsvMap.parse(JSON.parse(JSON.stringify(map))))).toEqual(await read(text));
});

test("a map names columns by number, marks, account and currency", async () => {
  const map = CsvMap.parse({
    delimiter: "|",
    header_rows: 0,
    decimal: ".",
    date: "MM/DD/YYYY",
    columns: { booking_date: 1, amount: 2, mark: 3, status: 4 },
    marks: { debit: ["OUT"], credit: ["IN"] },
    account: iban,
    currency: "JPY",
  });
  const text = "11/02/2026|1,000|OUT|booked\n11/03/2026|5|IN|pending\n";
  expect(show(await read(text, map))).toEqual([
    [
      `${iban} JPY`,
      undefined,
      undefined,
      "2026-11-02 Debit 1000",
      "2026-11-03 Credit 5 Pending",
      "warning missing balance",
    ],
  ]);
});

test.each<[string, Record<string, unknown>]>([
  ["no date column", { columns: { amount: 1 } }],
  ["amount beside debit", { columns: { booking_date: 1, amount: 2, debit: 3 } }],
  ["a mark without an amount", { columns: { booking_date: 1, debit: 2, mark: 3 } }],
  ["an unknown field", { columns: { booking_date: 1, amount: 2, ammount: 3 } }],
  ["an unknown date format", { date: "D.M.Y" }],
])("a map with %s is refused", (_, change) => {
  const map = { delimiter: ";", decimal: ",", date: "DD.MM.YYYY", columns: { booking_date: 1, amount: 2 } };
  expect(CsvMap.safeParse(map).success).toBe(true);
  expect(CsvMap.safeParse({ ...map, ...change }).success).toBe(false);
});

const map = CsvMap.parse({
  delimiter: ";",
  decimal: ",",
  date: "YYYY-MM-DD",
  columns: { booking_date: "Date", amount: "Amount", mark: "D/C" },
  marks: { debit: ["W"], credit: ["D"] },
  account: iban,
  currency: "EUR",
});

test("the words of a map come before the usual ones", async () => {
  const [[, ...rest]] = show(await read("Date;Amount;D/C\n2026-01-02;100,00;D", map)) as [string[]];
  expect(rest).toContain("2026-01-02 Credit 100.00");
});

test.each<[string, string, object, string]>([
  ["another account", "NL91ABNA0417164300\nDate;Amount;D/C\n2026-01-02;1;D", {}, "invalid account_number"],
  ["another currency", "Date;Amount (USD);D/C\n2026-01-02;1;D", {}, "invalid currency"],
  [
    "a currency of rows other than that of the heading",
    "Date;Amount (USD);D/C;CCY\n2026-01-02;1;D;EUR",
    { currency: undefined, columns: { ...map.columns, currency: "CCY" } },
    "invalid currency 2",
  ],
  ["another decimal mark", "Date;Amount;D/C\n2026-01-02;1.000;D", { decimal: "." }, "invalid amount 2"],
  [
    "entries in the rows before the first",
    "2026-01-01;5;D\n2026-01-02;1;D",
    { columns: { booking_date: 1, amount: 2, mark: 3 } },
    "misplaced row 1",
  ],
])("refuses a file with %s than the map says", async (_, text, change, problem) => {
  expect(await problemOf(readParts(text, { ...map, ...change }))).toBe(problem);
});

const simple = (...rows: string[]) => join(["Date;Amount;Currency", ...rows]);

test.each<[string, string, string]>([
  ["two orders of day and month", simple("01/02/2026;-1,50;EUR"), "ambiguous booking_date"],
  ["thousands or decimals", simple("2026-01-02;-1.234;EUR", "2026-01-02;5.678;EUR"), "ambiguous amount"],
  ["two columns of amounts", "Date;Amount;Betrag\n2026-01-02;1;2", "ambiguous amount 1"],
  ["two decimal marks", simple("2026-01-02;-1,50;EUR", "2026-01-02;1.50;EUR"), "invalid amount"],
  ["no currency", "Date;Amount\n2026-01-02;-1,50", "missing currency 2"],
  ["no headings", "2026-01-02;-1,50;EUR", "unrecognised headings 1"],
  ["an amount without a date", simple("2026-01-02;-1,50;EUR", ";2,50;EUR"), "invalid booking_date 3"],
  ["a date without an amount", simple("2026-01-02;-1,50;EUR", "2026-01-03;;EUR"), "invalid amount 3"],
  [
    "more decimals than the currency has",
    simple("2026-01-02;-1,50;EUR", "2026-01-02;1,505;EUR"),
    "invalid amount 3",
  ],
  ["a cell too many", simple("2026-01-02;-1,50;EUR", "2026-01-02;1;50;EUR"), "invalid row 3"],
  ["a currency within the amount", simple("2026-01-02;-1,50 USD;EUR"), "invalid amount 2"],
  [
    "debits of both signs",
    "Date;Debit;Credit;Currency\n2026-01-02;1,50;;EUR\n2026-01-02;-2,00;;EUR",
    "invalid debit 3",
  ],
  ["debit and credit in one row", "Date;Debit;Credit;Currency\n2026-01-02;1,50;2,00;EUR", "invalid debit 2"],
  ["a guess that no balance confirms", simple("2026-01-02;-1,50;EUR"), "ambiguous columns 2"],
  [
    "amounts whose direction nothing tells",
    "Date;Amount;Kind;Balance;Currency\n2026-01-02;100,00;Out;900,00;EUR\n2026-01-03;50,00;In;950,00;EUR",
    "ambiguous amount",
  ],
  [
    "signs beside marks that disagree with them",
    "Date;Amount;S/H;Currency\n2026-01-02;1000,00;S;EUR\n2026-01-03;-20,00;S;EUR",
    "ambiguous amount",
  ],
  ["credits alone", "Date;Credit;Withdrawn;Currency\n2026-01-02;0,00;100,00;EUR", "unrecognised headings 1"],
  [
    "an earlier table of entries",
    join(["Date;Amount;Text", "2026-11-01;-500,00;x", ...german]),
    "ambiguous headings 1",
  ],
  ["an unknown mark", "Date;Amount;D/C;Currency\n2026-01-02;1,50;X;EUR", "invalid mark 2"],
  ["an unknown status", "Date;Amount;Status;Currency\n2026-01-02;-1,50;Lost;EUR", "invalid status 2"],
  ["balances that do not add up", join(german).replace("-200,25", "-200,26"), "balance balance 3"],
  [
    "rows of one account that are not together",
    dutch(
      dutchRow("NL02ABNA0123456789", "+10,00", "+110,00"),
      dutchRow("NL91ABNA0417164300", "-1,00", "-1,00"),
      dutchRow("NL02ABNA0123456789", "-20,00", "+90,00"),
    ),
    "misplaced account_number 4",
  ],
])("refuses %s", async (_, text, problem) => {
  expect(await problemOf(readParts(text))).toBe(problem);
});

test("says which statements no balance confirms, and which rows were passed over", async () => {
  const one = join(german.slice(0, 2)).replace("1.250,50", "-1.250,50");
  expect(show(await read(one, undefined, true))[0]!.slice(-2)).toEqual([
    noAccount,
    "error ambiguous columns",
  ]);
  const { map: checked } = await planCsv(one);
  expect(show(await read(one, checked))[0]!.slice(-2)).toEqual([noAccount, unconfirmed]);
  for (const row of ["Endsaldo;;;;;2.050,25", "30.11.2026;;;Endsaldo per 30.11.2026;;2.050,25"]) {
    const [foot] = show(await read(join([...german, row])));
    expect(foot!.slice(-3)).toEqual([noAccount, "warning misplaced row", unconfirmed]);
  }
});

test("tolerates faults: every entry that can be read, and what does not add up", async () => {
  const text = join([
    german[0]!,
    "xx.11.2026;;A;broken;1,00;1,00",
    ...german.slice(1),
    "04.11.2026;;C;wrong;-50,00;2.000,00",
  ]);
  const [[, ...rest]] = show(await read(text, undefined, true)) as [string[]];
  expect(rest).toEqual([
    "Credit 1000.00",
    "Credit 2000.00",
    ...entries,
    "2026-11-04 Debit 50.00",
    "error invalid booking_date",
    noAccount,
    "error balance balance",
    unconfirmed,
    "error balance balance",
  ]);
});

const euro = CsvMap.parse({
  delimiter: ";",
  decimal: ",",
  date: "YYYY-MM-DD",
  columns: { booking_date: "Date", remittance_information: "Text", amount: "Amount" },
  account: iban,
  currency: "EUR",
});
const inEuro = (...rows: string[]) => join(["Date;Text;Amount", ...rows]);

test.each<[string, string[], string]>([
  [
    "a quote that swallows rows",
    ['2026-01-02;"Broken;-1,00', "2026-01-03;Two;-2,00", '2026-01-04;x";-4,00'],
    "invalid row 2",
  ],
  ["a quote without an end", ['2026-01-02;"Broken;-1,00', "2026-01-03;Two;-2,00"], "invalid row 2"],
  ["a blank cell too many in one row", ["2026-01-02;One;-1,00", "2026-01-03;;-2,00;"], "invalid row 3"],
  ["a total with a date", ["2026-01-02;One;-1,00", "2026-01-31;Total:;-1,00"], "misplaced row 3"],
])(
  "refuses %s where no balance helps, and keeps the other entries with tolerate",
  async (_, rows, problem) => {
    expect(await problemOf(readParts(inEuro(...rows), euro))).toBe(problem);
    const [statement] = await read(inEuro(...rows), euro, true);
    expect(statement!.entries.length).toBe(rows.length - 1);
    expect(statement!.violations).toContainEqual(expect.objectContaining({ severity: "error" }));
  },
);

test("reads quotes within cells, lines within quotes, and a separator at the end of all rows", async () => {
  const rows = [
    '2026-01-02;Pipe 12" of A;-1,00;',
    '2026-01-03;"two; ""lines""\n2026";-2,00;',
    '2026-01-04;B 5";4,00;',
  ];
  const [statement] = await read(inEuro(...rows), euro);
  expect(statement!.entries.map(({ remittance, amount }) => [remittance, amount])).toEqual([
    ['Pipe 12" of A', "1.00"],
    ['two; "lines"\n2026', "2.00"],
    ['B 5"', "4.00"],
  ]);
});

test("a layout reads the balance that some of its files have", async () => {
  const headings =
    "Datum,Naam / Omschrijving,Rekening,Tegenrekening,Code,Af Bij,Bedrag (EUR),Mutatiesoort,Mededelingen,Saldo na mutatie";
  const row = (mark: string, amount: string, balance: string) =>
    `20261102,A,NL02ABNA0123456789,,X,${mark},"${amount}",Y,Z,"${balance}"`;
  const text = (last: string) => join([headings, row("Bij", "10,00", "110,00"), row("Af", "20,00", last)]);
  expect((await planCsv(text("90,00"))).layout).toBe("dutch-direction");
  expect(show(await read(text("90,00")))[0]!.slice(1, 3)).toEqual(["Credit 100.00", "Credit 90.00"]);
  expect(await problemOf(readParts(text("91,00")))).toBe("balance balance 3");
});

test("refuses what can be read in two orders of rows, or of days", async () => {
  const head = "Date;Text;Amount;Balance;Currency";
  const both = join([head, "2026-11-02;A;5,00;100,00;EUR", "2026-11-02;B;-5,00;95,00;EUR"]);
  expect(await problemOf(readParts(both))).toBe("ambiguous balance 3");
  const days = join([head, "26-11-02;A;5,00;100,00;EUR", "26-11-03;B;-6,00;94,00;EUR"]);
  expect(await problemOf(readParts(days))).toBe("ambiguous booking_date");
});

test("what is written in any layout is read with the same entries and sums, or refused as ambiguous", async () => {
  const formats = {
    "DD.MM.YYYY": (y: string, m: string, d: string) => `${d}.${m}.${y}`,
    "MM/DD/YYYY": (y: string, m: string, d: string) => `${m}/${d}/${y}`,
    YYYYMMDD: (y: string, m: string, d: string) => y + m + d,
    "YYYY-MM-DD": (y: string, m: string, d: string) => `${y}-${m}-${d} 10:00`,
  } as const;
  const word = fc.string({ unit: fc.constantFrom(..."aZé\"';,|\n-+".split("")), minLength: 1, maxLength: 8 });
  const file = fc.record({
    delimiter: fc.constantFrom(";", ",", "\t", "|"),
    decimal: fc.constantFrom(".", ","),
    date: fc.constantFrom(...(Object.keys(formats) as (keyof typeof formats)[])),
    direction: fc.constantFrom("sign", "mark", "columns"),
    isDescending: fc.boolean(),
    isQuoted: fc.boolean(),
    isGrouped: fc.boolean(),
    withBalance: fc.boolean(),
    opening: fc.integer({ min: -1e7, max: 1e7 }),
    rows: fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: -1e6, max: 1e6 }), word), {
      minLength: 1,
      maxLength: 8,
    }),
  });
  await fc.assert(
    fc.asyncProperty(file, async ({ delimiter, decimal, date, direction, isDescending, ...given }) => {
      const amountText = (cents: number) => {
        const [whole = "", rest = ""] = new Big(cents).div(100).toFixed(2).split(".");
        const group = decimal === "," ? "." : ",";
        return (given.isGrouped ? whole.replace(/\B(?=(\d{3})+$)/g, group) : whole) + decimal + rest;
      };
      let balance = given.opening;
      const rows = given.rows
        .toSorted(([one], [other]) => one - other)
        .map(([days, cents, text]) => {
          const day = new Date(Date.UTC(2026, 0, days)).toISOString().slice(0, 10);
          const [y, m, d] = day.split("-") as [string, string, string];
          balance += cents;
          const size = amountText(Math.abs(cents));
          const amounts = {
            sign: [amountText(cents)],
            mark: [size, cents < 0 ? "D" : "C"],
            columns: cents < 0 ? [size, ""] : ["", size],
          }[direction];
          const cells = [formats[date](y, m, d), text.trim(), ...amounts, "EUR"];
          return {
            day,
            cents,
            text: text.trim(),
            cells: given.withBalance ? [...cells, amountText(balance)] : cells,
          };
        });
      const amountHeadings = { sign: ["Amount"], mark: ["Amount", "D/C"], columns: ["Debit", "Credit"] }[
        direction
      ];
      const headings = [
        "Date",
        "Description",
        ...amountHeadings,
        "Currency",
        ...(given.withBalance ? ["Balance"] : []),
      ];
      const quote = (cell: string) =>
        given.isQuoted || /["\r\n]/.test(cell) || cell.includes(delimiter)
          ? `"${cell.replaceAll('"', '""')}"`
          : cell;
      const written = isDescending ? rows.toReversed() : rows;
      const text = join(
        [headings, ...written.map(({ cells }) => cells)].map((cells) => cells.map(quote).join(delimiter)),
      );
      const names = [
        "booking_date",
        "remittance_information",
        ...{ sign: ["amount"], mark: ["amount", "mark"], columns: ["debit", "credit"] }[direction],
        "currency",
        "balance",
      ];
      const columns = Object.fromEntries(headings.map((heading, index) => [names[index], heading]));
      const byMap = CsvMap.parse({ delimiter, decimal, date, columns, account: iban });
      const shown = (statement: Statement) => [
        statement.entries.map((entry) => [entry.bookingDate, signedAmount(entry), entry.remittance ?? ""]),
        statement.openingBalance && [statement.openingBalance, statement.closingBalance!].map(signedAmount),
      ];
      const signed = (cents: number) => new Big(cents).div(100).toFixed(2);
      const expected = [
        written.map(({ day, cents, text: remittance }) => [day, signed(cents), remittance]),
        given.withBalance ? [signed(given.opening), signed(balance)] : undefined,
      ];
      for (const used of [byMap, undefined])
        try {
          expect((await read(text, used)).map(shown)).toEqual([expected]);
        } catch (error) {
          expect(error).toMatchObject(used ? { code: "ambiguous", field: "balance" } : { code: "ambiguous" });
        }
    }),
    { numRuns: Number(process.env.FXDESK_RUNS ?? 200) },
  );
});
