/** Tests transactions as camt.053 and MT940, by content negotiation. */
import { Big } from "big.js";
import { XMLParser } from "fast-xml-parser";
import { readCamt, readMt940, type Statement } from "../../../core/files";
import { collect } from "../../core/files/statement-fixtures";
import {
  type Bank,
  decide,
  euroAccount,
  openBank,
  person,
  single,
  today,
  transfer,
  validConsent,
} from "./bank";
import { newRequestId } from "../../support/request-id";

let bank: Bank;
let account: { readonly resourceId: string; readonly iban: string };
let consentId: string;
beforeAll(async () => {
  bank = await openBank(person);
  account = await euroAccount(bank);
  consentId = await validConsent(bank);
});

type Listing = Parameters<Bank["client"]["openBanking"]["listTransactions"]>[0];

const listing = (more: Partial<Listing> = {}): Listing => ({
  "Consent-ID": consentId,
  "account-id": account.resourceId,
  bookingStatus: "booked",
  dateFrom: "2025-06-01",
  dateTo: "2026-02-28",
  ...more,
});

const transactions = (more: Partial<Listing> = {}) => bank.client.openBanking.listTransactions(listing(more));

async function booked(more: Partial<Listing> = {}) {
  const report = await bank.client.openBanking.listTransactions({ ...listing(more), Accept: undefined });
  return report.transactions!.booked!;
}

/** Repeatable elements are parsed as lists, all others as text. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "",
  parseTagValue: false,
  parseAttributeValue: false,
  isArray: (name) => ["Bal", "Ntry", "TxDtls", "Ustrd"].includes(name),
});

interface Amount {
  readonly Amt: { readonly Ccy: string; readonly "#text": string };
  readonly CdtDbtInd: "CRDT" | "DBIT";
}

interface Party {
  readonly Nm: string;
}

interface Ntry extends Amount {
  readonly NtryRef: string;
  readonly BookgDt: { readonly Dt: string };
  readonly ValDt: { readonly Dt: string };
  readonly NtryDtls: {
    readonly TxDtls: readonly {
      readonly Refs: { readonly InstrId?: string; readonly EndToEndId: string };
      readonly RltdPties?: { readonly Dbtr?: Party; readonly Cdtr?: Party };
      readonly RmtInf: { readonly Ustrd: readonly string[] };
    }[];
  };
}

interface Stmt {
  readonly Acct: object;
  readonly Bal: readonly (Amount & { readonly Tp: { readonly CdOrPrtry: { readonly Cd: string } } })[];
  readonly Ntry?: readonly Ntry[];
}

async function camt053(more: Partial<Listing> = {}): Promise<Stmt> {
  const xml = await transactions({ Accept: "application/xml", ...more });
  const document = parser.parse(String(xml)) as { Document: { BkToCstmrStmt: { Stmt: Stmt } } };
  return document.Document.BkToCstmrStmt.Stmt;
}

const signed = ({ Amt, CdtDbtInd }: Amount) => (CdtDbtInd === "DBIT" ? `-${Amt["#text"]}` : Amt["#text"]);

const balanceIn = ({ Bal }: Pick<Stmt, "Bal">, code: string) =>
  signed(Bal.find(({ Tp }) => Tp.CdOrPrtry.Cd === code)!);

/** Fields of an entry that statements and lists share. */
const fromEntry = (entry: Ntry) => {
  const [{ Refs, RltdPties, RmtInf } = {}] = entry.NtryDtls.TxDtls;
  return [
    entry.NtryRef,
    signed(entry),
    entry.BookgDt.Dt,
    entry.ValDt.Dt,
    Refs!.EndToEndId,
    RltdPties?.Cdtr?.Nm,
    RltdPties?.Dbtr?.Nm,
    RmtInf!.Ustrd.join(""),
  ];
};
const fromList = (entry: Awaited<ReturnType<typeof booked>>[number]) => [
  entry.entryReference,
  entry.transactionAmount.amount,
  entry.bookingDate,
  entry.valueDate,
  entry.endToEndId ?? "NOTPROVIDED",
  entry.creditorName,
  entry.debtorName,
  entry.remittanceInformationUnstructured,
];

const sum = (amounts: readonly string[]) => amounts.reduce((total, amount) => total.plus(amount), new Big(0));

describe("camt.053", () => {
  test.each(["EUR", "GBP", "JPY", "USD"])(
    "has opening and closing balances in %s that the entries connect",
    async (currency) => {
      const { accounts } = await bank.client.openBanking.listAccounts({ "Consent-ID": consentId });
      const { resourceId, iban, bban } = accounts.find((each) => each.currency === currency)!;
      const { Acct, Bal, Ntry } = await camt053({ "account-id": resourceId!, dateTo: undefined });
      expect(Acct).toMatchObject({ Id: iban ? { IBAN: iban } : { Othr: { Id: bban } }, Ccy: currency });
      const amounts = Ntry!.map(signed);
      expect(amounts.length).toBeGreaterThan(50);
      const closing = balanceIn({ Bal }, "CLBD");
      expect(sum([balanceIn({ Bal }, "OPBD"), ...amounts]).eq(closing)).toBe(true);
      const { balances } = await bank.client.openBanking.listBalances({
        "Consent-ID": consentId,
        "account-id": resourceId!,
      });
      const available = balances.find(({ balanceType }) => balanceType === "interimAvailable")!;
      expect(available.balanceAmount).toEqual({ currency, amount: closing });
    },
  );

  test("has the entries of the list in booking order", async () => {
    const { Ntry } = await camt053();
    expect(Ntry!.map(fromEntry)).toEqual((await booked()).toReversed().map(fromList));
  });

  test("starts at the closing balance of the previous one", async () => {
    const january = await camt053({ dateFrom: "2026-01-01", dateTo: "2026-01-31" });
    const february = await camt053({ dateFrom: "2026-02-01", dateTo: "2026-02-28" });
    expect(balanceIn(february, "OPBD")).toBe(balanceIn(january, "CLBD"));
  });

  test("has both balances on a day without entries", async () => {
    const { Ntry, ...statement } = await camt053({ dateFrom: "2026-02-28", dateTo: "2026-02-28" });
    expect(Ntry).toBeUndefined();
    expect(balanceIn(statement, "OPBD")).toBe(balanceIn(statement, "CLBD"));
  });
});

test("preserves texts except characters invalid in XML", async () => {
  const [debtor_name, reference] = ['Möller & <Söhne> "\u0007x"', "R&D > 'all'"];
  bank.sandbox.control.payIn({ currency: "EUR", amount: "10.05", reference, debtor_name });
  const { Ntry } = await camt053({ dateFrom: today, dateTo: today });
  const details = Ntry!.flatMap(({ NtryDtls }) => NtryDtls.TxDtls);
  expect(details).toContainEqual(
    expect.objectContaining({
      Refs: expect.objectContaining({ EndToEndId: reference }) as object,
      RltdPties: expect.objectContaining({ Dbtr: { Nm: 'Möller & <Söhne> " x"' } }) as object,
    }),
  );
});

describe("the payer's reference", () => {
  /** Finds a payment of today by its text in each statement and in the list. */
  async function referencesOf(text: string) {
    const period = { dateFrom: today, dateTo: today };
    const { Ntry } = await camt053(period);
    const inXml = Ntry!.find(({ NtryDtls }) => NtryDtls.TxDtls[0]!.RmtInf.Ustrd.join("") === text)!;
    const list = await booked(period);
    const { endToEndId } = list.find((each) => each.remittanceInformationUnstructured === text)!;
    const mt940 = String(await transactions({ ...period, Accept: "text/plain" }));
    const [statement] = await collect(readMt940(mt940));
    const { customerReference } = statement!.entries.find(({ remittance }) => remittance?.includes(text))!;
    return { refs: inXml.NtryDtls.TxDtls[0]!.Refs, endToEndId, customerReference };
  }

  async function paid(more: { readonly endToEndIdentification?: string }, text: string): Promise<string> {
    const { paymentId, _links } = await bank.client.payments.initiate({
      ...single,
      debtorAccount: { iban: account.iban },
      ...transfer("1.05"),
      remittanceInformationUnstructured: text,
      ...more,
    });
    await decide(_links.scaRedirect, "approve");
    bank.sandbox.advance(4_000);
    return paymentId.replaceAll("-", "");
  }

  test("is passed from end to end", async () => {
    await paid({ endToEndIdentification: "E2E-1" }, "with a reference");
    const { refs, endToEndId } = await referencesOf("with a reference");
    expect([refs.EndToEndId, refs.InstrId, endToEndId]).toEqual(["E2E-1", undefined, "E2E-1"]);
  });

  test("is omitted if none was given", async () => {
    const own = await paid({}, "without a reference");
    const { refs, endToEndId, customerReference } = await referencesOf("without a reference");
    expect([refs.EndToEndId, refs.InstrId, endToEndId]).toEqual(["NOTPROVIDED", own, undefined]);
    // MT940 has no room for it, and a truncated reference would be wrong.
    expect(customerReference).toBeUndefined();
  });
});

test("has equal balances and entries in MT940", async () => {
  const text = String(await transactions({ Accept: "text/plain" }));
  const [statement, ...others] = await collect(readMt940(text));
  expect(others).toEqual([]);
  const list = (await booked()).toReversed();
  expect(
    statement!.entries.map(({ creditDebit, amount }) => `${creditDebit === "Debit" ? "-" : ""}${amount}`),
  ).toEqual(list.map(({ transactionAmount }) => transactionAmount.amount));
  const read = await collect(readCamt(String(await transactions({ Accept: "application/xml" }))));
  const factsOf = ({ entries, account: { number, currency } }: Statement) => [
    [number, currency],
    entries.map(({ creditDebit, amount, bookingDate, valueDate, transactionCode }) => [
      [creditDebit, amount, bookingDate, valueDate, transactionCode],
    ]),
  ];
  expect(read.map(factsOf)).toEqual([factsOf(statement!)]);
  const xml = await camt053();
  expect([statement!.openingBalance!.amount, statement!.closingBalance!.amount]).toEqual([
    balanceIn(xml, "OPBD"),
    balanceIn(xml, "CLBD"),
  ]);
});

const get = (query: string, accept?: string) =>
  fetch(`${bank.sandbox.xs2aUrl}/v1/accounts/${account.resourceId}/transactions?${query}`, {
    headers: {
      ...person,
      "X-Request-ID": newRequestId(),
      "Consent-ID": consentId,
      ...(accept !== undefined && { Accept: accept }),
    },
  });

const json = "application/json; charset=utf-8";
const xml = "application/xml; charset=utf-8";
const mt940 = "text/plain; charset=utf-8";
const month = "bookingStatus=booked&dateFrom=2026-02-01";

describe("content negotiation", () => {
  test.each([
    ["application/*", json],
    ["application/json, */*;q=0.8", json],
    ["Application/XML", xml],
    ["text/*", mt940],
    ["text/plain;q=0.4, application/xml;q=0.5", xml],
    ["application/pdf, text/plain;q=0.1", mt940],
    ["*/*;q=0.5, application/json;q=0", xml],
    ["application/problem+json, application/xml", xml],
  ])("%s: %s", async (accept, type) => {
    const { status, headers } = await get(month, accept);
    expect([status, headers.get("content-type")]).toEqual([200, type]);
  });

  test.each(["image/*", "application/xml;q=0"])("refuses %s", async (accept) => {
    const response = await get(month, accept);
    expect(response.status).toBe(406);
    expect(await response.json()).toMatchObject({ tppMessages: [{ code: "REQUESTED_FORMATS_INVALID" }] });
  });

  test.each([
    "bookingStatus=both&dateFrom=2026-02-01",
    "bookingStatus=pending&dateFrom=2026-02-01",
    "bookingStatus=information",
    "bookingStatus=booked&deltaList=true",
  ])("refuses a statement for %s", async (query) => {
    expect((await get(query, "application/xml")).status).toBe(406);
    const { status, headers } = await get(query, "application/xml, application/json;q=0.1");
    expect([status, headers.get("content-type")]).toEqual([200, json]);
  });
});
