/** camt.052, .053 and .054: what banks write in all versions, and what is wrong with it. */
import * as fc from "fast-check";
import { Big } from "big.js";
import { FormatError, readCamt, readCamtParts, signedAmount, type Statement } from "../../../core/files";
import { account, amount, balance, camt053, details, entry, message } from "./camt-documents";
import { collect, problemOf, readOutcome, toPieces } from "./statement-fixtures";

const readOne = async (text: string): Promise<Statement> => (await collect(readCamt(text)))[0]!;

const transaction = `<Refs><MsgId>MSG</MsgId><AcctSvcrRef>BANK</AcctSvcrRef><PmtInfId>PMT</PmtInfId><InstrId>INSTR</InstrId>
<EndToEndId>E2E</EndToEndId><UETR>8a562c67-ca16-48ba-b074-65581be6f001</UETR><TxId>TX</TxId><MndtId>MANDATE</MndtId></Refs>
${amount("10.00")}<AmtDtls><InstdAmt><Amt Ccy="USD">10.9</Amt></InstdAmt><TxAmt><Amt Ccy="EUR">10.00</Amt><CcyXchg><SrcCcy>USD</SrcCcy>
<TrgtCcy>EUR</TrgtCcy><UnitCcy>EUR</UnitCcy><XchgRate>1.09</XchgRate></CcyXchg></TxAmt></AmtDtls>
<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">1.50</TtlChrgsAndTaxAmt><Rcrd><Amt Ccy="EUR">1.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd>
<Rcrd><Amt Ccy="EUR">0.50</Amt></Rcrd></Chrgs>
<RltdPties><Dbtr><Pty><Nm>Payer &amp; Co</Nm><PstlAdr><StrtNm>Main Street</StrtNm><BldgNb>1</BldgNb><PstCd>1000</PstCd><TwnNm>Town</TwnNm>
<Ctry>BE</Ctry><AdrLine>c/o Someone</AdrLine></PstlAdr><Id><OrgId><LEI>549300XRMM35S0XIH427</LEI><Othr><Id>VAT1</Id></Othr></OrgId></Id></Pty></Dbtr>
<DbtrAcct><Id><IBAN>BE70 0000 1234 5678</IBAN></Id></DbtrAcct><UltmtDbtr><Pty><Nm>Behind</Nm></Pty></UltmtDbtr></RltdPties>
<RltdAgts><DbtrAgt><FinInstnId><BICFI>TESTBEBB</BICFI><Nm>Bank</Nm></FinInstnId></DbtrAgt></RltdAgts>
<Purp><Cd>GDDS</Cd></Purp><RmtInf><Ustrd>Invoice</Ustrd><Ustrd>4711</Ustrd><Strd><RfrdDocInf><Tp><CdOrPrtry><Cd>CINV</Cd></CdOrPrtry></Tp>
<Nb>4711</Nb><RltdDt>2026-10-01</RltdDt></RfrdDocInf><RfrdDocAmt><RmtdAmt Ccy="EUR">10</RmtdAmt></RfrdDocAmt>
<CdtrRefInf><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf>
<RtrInf><Rsn><Cd>AC04</Cd></Rsn><AddtlInf>closed</AddtlInf></RtrInf>`;

const readTransaction = {
  bookingDate: "2026-11-16",
  valueDate: "2026-11-17",
  amount: "10.00",
  creditDebit: "Credit",
  bankTransactionCode: "PMNT-RCDT-ESCT",
  messageId: "MSG",
  bankReference: "BANK",
  paymentInformationId: "PMT",
  customerReference: "INSTR",
  endToEndId: "E2E",
  uetr: "8a562c67-ca16-48ba-b074-65581be6f001",
  transactionId: "TX",
  mandateId: "MANDATE",
  instructedAmount: { amount: "10.90", currency: "USD" },
  exchangeRate: "1.09",
  exchange: { source: "USD", target: "EUR", unit: "EUR" },
  charges: { amount: "1.50", currency: "EUR" },
  chargeRecords: [
    { amount: "1.00", currency: "EUR", creditDebit: "Debit", included: true },
    { amount: "0.50", currency: "EUR" },
  ],
  counterparty: {
    name: "Payer & Co",
    account: "BE70000012345678",
    bic: "TESTBEBB",
    bankName: "Bank",
    id: "VAT1",
    lei: "549300XRMM35S0XIH427",
    address: {
      street: "Main Street",
      buildingNumber: "1",
      postCode: "1000",
      town: "Town",
      country: "BE",
      lines: ["c/o Someone"],
    },
  },
  ultimateCounterparty: "Behind",
  purpose: "GDDS",
  remittance: "Invoice 4711",
  documents: [
    { type: "CINV", number: "4711", date: "2026-10-01", amount: { amount: "10.00", currency: "EUR" } },
  ],
  creditorReference: "RF18539007547034",
  returnReason: "AC04",
  returnText: "closed",
};

const readStatement = {
  account: { number: "NL13TEST0123456789", currency: "EUR", holder: "Holder", bic: "TESTNL2A" },
  reference: "S1",
  number: 12,
  openingBalance: { creditDebit: "Credit", amount: "100.00", date: "2026-11-16" },
  closingBalance: { creditDebit: "Credit", amount: "110.00", date: "2026-11-16" },
};

const full = camt053({
  closing:
    balance("CLBD", "110.00") + balance("ITBD", "7") + balance("FWAV", "8") + balance("CLAV", "0", "DBIT"),
  entries: entry("10.00", "CRDT", details(transaction)),
});

describe("reading", () => {
  test("all of a statement", async () => {
    const date = "2026-11-16";
    expect(await readOne(full)).toEqual({
      ...readStatement,
      availableBalance: { creditDebit: "Credit", amount: "0.00", date },
      forwardBalances: [{ creditDebit: "Credit", amount: "8.00", date }],
      otherBalances: [{ type: "ITBD", currency: "EUR", creditDebit: "Credit", amount: "7.00", date }],
      entries: [readTransaction],
    });
  });

  const old = full
    .replaceAll("BICFI>", "BIC>")
    .replaceAll(/<\/?Pty>/g, "")
    .replaceAll("<Sts><Cd>BOOK</Cd></Sts>", "<Sts>BOOK</Sts>")
    .replace("camt.053.001.08", "camt.053.001.02");

  test.each([
    ["version .02", old],
    ["a prefix", full.replaceAll(/<(\/?)(?=[A-Z])/g, "<$1doc:").replace("xmlns=", "xmlns:doc=")],
    [
      "an envelope",
      full.replace("<Document", "<Envelope><Header><Id>1</Id></Header><Document") + "</Envelope>",
    ],
    [
      "extensions of the bank",
      full.replace("<Refs>", "<SplmtryData><Envlp><Amt/></Envlp></SplmtryData><Refs>"),
    ],
    ["the account after the entries", full.replace(account, "").replace("\n</Stmt>", `${account}</Stmt>`)],
    ["the balances after the entries", moveBalances(full)],
    [
      "a time of booking",
      full.replaceAll("<Dt>2026-11-16</Dt></BookgDt>", "<DtTm>2026-11-16T23:59:00-05:00</DtTm></BookgDt>"),
    ],
    ["CDATA and comments", full.replace("Payer &amp; Co", "<!-- who --><![CDATA[Payer & Co]]>")],
    ["padded amounts", full.replaceAll(">10.00<", "> 0000000010.00\n<")],
  ])("%s makes no difference", async (_, text) => {
    if (text === old) expect(text).not.toBe(full);
    expect(await readOne(text)).toEqual(await readOne(full));
  });

  function moveBalances(text: string): string {
    const balances = /<Bal>.*<\/Bal>/s.exec(text)![0];
    return text.replace(balances, "").replace("\n</Stmt>", `${balances}</Stmt>`);
  }

  test("details of a batch, with charges between them and the entry", async () => {
    const batch = "<NtryDtls><Btch><MsgId>M</MsgId><NbOfTxs>2</NbOfTxs></Btch>";
    const inside = details(
      `<Refs><EndToEndId>A</EndToEndId></Refs>${amount("8")}`,
      `<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>${amount("3")}<Chrgs><Rcrd>${amount("1", "DBIT")}</Rcrd></Chrgs>`,
    ).replace("<NtryDtls>", batch);
    const { entries } = await readOne(
      camt053({ closing: balance("CLBD", "110.00"), entries: entry("10.00", "CRDT", inside) }),
    );
    expect(entries[0]).toMatchObject({
      amount: "10.00",
      batch: { messageId: "M", count: 2 },
      details: [
        { amount: "8.00", endToEndId: "A" },
        { amount: "3.00", charges: { amount: "1.00", currency: "EUR" } },
      ],
    });
  });

  test.each([1, 2])("%d details of an amount of 0, which stands for one not known", async (count) => {
    const inside = details(...Array<string>(count).fill(amount("0")));
    const { entries, violations } = await readOne(camt053({ entries: entry("5.50", "CRDT", inside) }));
    expect(entries[0]).toMatchObject({ amount: "5.50" });
    const warning = { rule: "missing", severity: "warning" };
    expect(violations ?? []).toEqual(count === 1 ? [] : [expect.objectContaining(warning)]);
  });

  test("the other party of a debit, and of a reversed credit", async () => {
    const inside = details(
      `<RltdPties><Dbtr><Nm>Debtor</Nm></Dbtr><Cdtr><Nm>Creditor</Nm></Cdtr></RltdPties>`,
    );
    const reversed = entry("1", "DBIT", inside).replace("<Sts>", "<RvslInd>1</RvslInd><Sts>");
    const { entries } = await readOne(
      camt053({ closing: balance("CLBD", "98"), entries: entry("1", "DBIT", inside) + reversed }),
    );
    expect(entries.map(({ counterparty, reversal }) => [counterparty?.name, reversal])).toEqual([
      ["Creditor", undefined],
      ["Debtor", true],
    ]);
  });

  test("pending entries, which do not change the booked balance", async () => {
    const pending = entry("7.00").replace("BOOK", "PDNG");
    const { entries } = await readOne(camt053({ entries: entry("5.50") + pending }));
    expect(entries.map(({ status }) => status)).toEqual([undefined, "Pending"]);
  });

  test("an interim report and a notification, without balances", async () => {
    const report = message("camt.052.001.06", "BkToCstmrAcctRpt", "Rpt", account + entry("1"));
    const undated = entry("1").replace(/<BookgDt>.*<\/ValDt>/, "");
    const notification = message("camt.054.001.08", "BkToCstmrDbtCdtNtfctn", "Ntfctn", account + undated);
    expect(await readOne(report)).toEqual({
      kind: "Interim",
      account: readStatement.account,
      reference: "S1",
      number: 12,
      entries: [expect.objectContaining({ amount: "1.00" })],
    });
    expect(await readOne(notification)).toMatchObject({
      kind: "Notification",
      entries: [{ bookingDate: "2026-11-17" }],
      violations: [{ rule: "missing", severity: "warning", field: "Ntry/BookgDt" }],
    });
  });

  test("an account without a currency or balances has that of its first entry, and .5 is an amount", async () => {
    const bare = account.replace("<Ccy>EUR</Ccy>", "") + entry(".50") + entry("1");
    expect(await readOne(message("camt.053.001.02", "BkToCstmrStmt", "Stmt", bare))).toMatchObject({
      account: { currency: "EUR" },
      entries: [{ amount: "0.50" }, { amount: "1.00" }],
    });
  });

  test("several statements, in pieces of any size, entry by entry", async () => {
    const [statement] = /<Stmt>.*<\/Stmt>/s.exec(camt053())!;
    const text = camt053().replace(statement, `${statement}${statement.replace("NL13", "NL14")}`);
    const whole = await collect(readCamt(text));
    expect(whole.map((each) => each.account.number.slice(0, 4))).toEqual(["NL13", "NL14"]);
    expect(await collect(readCamt(toPieces(text, 7)))).toEqual(whole);
    const kinds: string[] = [];
    const cut = text.slice(0, text.lastIndexOf("</Stmt>"));
    await expect(
      (async () => {
        for await (const { kind } of readCamtParts(cut)) kinds.push(kind);
      })(),
    ).rejects.toMatchObject({ code: "invalid" });
    expect(kinds).toEqual(["opening", "entry", "entry", "closing", "opening", "entry", "entry"]);
  });

  test("amounts that floating point cannot hold", async () => {
    const { entries } = await readOne(
      camt053({ closing: balance("CLBD", "12345678901234667.89"), entries: entry("12345678901234567.89") }),
    );
    expect(entries[0]!.amount).toBe("12345678901234567.89");
  });
});

const broken: [string, string, string, number][] = [
  [
    "a closing balance that the entries do not give",
    camt053({ closing: balance("CLBD", "105.51") }),
    "balance Bal",
    2,
  ],
  ["an amount with a sign", camt053().replace(">10.00<", ">-10.00<"), "invalid Ntry/Amt", 1],
  ["an amount with an exponent", camt053().replace(">10.00<", ">1e1<"), "invalid Ntry/Amt", 1],
  [
    "two amounts",
    camt053().replace('<Amt Ccy="EUR">10.00</Amt>', '$&<Amt Ccy="EUR">11.00</Amt>'),
    "invalid Ntry/Amt",
    1,
  ],
  ["another currency", camt053().replace('Ccy="EUR">10.00', 'Ccy="USD">10.00'), "invalid Ntry/Amt", 1],
  ["no direction", camt053().replace("<CdtDbtInd>DBIT</CdtDbtInd>", ""), "missing Ntry/CdtDbtInd", 1],
  ["an unknown status", camt053().replace("BOOK", "DONE"), "invalid Ntry/Sts", 2],
  [
    "a day that does not exist",
    camt053().replace("2026-11-17</Dt></ValDt>", "2026-11-31</Dt></ValDt>"),
    "invalid Ntry/ValDt",
    2,
  ],
  [
    "details that do not give the entry",
    camt053({ entries: entry("5.50", "CRDT", details(amount("2"), amount("3"))) }),
    "control_sum Ntry/NtryDtls",
    1,
  ],
  [
    "another sum of credits",
    camt053().replace("<Ntry>", "<TxsSummry><TtlCdtNtries><Sum>9</Sum></TtlCdtNtries></TxsSummry><Ntry>"),
    "control_sum TtlCdtNtries",
    2,
  ],
  ["two closing balances", camt053({ closing: balance("CLBD", "105.50").repeat(2) }), "invalid Stmt/Bal", 2],
];

const withTotals = (all: string, debits: string) =>
  camt053().replace(
    "<Ntry>",
    `<TxsSummry><TtlNtries><NbOfNtries>2</NbOfNtries><Sum>${all}</Sum></TtlNtries><TtlDbtNtries><Sum>${debits}</Sum></TtlDbtNtries></TxsSummry><Ntry>`,
  );

test("the total of all entries may be their net sum, and that of debits may have a minus", async () => {
  expect((await readOne(withTotals("5.50", "-4.50"))).entries).toHaveLength(2);
  for (const [all, debits] of [
    ["-5.50", "4.50"],
    ["14.50", "-4.51"],
  ] as const)
    await expect(readOne(withTotals(all, debits))).rejects.toMatchObject({ code: "control_sum" });
});

describe("faults", () => {
  test.each(broken)("%s is refused, and named with tolerate", async (_, text, problem, count) => {
    expect(await problemOf(readCamt(text))).toMatch(new RegExp(`^${problem} \\d+$`));
    const [statement] = await collect(readCamt(text, { tolerate: true }));
    expect(statement!.entries).toHaveLength(count);
    expect(statement!.violations!.map(({ rule, field }) => `${rule} ${field}`)).toContain(problem);
    expect(statement!.violations!.every(({ severity, line }) => severity === "error" && line! > 1)).toBe(
      true,
    );
  });

  test("a missing balance is a warning: the entries cannot be checked", async () => {
    const { violations } = await readOne(camt053({ opening: "" }));
    expect(violations).toMatchObject([{ rule: "missing", severity: "warning", field: "Bal" }]);
  });

  test("tolerate keeps the entries before a damaged end", async () => {
    const text = camt053();
    const [statement] = await collect(
      readCamt(text.slice(0, text.lastIndexOf("<Ntry>")), { tolerate: true }),
    );
    expect(statement!.entries).toHaveLength(1);
    expect(statement!.violations!.map(({ rule }) => rule)).toEqual(["invalid", "balance"]);
  });

  test.each([
    ["a document type", camt053().replace("<Document", "<!DOCTYPE Document []><Document"), "invalid"],
    ["an entity", camt053().replace("Holder", "&own;"), "invalid"],
    ["deep nesting", camt053().replace("Holder", "<a>".repeat(200) + "</a>".repeat(200)), "invalid"],
    ["endless text", camt053().replace("Holder", "x".repeat(2_000_000)), "too_long"],
    [
      "an endless entry",
      camt053().replace("<Sts>", `<a>${"x".repeat(900_000)}</a>`.repeat(23) + "<Sts>"),
      "too_long",
    ],
    ["another message", "<Document><CstmrPmtStsRpt/></Document>", "unrecognised"],
    ["no XML", "<a", "invalid"],
  ])("%s is refused", async (_, text, code) => {
    expect(await readOutcome(readCamt(text))).toMatchObject({ name: "FormatError", code });
  });

  test("nothing has no statements", async () => {
    expect(await collect(readCamt(" \n"))).toEqual([]);
  });

  test("a damaged file is never read with other sums unless a violation says so", async () => {
    const text = full.replace("\n</Stmt>", `\n${entry("3.00", "DBIT")}${entry("3.00")}</Stmt>`);
    const junk = fc.constantFrom(
      "",
      "<",
      ">",
      "&",
      "9",
      ".",
      "-",
      "</Ntry>",
      "<Ntry>",
      "CRDT",
      "DBIT",
      "PDNG",
      "\0",
    );
    const anyPlace = fc.nat(text.length);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyPlace, fc.nat(60), junk), { minLength: 1, maxLength: 3 }),
        async (damages) => {
          let damaged = text;
          for (const [at, length, put] of damages)
            damaged = damaged.slice(0, at) + put + damaged.slice(at + length);
          const outcome = await readOutcome(readCamt(damaged, { tolerate: true }));
          if (outcome instanceof FormatError) return;
          for (const { openingBalance, closingBalance, entries, violations, kind } of outcome) {
            if (violations || kind) continue;
            const sum = entries
              .filter(({ status }) => status === undefined)
              .reduce(
                (before, each) => before.plus(signedAmount(each)),
                new Big(signedAmount(openingBalance!)),
              );
            expect(sum.eq(signedAmount(closingBalance!))).toBe(true);
          }
        },
      ),
      { numRuns: Number(process.env.FXDESK_RUNS ?? 150) },
    );
  });
});
