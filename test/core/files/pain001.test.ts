/** Amounts and accounts of pain.001 documents: exact sums, and no amount from a document that can be understood in two ways. */
import { readCreditTransfers } from "../../../core/files/pain001";
import { pain001 } from "../../sandbox/open-banking/documents";

const debtor = "DE12500105170648489890";
const document = pain001({ debtor, transfers: [{ amount: "10.50" }, { amount: "2", currency: "USD" }] });
/** What people read beside amounts and accounts. */
const details = {
  creditorName: "Brouwer Logistiek BV",
  remittance: "Invoice 4711",
  date: "2026-03-02",
  creditorBank: "TESTNL2A",
  bic: "TESTNL2A",
  endToEnd: "E2E-4711",
  addressLines: 0,
};
const amount = '<InstdAmt Ccy="EUR">10.50</InstdAmt>';

test("decodes the texts that people read", () => {
  const text = document.replace("Invoice 4711", "A &amp; B &#8364;&#x41;");
  expect(readCreditTransfers(text)?.[0]).toMatchObject({ remittance: "A & B €A" });
});

test.each(["03", "09"])("reads currencies, amounts and the account of version %s", (version) => {
  const text = pain001({
    version,
    debtor,
    transfers: [{ amount: "10.50" }, { amount: "2", currency: "USD" }],
  });
  const creditor = "NL13TEST0123456789";
  const shared = { account: debtor, creditor, creditorAccount: creditor, ...details };
  expect(readCreditTransfers(text)).toEqual([
    { amount: "10.50", currency: "EUR", ...shared },
    { amount: "2", currency: "USD", ...shared },
  ]);
});

const equivalent = '<EqvtAmt><Amt Ccy="EUR">10.50</Amt><CcyOfTrf>JPY</CcyOfTrf></EqvtAmt>';

test.each([
  ["an equivalent amount", document.replace(amount, equivalent)],
  ["a prefix of the message", document.replace(/<(\/?)(?=[A-Z])/g, "<$1p:").replace("xmlns=", "xmlns:p=")],
  [
    "a schema location",
    document.replace("xmlns=", 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns='),
  ],
  ["escaped text", document.replace("Invoice 4711", "A &amp; B &#8364;")],
  ["white space around the amount", document.replace("10.50<", "\n 10.50 <")],
])("reads %s", (_, text) => {
  expect(readCreditTransfers(text)?.map((each) => `${each.amount} ${each.currency}`)).toEqual([
    "10.50 EUR",
    "2 USD",
  ]);
});

const creditorId = "<Id><IBAN>NL13TEST0123456789</IBAN></Id>";
test.each([
  ["no account", "", ""],
  ["another number", "<Id><Othr><Id>123</Id></Othr></Id>", "123"],
  [
    "two numbers",
    `<Id><IBAN>NL13TEST0123456789</IBAN><Othr><Id>123</Id></Othr></Id>`,
    "NL13TEST0123456789 123",
  ],
  [
    "a proxy beside the IBAN",
    `${creditorId}<Prxy><Id>+491234567</Id></Prxy>`,
    "NL13TEST0123456789 +491234567",
  ],
])("knows no creditor from %s, and has all that people read of it", (_, account, creditorAccount) => {
  const text = pain001({ debtor, transfers: [{ account }] });
  expect(readCreditTransfers(text)).toEqual([
    { amount: "125.50", currency: "EUR", account: debtor, creditor: undefined, creditorAccount, ...details },
  ]);
});

const replaced = (from: string | RegExp, to: string) => document.replace(from, to);

test.each([
  ["no XML", "amount 10"],
  ["another document", "<a/>"],
  ["nothing", ""],
  ["two roots", document + document.replace(/<\?xml.*\?>/, "")],
  ["an open element", document.replace("</Document>", "")],
  ["crossed elements", replaced("</Amt>\n", "</Amt2>\n")],
  ["a document type", replaced("<Document", '<!DOCTYPE a [<!ENTITY x "1">]><Document')],
  ["an entity", replaced("10.50", "&x;10.50")],
  ["an amount with a character reference", replaced("10.50", "1&#48;.50")],
  ["CDATA", replaced("10.50", "<![CDATA[10]]>.50")],
  ["a comment in the amount", replaced("10.50", "10<!-- -->.50")],
  ["a processing instruction", replaced("10.50", "10<?a?>.50")],
  ["an unknown namespace", replaced("urn:iso", "urn:other")],
  ["no namespace", replaced(/ xmlns="[^"]*"/, "")],
  ["a namespace inside", replaced("<Amt>", '<Amt xmlns="urn:other">')],
  ["a prefix inside", replaced(amount, amount.replaceAll("InstdAmt", "x:InstdAmt"))],
  ["two amounts of a transfer", replaced(amount, amount + amount)],
  ["an amount beside its equivalent", replaced(amount, amount + equivalent)],
  ["an amount at another place", replaced("<PmtId>", `<PmtId>${amount}`)],
  ["a transfer without amount", replaced(amount, "")],
  ["two names of a creditor", replaced("<Cdtr><Nm>", "<Cdtr><Nm>Other</Nm><Nm>")],
  ["two banks of a creditor", replaced("<CdtrAgt>", "<CdtrAgt/><CdtrAgt>")],
  ["an amount without currency", replaced(' Ccy="EUR"', "")],
  ["two currencies", replaced('Ccy="EUR"', 'Ccy="EUR" Ccy="JPY"')],
  ["a negative amount", replaced("10.50<", "-10.50<")],
  ["an amount with a sign", replaced("10.50<", "+10.50<")],
  ["an amount with an exponent", replaced("10.50<", "1e9<")],
  ["grouped digits", replaced("10.50<", "10,50<")],
  ["digits of another script", replaced("10.50<", "\u0661\u0660.50<")],
  ["another control sum", replaced(/<CtrlSum>[^<]*/, "<CtrlSum>1")],
  ["another count", replaced(/<NbOfTxs>2/, "<NbOfTxs>3")],
  ["two headers", replaced("<PmtInf>", "<GrpHdr/><PmtInf>")],
  [
    "two accounts to debit",
    replaced("<DbtrAcct>", "<DbtrAcct><Id><IBAN>DE1</IBAN></Id></DbtrAcct><DbtrAcct>"),
  ],
  ["two numbers of the account to debit", replaced(/(<DbtrAcct>\s*<Id>)/, "$1<Othr><Id>77</Id></Othr>")],
  [
    "two accounts to credit",
    replaced(`<CdtrAcct>${creditorId}`, `<CdtrAcct>${creditorId}</CdtrAcct><CdtrAcct>${creditorId}`),
  ],
  [
    "an account to credit at another place",
    replaced("<PmtMtd>", `<CdtrAcct>${creditorId}</CdtrAcct><PmtMtd>`),
  ],
  ["no transfer", document.replace(/<CdtTrfTxInf>.*<\/CdtTrfTxInf>/s, "")],
  ["text after the document", `${document}10`],
])("refuses %s", (_, text) => {
  expect(text).not.toBe(document);
  expect(readCreditTransfers(text)).toBeUndefined();
});

test("survives deep nesting", () => {
  expect(readCreditTransfers("<a>".repeat(200_000) + "</a>".repeat(200_000))).toBeUndefined();
});
