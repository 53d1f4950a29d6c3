/** MT940: what banks write, and what is wrong with it. */
import { FormatError, readMt940, readMt940Parts } from "../../../core/files";
import { collect, toPieces } from "./statement-fixtures";
import { readEntries, message } from "./mt940-messages";

describe("reading", () => {
  test("all of a statement", async () => {
    const text = [
      "{1:F01TESTNL2AXXXX0000000000}{2:O9400000000000TESTNL2AXXXX00000000000000000000N}{4:",
      ":20:REF",
      ":21:NONREF",
      ":25:NL13TEST0123456789EUR",
      ":28C:12/3",
      ":60F:D991231EUR10,",
      ":61:0001020103RC5,5NCHGCUST//BANK",
      "more of it",
      ":NS:private",
      ":62F:D000131EUR15,50",
      ":64:C000131EUR0,",
      ":65:D000201EUR1,1",
      ":65:D000202EUR2,2",
      ":86:of the",
      "statement",
      "-}{5:{CHK:0000}}",
    ].join("\n");
    expect(await collect(readMt940(text))).toEqual([
      {
        account: { number: "NL13TEST0123456789", currency: "EUR" },
        reference: "REF",
        number: 12,
        openingBalance: { creditDebit: "Debit", amount: "10.00", date: "1999-12-31" },
        entries: [
          {
            valueDate: "2000-01-02",
            bookingDate: "2000-01-03",
            amount: "5.50",
            creditDebit: "Debit",
            reversal: true,
            transactionCode: "NCHG",
            customerReference: "CUST",
            bankReference: "BANK",
            additionalInformation: "more of it",
          },
        ],
        closingBalance: { creditDebit: "Debit", amount: "15.50", date: "2000-01-31" },
        availableBalance: { creditDebit: "Credit", amount: "0.00", date: "2000-01-31" },
        forwardBalances: [
          { creditDebit: "Debit", amount: "1.10", date: "2000-02-01" },
          { creditDebit: "Debit", amount: "2.20", date: "2000-02-02" },
        ],
        information: "of the statement",
      },
    ]);
  });

  test.each([
    [["DE89 3704 0044 0532 0130 00"], { number: "DE89370400440532013000" }],
    [["DE89370400440532013000 EUR"], { number: "DE89370400440532013000" }],
    [["0129199999EUR"], { number: "0129199999" }],
    [["37040044/532013000EUR"], { number: "37040044/532013000" }],
    [["TESTDEFF/532013000EUR"], { number: "532013000", bic: "TESTDEFF" }],
    [["NL13TEST0123456789", "TESTNL2AXXX"], { number: "NL13TEST0123456789", bic: "TESTNL2AXXX" }],
    [["ACCOUNTOFEUR"], { number: "ACCOUNTOFEUR" }],
  ])("the account of :25:%j", async (account, expected) => {
    const text = message([]).replace(":25:NL13TEST0123456789", `:25P:${account.join("\r\n")}`);
    const [found] = await collect(readMt940(text));
    expect(found!.account).toEqual({ ...expected, currency: "EUR" });
  });

  test("the entry date is of the year next to the value date", async () => {
    const found = await readEntries([
      ":61:2512310102C1,NTRFNONREF",
      ":61:2601021231D1,NTRFNONREF",
      ":61:240229D0,NTRFNONREF",
    ]);
    expect(found.map(({ bookingDate }) => bookingDate)).toEqual(["2026-01-02", "2025-12-31", "2024-02-29"]);
  });

  test("blank parts of :61:, and 30 February", async () => {
    const found = await readEntries([
      ":61:260115    C0,NTRFNONREF",
      ":61:2602300302D0,S   NONREF",
      ":61:240229C 0,S103NONREF",
      ":61:240230C0,NTRFNONREF",
    ]);
    expect(
      found.map(({ valueDate, bookingDate, transactionCode }) => [valueDate, bookingDate, transactionCode]),
    ).toEqual([
      ["2026-01-15", "2026-01-15", "NTRF"],
      ["2026-02-28", "2026-03-02", "S"],
      ["2024-02-29", "2024-02-29", "S103"],
      ["2024-02-29", "2024-02-29", "NTRF"],
    ]);
  });

  test.each([
    ["15.01.26C1,NTRFREF", /value date must be six digits, YYMMDD; found "15\.01/],
    ["260115X1,NTRFREF", /expected C, D, RC or RD .*; found "X1,/],
    ["260115C1.00NTRFREF", /a decimal comma; found "1\.00NTRF/],
    ["260115C1.000,00NTRFREF", /a decimal comma; found "1\.000/],
    ["260115C100,00NONREF", /expected a transaction type .*, for example NTRF; found "NONREF"/],
    ["260115C100,00", /expected a transaction type .*, for example NTRF; found ""/],
  ])(":61:%s: the error says which part is wrong", async (content, expected) => {
    await expect(readEntries([`:61:${content}`])).rejects.toMatchObject({ code: "invalid", field: ":61:" });
    await expect(readEntries([`:61:${content}`])).rejects.toThrow(expected);
  });

  test("supplementary details longer than allowed, and references too", async () => {
    const [found] = await readEntries([
      `:61:260115C0,NTRF${"A".repeat(20)}//${"B".repeat(20)}`,
      "C".repeat(60),
    ]);
    expect(found).toMatchObject({
      customerReference: "A".repeat(20),
      bankReference: "B".repeat(20),
      additionalInformation: "C".repeat(60),
    });
  });

  test.each(["EREF", "PREF", "MARF", "KREF+", "EREF//PREF"])(
    "%s in :61: points to a reference in :86:",
    async (pointer) => {
      const [found] = await readEntries([`:61:260115C0,NTRF${pointer}`, ":86:/EREF/E-1/PREF/P-1/"]);
      expect(found).toMatchObject({ endToEndId: "E-1", customerReference: "P-1" });
      expect(found).not.toHaveProperty("bankReference");
    },
  );

  test("amounts that floating point cannot hold", async () => {
    const [found] = await readEntries(
      [":61:260115C12345678901234567,89NTRFNONREF"],
      ":62F:C260131EUR12345678901234667,89",
    );
    expect(found!.amount).toBe("12345678901234567.89");
  });

  test("the third letter of the currency, and amounts in supplementary details", async () => {
    const [found] = await readEntries([":61:2601150115CR0,FMSCNONREF", "/OCMT/USD1,5/CHGS/EUR0,25/"]);
    expect(found).toMatchObject({
      transactionCode: "FMSC",
      instructedAmount: { amount: "1.5", currency: "USD" },
      charges: { amount: "0.25", currency: "EUR" },
    });
  });

  test("statements of several accounts, with other text around them", async () => {
    const one = message([]);
    const other = message([]).replace("NL13TEST0123456789", "TESTUS33/12345").replaceAll("EUR", "USD");
    const found = await collect(readMt940(["HEADER OF THE BANK", one, "940", other].join("\r\n")));
    expect(found.map(({ account }) => account)).toEqual([
      { number: "NL13TEST0123456789", currency: "EUR" },
      { number: "12345", bic: "TESTUS33", currency: "USD" },
    ]);
  });

  test("piece by piece, before the end has come", async () => {
    const text = message([":61:260115C1,NTRFNONREF", ":61:260116D1,NTRFNONREF"]);
    const kinds: string[] = [];
    const broken = `${text.slice(0, text.indexOf(":62F:"))}:62F:nonsense`;
    const read = async () => {
      for await (const { kind, line } of readMt940Parts(toPieces(broken, 7))) kinds.push(`${kind} ${line}`);
    };
    await expect(read()).rejects.toMatchObject({ code: "invalid", field: ":62F:", line: 7 });
    expect(kinds).toEqual(["opening 4", "entry 5", "entry 6"]);
  });

  test("control characters around messages, and lines that say their kind", async () => {
    const sound = message([":61:260115C0,NTRFREF", ":86:Rent"]);
    const around = `\x01${sound.slice(0, -1)}-\x03\r\n:940:\r\n${sound.slice(0, -3)}\r\n:940:\r\n${sound}\x1a`;
    const [one] = await collect(readMt940(sound));
    expect(await collect(readMt940(around))).toEqual([one, one, one]);
  });
});

describe("malformed files are reported by tag and line", () => {
  const sound = message([":61:260115C1,NTRFNONREF"], ":62F:C260131EUR101,00");
  test.each<[string, (text: string) => string, Partial<FormatError>]>([
    [
      "a balance that does not add up",
      (text) => text.replace("101,00", "101,01"),
      { code: "balance", field: ":62F:", line: 6 },
    ],
    ["no account", (text) => text.replace(/:25:.*\r\n/, ""), { code: "missing", field: ":60F:", line: 3 }],
    [
      "no statement number",
      (text) => text.replace(/:28C:.*\r\n/, ""),
      { code: "missing", field: ":60F:", line: 3 },
    ],
    [
      "no opening balance",
      (text) => text.replace(/:60F:.*\r\n/, ""),
      { code: "misplaced", field: ":61:", line: 4 },
    ],
    [
      "neither balances nor entries",
      (text) => text.replace(/:60F:[^]*(?=-$)/, ""),
      { code: "missing", field: ":60F:", line: 4 },
    ],
    [
      "no closing balance",
      (text) => text.replace(/:62F:.*\r\n/, ""),
      { code: "missing", field: ":62F:", line: 6 },
    ],
    [
      "two opening balances",
      (text) => text.replace(/(:25:[^]*?:60F:.*\r\n)/, "$1$1"),
      { code: "misplaced", field: ":60F:", line: 7 },
    ],
    [
      "a mark that is none",
      (text) => text.replace("260115C", "260115X"),
      { code: "invalid", field: ":61:", line: 5 },
    ],
    [
      "a day that does not exist",
      (text) => text.replace("260115", "260231"),
      { code: "invalid", field: ":61:", line: 5 },
    ],
    [
      "an entry date that does not exist",
      (text) => text.replace("260115", "2601150230"),
      { code: "invalid", field: ":61:", line: 5 },
    ],
    [
      "another currency at the end",
      (text) => text.replace("260131EUR", "260131USD"),
      { code: "invalid", field: ":62F:", line: 6 },
    ],
    [
      "an entry after the end",
      (text) => `${text.slice(0, -1)}:61:260115C1,NTRFNONREF`,
      { code: "misplaced", field: ":61:", line: 7 },
    ],
    [
      "an available balance before the end",
      (text) => text.replace(":61:", ":64:C260131EUR1,\r\n:61:"),
      { code: "misplaced", field: ":64:", line: 5 },
    ],
    [
      "a number that is none",
      (text) => text.replace(":28C:1/1", ":28C:one"),
      { code: "invalid", field: ":28C:", line: 3 },
    ],
    ["a text of another kind", () => "date;amount\r\n1;2", { code: "unrecognised", field: ":20:", line: 2 }],
  ])("%s", async (_, broken, expected) => {
    const read = () => collect(readMt940(broken(sound)));
    await expect(read()).rejects.toBeInstanceOf(FormatError);
    await expect(read()).rejects.toMatchObject({ format: "MT940", ...expected });
  });

  test.each([
    ["nothing", ""],
    ["a statement of another account", message([]).replace("NL13", "NL14")],
    ["another statement of the account", message([]).replace(":28C:1/1", ":28C:2/1")],
  ])("a message that announces another, and %s follows", async (_, next) => {
    const first = message([":61:260115C1,NTRFNONREF"], ":62M:C260131EUR101,00");
    await expect(collect(readMt940(`${first}\r\n${next}`))).rejects.toMatchObject({
      code: "missing",
      field: ":62M:",
      line: 6,
    });
  });

  test("names a missing tag as it is written", async () => {
    await expect(collect(readMt940(message([]).replace(/:28C:.*\r\n/, "")))).rejects.toThrow(
      ":28C: is missing before",
    );
  });

  test("a message that is left out", async () => {
    const first = message([], ":62M:C260131EUR100,00");
    const third = message([]).replace(":60F:", ":60M:").replace(":28C:1/1", ":28C:1/3");
    await expect(collect(readMt940(`${first}\r\n${third}`))).rejects.toMatchObject({
      code: "misplaced",
      field: ":28C:",
      line: 9,
    });
    expect(await collect(readMt940(`${first}\r\n${third.replace("1/3", "1/2")}`))).toHaveLength(1);
  });

  test("a message that goes on with another balance than the one before it", async () => {
    const first = message([":61:260115C1,NTRFNONREF"], ":62M:C260131EUR101,00");
    const second = message([]).replace(":60F:C260101EUR100,", ":60M:C260131EUR102,");
    await expect(collect(readMt940(`${first}\r\n${second}`))).rejects.toMatchObject({
      code: "balance",
      field: ":60M:",
      line: 11,
    });
  });
});
