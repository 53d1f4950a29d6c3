/** MT940: what exactly is written, and what banks write. */
import * as fc from "fast-check";
import {
  type Entry,
  FormatError,
  readMt940,
  readMt940Parts,
  textOf,
  writeMt940,
} from "../../../core/formats";
import { all, anyStatement, entry, inPieces, statement } from "./statements";

const written = (...args: Parameters<typeof writeMt940>) => textOf(writeMt940(...args));
const lines = (text: string) => text.split("\r\n").slice(0, -1);

/** A message as a bank might write it: an opening of 100.00, and a closing that the caller gives. */
const message = (content: readonly string[], closing = ":62F:C260131EUR100,00") =>
  [":20:REF", ":25:NL13TEST0123456789", ":28C:1/1", ":60F:C260101EUR100,", ...content, closing, "-"].join(
    "\r\n",
  );

async function entriesOf(content: readonly string[], closing?: string): Promise<readonly Entry[]> {
  const [found] = await all(readMt940(message(content, closing)));
  return found!.entries;
}

/** The entry of a :61: of nothing with an :86: of these lines. */
async function said(...information: string[]): Promise<Entry> {
  const [first, ...others] = information;
  const [found] = await entriesOf([":61:2601150115C0,NTRFNONREF", `:86:${first}`, ...others]);
  return found!;
}

describe("writing", () => {
  const invoice = entry({
    creditDebit: "Debit",
    amount: "12.5",
    bookingDate: "2026-01-02",
    valueDate: "2025-12-31",
    customerReference: "INV-1",
    bankReference: "B//2",
    endToEndId: "FI/21",
    counterparty: { name: "Müller & Söhne", account: "BE70 0000 1234 5678", bic: "TESTBEBB" },
    creditorReference: "090933755493",
    remittance: "Invoice 4711",
    instructedAmount: { amount: "13.60", currency: "USD" },
    additionalInformation: "Outgoing transfer",
  });

  test("sub-tags say the parts of an entry in words between slashes", async () => {
    expect(lines(await written([statement([invoice], { reference: "/S//1/" })], { subTags: true }))).toEqual([
      ":20:S/1",
      ":25:NL13TEST0123456789",
      ":28C:00001/00001",
      ":60F:C260101EUR100,00",
      ":61:2512310102D12,50NTRFINV-1//B/2",
      "Outgoing transfer",
      ":86:/EREF/FI/21/BENM//NAME/Muller + Sohne/CNTP/BE70000012345678/TESTB",
      "EBB///OCMT/USD13,60/REMI/STRD/CUR/090933755493/REMI/USTD//Invoice",
      " 4711",
      ":62F:C260131EUR87,50",
      "-",
    ]);
  });

  test("a reference that is too long is left out: a part of it would be a wrong one", async () => {
    const long = {
      ...invoice,
      endToEndId: "x".repeat(36),
      customerReference: "c".repeat(17),
      bankReference: "b".repeat(17),
    };
    const text = await written([statement([long], { reference: "r".repeat(17) })], { subTags: true });
    expect(text).toContain(":20:NONREF\r\n");
    expect(text).toContain("NTRFNONREF\r\n");
    const [read] = await all(readMt940(text));
    expect(read!.entries[0]).not.toHaveProperty("endToEndId");
    expect(read!.entries[0]!.remittance).toBe(invoice.remittance);
  });

  test("a name that is cut at a word of its own is read as it was written", async () => {
    const counterparty = { name: `${"x".repeat(65)}/EREFERENCE` };
    const [read] = await all(
      readMt940(await written([statement([{ ...invoice, counterparty }])], { subTags: true })),
    );
    expect(read!.entries[0]!.counterparty).toEqual({ name: `${"x".repeat(65)} EREF` });
    expect(read!.entries[0]!.remittance).toBe(invoice.remittance);
  });

  test("without sub-tags :86: is text for people", async () => {
    expect(lines(await written([statement([invoice])])).slice(6, 8)).toEqual([
      ":86:FI/21 Muller + Sohne BE70 0000 1234 5678 090933755493 Invoice",
      "4711",
    ]);
  });

  test.each([
    ["JPY", "500", ":62F:C260131JPY500,"],
    ["BHD", "1.2", ":62F:C260131BHD1,200"],
    ["EUR", "999999999999", ":62F:C260131EUR999999999999,00"],
  ])("amounts have a comma and the decimals of %s", async (currency, amount, expected) => {
    const balance = { creditDebit: "Credit", amount, date: "2026-01-31" } as const;
    const account = { number: "12345", currency };
    const text = await written([
      statement([], { account, openingBalance: balance, closingBalance: balance }),
    ]);
    expect(lines(text)).toContain(expected);
  });

  test("a reversal is marked by what it takes back", async () => {
    const back = [entry({ reversal: true }), entry({ reversal: true, creditDebit: "Debit" })];
    const text = await written([statement(back)]);
    expect(lines(text).filter((line) => line.startsWith(":61:"))).toEqual([
      ":61:2601150115RD10,00NTRFNONREF",
      ":61:2601150115RC10,00NTRFNONREF",
    ]);
  });

  test("a reference that reads as a pointer is not written as one", async () => {
    const text = await written([statement([entry({ customerReference: "EREF", bankReference: "KREF+" })])]);
    expect(lines(text)[4]).toBe(":61:2601150115C10,00NTRFNONREF");
  });

  test("the statement number keeps to five digits", async () => {
    expect(lines(await written([statement([], { number: 1_234_567 })]))).toContain(":28C:34567/00001");
  });

  test("a long statement goes on in further messages, each of which balances for itself", async () => {
    const long = statement(Array.from({ length: 40 }, () => entry({ remittance: "word ".repeat(60) })));
    const text = await written([long], { subTags: true });
    const messages = text.split("-\r\n").slice(0, -1);
    expect(messages.length).toBeGreaterThan(5);
    for (const each of messages) expect(each.length).toBeLessThanOrEqual(2000 - 3);
    expect(messages.map((each) => /:28C:(.*)\r/.exec(each)![1])).toEqual(
      messages.map((_, index) => `00001/${String(index + 1).padStart(5, "0")}`),
    );
    expect(messages[0]).toContain(":60F:C260101EUR100,00");
    expect(messages[0]!.split(":62M:")[1]).toBe(messages[1]!.split(":60M:")[1]!.split("\r\n")[0] + "\r\n");
    expect(messages.at(-1)).toContain(":62F:C260131EUR500,00");
    const [found, ...others] = await all(readMt940(text));
    expect(found!.entries).toHaveLength(40);
    expect(others).toEqual([]);
  });

  test("an intermediate balance is of the last entry's day", async () => {
    const days = ["2026-01-05", "2026-01-06"].map((bookingDate) =>
      Array.from({ length: 12 }, () => entry({ bookingDate, remittance: "word ".repeat(60) })),
    );
    const text = await written([statement(days.flat())]);
    const dates = [...text.matchAll(/:6[02]M:C(\d{6})/g)].map(([, date]) => date);
    expect(new Set(dates)).toEqual(new Set(["260105", "260106"]));
  });

  test("whatever is written is of the SWIFT character set, in short lines, none of which begins like a tag or an end", async () => {
    await fc.assert(
      fc.asyncProperty(anyStatement, fc.boolean(), async (any, subTags) => {
        for (const line of lines(await written([any], { subTags }))) {
          expect(line).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]*$/);
          if (line === "-") continue;
          expect(line).toMatch(/^(:(20|25|28C|60[FM]|61|62[FM]|64|65|86):|[^:-])/);
          const [, tag, content = ""] = /^(:\d\d[A-Z]?:)?(.*)$/.exec(line)!;
          const most: Record<string, number> = { ":20:": 16, ":25:": 35, ":28C:": 11, ":61:": 69 };
          expect(content.length).toBeLessThanOrEqual(most[tag ?? ""] ?? 65);
        }
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, Parameters<typeof statement>, Partial<FormatError>]>([
    [
      "more decimals than the currency has",
      [[entry({ amount: "1.005" })]],
      { code: "invalid", field: ":61:" },
    ],
    [
      "an amount that is none",
      [[], { openingBalance: { creditDebit: "Credit", amount: "1,5", date: "2026-01-01" } }],
      { code: "invalid", field: ":60F:" },
    ],
    [
      "a negative amount",
      [[], { openingBalance: { creditDebit: "Credit", amount: "-1", date: "2026-01-01" } }],
      { code: "invalid", field: ":60F:" },
    ],
    ["a day that does not exist", [[entry({ valueDate: "2026-02-30" })]], { code: "invalid", field: ":61:" }],
    [
      "a year that two digits cannot say",
      [[entry({ bookingDate: "1979-12-31" })]],
      { code: "invalid", field: ":61:" },
    ],
    [
      "an amount that is too long",
      [[entry({ amount: "9999999999999" })]],
      { code: "too_long", field: ":61:" },
    ],
    [
      "a balance that does not add up",
      [[], { closingBalance: { creditDebit: "Credit", amount: "1", date: "2026-01-01" } }],
      { code: "balance", field: ":62F:" },
    ],
    [
      "no account number",
      [[], { account: { number: " ", currency: "EUR" } }],
      { code: "missing", field: ":25:" },
    ],
    [
      "a currency that is none",
      [[], { account: { number: "1", currency: "EURO" } }],
      { code: "invalid", field: ":60F:" },
    ],
    ["a number that is none", [[], { number: -1 }], { code: "invalid", field: ":28C:" }],
  ])("%s is refused", async (_, [entries, fields], expected) => {
    const broken = () => written([made(entries, fields)]);
    await expect(broken()).rejects.toBeInstanceOf(FormatError);
    await expect(broken()).rejects.toMatchObject({ format: "MT940", ...expected });
  });
});

/** A statement that the helper cannot add up itself. */
function made(...[entries = [], fields = {}]: Parameters<typeof statement>) {
  const sound = statement(
    entries.map((item) => ({ ...item, amount: /^\d+(\.\d+)?$/.test(item.amount) ? item.amount : "0" })),
  );
  return { ...sound, ...fields, entries };
}

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
    expect(await all(readMt940(text))).toEqual([
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
    const [found] = await all(readMt940(text));
    expect(found!.account).toEqual({ ...expected, currency: "EUR" });
  });

  test("the entry date is of the year next to the value date", async () => {
    const found = await entriesOf([
      ":61:2512310102C1,NTRFNONREF",
      ":61:2601021231D1,NTRFNONREF",
      ":61:240229D0,NTRFNONREF",
    ]);
    expect(found.map(({ bookingDate }) => bookingDate)).toEqual(["2026-01-02", "2025-12-31", "2024-02-29"]);
  });

  test("what banks leave blank in :61:, and a February of thirty days", async () => {
    const found = await entriesOf([
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
    ["15.01.26C1,NTRFREF", /value date must be six digits, YYMMDD; not "15\.01/],
    ["260115X1,NTRFREF", /before C, D, RC or RD; not "X1,/],
    ["260115C1.00NTRFREF", /a comma before the decimals; not "1\.00NTRF/],
    ["260115C1.000,00NTRFREF", /a comma before the decimals; not "1\.000/],
    ["260115C100,00NONREF", /before the transaction type, as NTRF; not "NONREF"/],
    ["260115C100,00", /before the transaction type, as NTRF; not ""/],
  ])(":61:%s: the error says which part is wrong", async (content, says) => {
    await expect(entriesOf([`:61:${content}`])).rejects.toMatchObject({ code: "invalid", field: ":61:" });
    await expect(entriesOf([`:61:${content}`])).rejects.toThrow(says);
  });

  test("supplementary details longer than allowed, and references too", async () => {
    const [found] = await entriesOf([
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
      const [found] = await entriesOf([`:61:260115C0,NTRF${pointer}`, ":86:/EREF/E-1/PREF/P-1/"]);
      expect(found).toMatchObject({ endToEndId: "E-1", customerReference: "P-1" });
      expect(found).not.toHaveProperty("bankReference");
    },
  );

  test("amounts that floating point cannot hold", async () => {
    const [found] = await entriesOf(
      [":61:260115C12345678901234567,89NTRFNONREF"],
      ":62F:C260131EUR12345678901234667,89",
    );
    expect(found!.amount).toBe("12345678901234567.89");
  });

  test("the third letter of the currency, and amounts in supplementary details", async () => {
    const [found] = await entriesOf([":61:2601150115CR0,FMSCNONREF", "/OCMT/USD1,5/CHGS/EUR0,25/"]);
    expect(found).toMatchObject({
      transactionCode: "FMSC",
      instructedAmount: { amount: "1.5", currency: "USD" },
      charges: { amount: "0.25", currency: "EUR" },
    });
  });

  test("statements of several accounts, with other text around them", async () => {
    const one = message([]);
    const other = message([]).replace("NL13TEST0123456789", "TESTUS33/12345").replaceAll("EUR", "USD");
    const found = await all(readMt940(["HEADER OF THE BANK", one, "940", other].join("\r\n")));
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
      for await (const { kind, line } of readMt940Parts(inPieces(broken, 7))) kinds.push(`${kind} ${line}`);
    };
    await expect(read()).rejects.toMatchObject({ code: "invalid", field: ":62F:", line: 7 });
    expect(kinds).toEqual(["opening 4", "entry 5", "entry 6"]);
  });

  test("control characters around messages, and lines that say their kind", async () => {
    const sound = message([":61:260115C0,NTRFREF", ":86:Rent"]);
    const around = `\x01${sound.slice(0, -1)}-\x03\r\n:940:\r\n${sound.slice(0, -3)}\r\n:940:\r\n${sound}\x1a`;
    const [one] = await all(readMt940(sound));
    expect(await all(readMt940(around))).toEqual([one, one, one]);
  });
});

describe(":86:", () => {
  test("plain text: full lines run on, shorter ones end a word", async () => {
    const full = "x".repeat(65);
    expect((await said(full, "yz end", "of it")).remittance).toBe(`${full}yz end of it`);
  });

  test("words between slashes, cut anywhere by the lines", async () => {
    const text =
      "/EREF/E2E-1/MARF/M1/CSID/NL00ZZZ/ORDP//NAME/A. Person/and/co/REMI/USTD//Invoice 1/2/RTRN/AC04/PURP/SALA/EXCH/1,0845/OCMT/USD12,34/";
    expect(await said(...text.match(/.{1,65}/g)!)).toMatchObject({
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
    } = await said(...text.match(/.{1,65}/g)!);
    expect(found).toEqual(expected);
  });

  test("lines that are not full break words only in text", async () => {
    expect(
      await said(
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
    expect(await said("166?00X?20EREF+E2E-1 of?21-2?31BE70 0000 1234 5678")).toMatchObject({
      endToEndId: "E2E-1 of-2",
      counterparty: { account: "BE70000012345678" },
    });
  });

  test("a counterparty's account in the second line of :61:, where :86: says none", async () => {
    const details = (...information: string[]) =>
      entriesOf([":61:260115C0,NTRFNONREF", "BE70000012345678", ...information]);
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
    expect(await said(...text.match(/.{1,65}/g)!)).toMatchObject({
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
    const found = await said(...text.match(/.{1,65}/g)!);
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
    const [found] = await entriesOf([":61:260115C0,NTRFNONREF", ":86:x", ...more]);
    expect(found!.remittance).toHaveLength(600_001);
  });

  test("numbered subfields without keys are the remittance", async () => {
    expect((await said("051?00CREDIT?20Rent?21of May?60and June")).remittance).toBe("Rent of May and June");
  });
});

describe("what is broken is named by tag and line", () => {
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
    const read = () => all(readMt940(broken(sound)));
    await expect(read()).rejects.toBeInstanceOf(FormatError);
    await expect(read()).rejects.toMatchObject({ format: "MT940", ...expected });
  });

  test.each([
    ["nothing", ""],
    ["a statement of another account", message([]).replace("NL13", "NL14")],
    ["another statement of the account", message([]).replace(":28C:1/1", ":28C:2/1")],
  ])("a message that announces another, and %s follows", async (_, next) => {
    const first = message([":61:260115C1,NTRFNONREF"], ":62M:C260131EUR101,00");
    await expect(all(readMt940(`${first}\r\n${next}`))).rejects.toMatchObject({
      code: "missing",
      field: ":62M:",
      line: 6,
    });
  });

  test("what is missing is named as it is written", async () => {
    await expect(all(readMt940(message([]).replace(/:28C:.*\r\n/, "")))).rejects.toThrow("no :28C: before");
  });

  test("a message that is left out", async () => {
    const first = message([], ":62M:C260131EUR100,00");
    const third = message([]).replace(":60F:", ":60M:").replace(":28C:1/1", ":28C:1/3");
    await expect(all(readMt940(`${first}\r\n${third}`))).rejects.toMatchObject({
      code: "misplaced",
      field: ":28C:",
      line: 9,
    });
    expect(await all(readMt940(`${first}\r\n${third.replace("1/3", "1/2")}`))).toHaveLength(1);
  });

  test("a message that goes on with another balance than the one before it", async () => {
    const first = message([":61:260115C1,NTRFNONREF"], ":62M:C260131EUR101,00");
    const second = message([]).replace(":60F:C260101EUR100,", ":60M:C260131EUR102,");
    await expect(all(readMt940(`${first}\r\n${second}`))).rejects.toMatchObject({
      code: "balance",
      field: ":60M:",
      line: 11,
    });
  });
});
