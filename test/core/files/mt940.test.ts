/** MT940: what banks write, and what is wrong with it. */
import { readMt940, readMt940Parts } from "../../../core/files";
import { collect, problemOf, toPieces } from "./statement-fixtures";
import { readEntries, readEntryWithInformation, message } from "./mt940-messages";

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
    ["260115C1.0NTRFREF", /a decimal comma; found "1\.0NTRF/],
    ["260115C1.000,00NTRFREF", /a decimal comma; found "1\.000/],
    ["260115C100,00REF", /expected a transaction type .*, for example NTRF; found "REF"/],
  ])(":61:%s: the error says which part is wrong", async (content, expected) => {
    await expect(readEntries([`:61:${content}`])).rejects.toMatchObject({ code: "invalid", field: ":61:" });
    await expect(readEntries([`:61:${content}`])).rejects.toThrow(expected);
  });

  test("dialects: a blank before the type, no type, a decimal point, a number of the message alone", async () => {
    const found = await readEntries([
      ":61:2601150115D0,00 NRTIKREF+",
      ":61:260115C0,00",
      ":61:260115C0,00NONREF",
      ":61:260115C0.00NTRFREF",
    ]);
    expect(found.map(({ transactionCode }) => transactionCode)).toEqual(["NRTI", "NMSC", "NMSC", "NTRF"]);
    const [numbered] = await collect(readMt940(message([]).replace(":28C:1/1", ":28C:/1")));
    expect(numbered!.number).toBe(0);
    const text = message([]).replace(":28C:1/1", ":28C:1").replace(":62F:", ":62M:");
    expect((await collect(readMt940(text)))[0]!.violations).toMatchObject([
      { rule: "missing", severity: "warning", field: ":62M:" },
    ]);
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

  test("a dash on a line of its own within :86: is text, if the message goes on after it", async () => {
    const content = [":61:260115C1,NTRFREF", ":86:Rent", "-", ":61:260116D1,NTRFREF", ":86:Fee", "-"];
    const texts = (await readEntries(content)).map(({ remittance }) => remittance);
    expect(texts).toEqual(["Rent -", "Fee -"]);
    const twice = [message(content), "TESTNL2A", message(content)].join("\r\n");
    expect(await collect(readMt940(twice))).toHaveLength(2);
    const broken = message(content).replace(/:62F:.*/, "");
    await expect(collect(readMt940(broken))).rejects.toMatchObject({
      code: "missing",
      field: ":62F:",
      line: 10,
    });
  });

  test.each(["å", "ü"])("%s for the brace after the dash that ends the message", async (letter) => {
    const text = `ä4:\n${message([], ":62F:C260131EUR100,00\n:64:C260131EUR100,00")}${letter}\n`;
    const found = await collect(readMt940(text.repeat(2)));
    expect(found.map(({ availableBalance }) => availableBalance?.amount)).toEqual(["100.00", "100.00"]);
  });

  test("a blank before the dash that ends the message", async () => {
    const [found] = await collect(readMt940(message([]).replace(/-$/, " -")));
    expect(found).toMatchObject({ closingBalance: { amount: "100.00", creditDebit: "Credit" } });
  });

  test("control characters around messages, and lines that say their kind", async () => {
    const sound = message([":61:260115C0,NTRFREF", ":86:Rent"]);
    const around = `\x01${sound.slice(0, -1)}-\x03\r\n:940:\r\n${sound.slice(0, -3)}\r\n:940:\r\n${sound}\x1a`;
    const [one] = await collect(readMt940(sound));
    expect(await collect(readMt940(around))).toEqual([one, one, one]);
  });
});

describe("statements over several messages", () => {
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

describe(":86:", () => {
  test("plain text: full lines run on, shorter ones end a word", async () => {
    const full = "x".repeat(65);
    expect((await readEntryWithInformation(full, "yz end", "of it")).remittance).toBe(`${full}yz end of it`);
  });

  test("words between slashes, cut anywhere by the lines", async () => {
    const text =
      "/EREF/E2E-1/MARF/M1/CSID/NL00ZZZ/ORDP//NAME/A. Person/and/co/REMI/USTD//Invoice 1/2/RTRN/AC04/PURP/SALA/EXCH/1,0845/OCMT/USD12,34/";
    expect(await readEntryWithInformation(...text.match(/.{1,65}/g)!)).toMatchObject({
      endToEndId: "E2E-1",
      mandateId: "M1",
      creditorId: "NL00ZZZ",
      counterparty: { name: "A. Person/and/co" },
      remittance: "Invoice 1/2",
      returnReason: "AC04",
      purpose: "SALA",
      exchangeRate: "1.0845",
      instructedAmount: { amount: "12.34", currency: "USD" },
    });
  });

  test.each([
    [
      "/CNTP/BE70000012345678/TESTBEBB/Some One/CITY//REMI/STRD/CUR/090933755493/",
      {
        counterparty: { account: "BE70000012345678", bic: "TESTBEBB", name: "Some One" },
        creditorReference: "090933755493",
      },
    ],
    [
      "/TRTP/SEPA TRANSFER/IBAN/BE70000012345678/BIC/TESTBEBB/NAME/Some One/REMI/Thanks/EREF/NOTPROVIDED",
      {
        counterparty: { account: "BE70000012345678", bic: "TESTBEBB", name: "Some One" },
        remittance: "Thanks",
      },
    ],
    ["/PURP//CD/EPAY/REMI//STRD/CUR/090933755493/", { purpose: "EPAY", creditorReference: "090933755493" }],
    ["/ORDP//NAME/Payer/ULTD//NAME/Behind/REMI/x", { counterparty: { name: "Payer" }, remittance: "x" }],
  ])("words between slashes: %s", async (text, expected) => {
    const {
      bookingDate: _1,
      valueDate: _2,
      amount: _3,
      creditDebit: _4,
      transactionCode: _5,
      ...found
    } = await readEntryWithInformation(...text.match(/.{1,65}/g)!);
    expect(found).toEqual(expected);
  });

  test("lines that are not full break words only in text", async () => {
    expect(
      await readEntryWithInformation(
        "/EREF/E2E",
        "-1 of 2/CNTP/BE7000001",
        "2345678/TEST",
        "BEBB/Some",
        "One//REMI/USTD//Many",
        "thanks/",
      ),
    ).toMatchObject({
      endToEndId: "E2E-1 of 2",
      counterparty: { account: "BE70000012345678", bic: "TESTBEBB", name: "Some One" },
      remittance: "Many thanks",
    });
    expect(
      await readEntryWithInformation("166?00X?20EREF+E2E-1 of?21-2?31BE70 0000 1234 5678"),
    ).toMatchObject({
      endToEndId: "E2E-1 of-2",
      counterparty: { account: "BE70000012345678" },
    });
  });

  test("a counterparty's account in the second line of :61:, where :86: says none", async () => {
    const details = (...information: string[]) =>
      readEntries([":61:260115C0,NTRFNONREF", "BE70000012345678", ...information]);
    const [alone, named, other] = [
      ...(await details()),
      ...(await details(":86:/BENM//NAME/Some One")),
      ...(await details(":86:/CNTP/NL13TEST0123456789///")),
    ].map(({ counterparty }) => counterparty);
    expect(alone).toEqual({ account: "BE70000012345678" });
    expect(named).toEqual({ account: "BE70000012345678", name: "Some One" });
    expect(other).toEqual({ account: "NL13TEST0123456789" });
  });

  test("numbered subfields after question marks", async () => {
    const text =
      "166?00SEPA-TRANSFER?109310?20EREF+E2E-1?21KREF+K1?22MREF+M1?23CRED+DE00ZZZ?24SVWZ+Invoice 4711 of Janu?25ary, thank you?30TESTDEFF?31DE52000000000012345678?32Some very long name of a co?33mpany?34992";
    expect(await readEntryWithInformation(...text.match(/.{1,65}/g)!)).toMatchObject({
      additionalInformation: "SEPA-TRANSFER",
      endToEndId: "E2E-1",
      customerReference: "K1",
      mandateId: "M1",
      creditorId: "DE00ZZZ",
      remittance: "Invoice 4711 of Janu ary, thank you",
      counterparty: {
        bic: "TESTDEFF",
        account: "DE52000000000012345678",
        name: "Some very long name of a company",
      },
    });
  });

  test("every key of a numbered subfield ends the value before it, and the first of a key counts", async () => {
    const text =
      "109?00RETURN?20EREF+E2E-1?21MREF+M1?22CRED+DE00ZZZ?23DEBT+D1?24OAMT+1200,50?25COAM+EUR 3,?26SVWZ+Rent?27BREF+B1?28RREF+R1?29EREF+other";
    const found = await readEntryWithInformation(...text.match(/.{1,65}/g)!);
    expect(found).toMatchObject({
      endToEndId: "E2E-1",
      mandateId: "M1",
      creditorId: "DE00ZZZ",
      remittance: "Rent",
      instructedAmount: { amount: "1200.50", currency: "EUR" },
      charges: { amount: "3", currency: "EUR" },
    });
  });

  test("more lines than a call takes arguments", async () => {
    const more = Array.from({ length: 300_000 }, () => "x");
    const [found] = await readEntries([":61:260115C0,NTRFNONREF", ":86:x", ...more]);
    expect(found!.remittance).toHaveLength(600_001);
  });

  test("numbered subfields without keys are the remittance", async () => {
    expect((await readEntryWithInformation("051?00CREDIT?20Rent?21of May?60and June")).remittance).toBe(
      "Rent of May and June",
    );
  });
});

describe("interim reports (MT942)", () => {
  const interim = (count: number) =>
    [
      ":20:REF",
      ":25:NL13TEST0123456789EUR",
      ":28C:1/1",
      ":34F:EURD0,",
      ":13D:2601151200+0100",
      ":61:260115C5,NTRFNONREF",
      ":86:Rent",
      ":61:260115EC7,NTRFNONREF",
      ":61:260115D2,NTRFNONREF",
      `:90D:${count}EUR2,`,
      ":90C:2EUR12,",
      "-",
    ].join("\r\n");

  test("have entries without balances, and follow a statement in one file", async () => {
    const [statement, report] = await collect(readMt940(`${message([])}\r\n${interim(1)}`));
    expect(statement!.kind).toBeUndefined();
    expect(report).toMatchObject({
      kind: "Interim",
      account: { number: "NL13TEST0123456789", currency: "EUR" },
      entries: [
        { amount: "5.00", creditDebit: "Credit", remittance: "Rent" },
        { amount: "7.00", creditDebit: "Credit", status: "Future" },
        { amount: "2.00", creditDebit: "Debit" },
      ],
    });
    expect(report).not.toHaveProperty("closingBalance");
    expect(report).not.toHaveProperty("violations");
  });

  test("with totals that the entries do not give are refused", async () => {
    expect(await problemOf(readMt940(interim(2)))).toBe("control_sum :90D: 10");
  });
});

describe("tolerate", () => {
  const sound = message(
    [":61:260115C1,NTRFNONREF", ":86:Rent", ":61:260116C2,NTRFNONREF"],
    ":62F:C260131EUR103,",
  );

  test.each<[string, string, string[], string[]]>([
    ["a sound file", sound, [], ["1.00", "2.00"]],
    [
      "an entry that cannot be read",
      sound.replace(":61:260115C", ":61:260115X"),
      ["invalid :61:", "balance :62F:"],
      ["2.00"],
    ],
    ["a wrong balance", sound.replace("EUR103,", "EUR104,"), ["balance :62F:"], ["1.00", "2.00"]],
    [
      "no closing balance",
      sound.replace(/:62F:.*/, ""),
      ["missing :62F:", "missing :62F:"],
      ["1.00", "2.00"],
    ],
    [
      "no opening balance",
      sound.replace(/:60F:.*\r\n/, ""),
      ["missing :60F:", "missing :62F:"],
      ["1.00", "2.00"],
    ],
    [
      "a damaged opening balance",
      sound.replace(":60F:C", ":60F:X"),
      ["invalid :60F:", "missing :60F:", "missing :62F:"],
      ["1.00", "2.00"],
    ],
  ])("%s", async (_, text, problems, amounts) => {
    const [statement, ...others] = await collect(readMt940(text, { tolerate: true }));
    expect(others).toEqual([]);
    expect(statement!.entries.map(({ amount }) => amount)).toEqual(amounts);
    expect((statement!.violations ?? []).map(({ rule, field }) => `${rule} ${field}`)).toEqual(problems);
  });

  test("text without any statement is still refused", async () => {
    expect(await problemOf(readMt940("Dear customer,", { tolerate: true }))).toBe("unrecognised :20: 1");
  });
});
