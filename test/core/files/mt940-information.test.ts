/** MT940: what banks say in :86:. */
import { readEntries, readEntryWithInformation } from "./mt940-messages";

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
