/** Tests payments in XML: pain.001 in, pain.002 with statuses and reasons out. */
import * as fc from "fast-check";
import { XMLParser } from "fast-xml-parser";
import { DomainError } from "../../../sandbox/src/world/common/domain-error";
import { parseXmlPayment } from "../../../sandbox/src/open-banking/payment-input";
import { readPain001 } from "../../../sandbox/src/world/model/pain001";
import {
  type Bank,
  day,
  decide,
  euroAccount,
  openBank,
  person,
  second,
  transfer,
  validConsent,
} from "./bank";
import { type DocumentSpec, pain001, post } from "./documents";

let bank: Bank;
let debtor: { readonly resourceId: string; readonly iban: string };
beforeEach(async () => {
  bank = await openBank(person);
  debtor = await euroAccount(bank);
});

const product = { "payment-product": "pain.001-sepa-credit-transfers" } as const;
const single = { "payment-service": "payments", ...product } as const;
const bulk = { "payment-service": "bulk-payments", ...product } as const;
const periodic = { "payment-service": "periodic-payments", ...product } as const;
const order = { startDate: "2026-03-07", endDate: "2026-05-31", frequency: "Monthly" } as const;

const documentOf = (spec: DocumentSpec = {}) => pain001({ debtor: debtor.iban, ...spec });

/** Builds a document with an execution time. */
const timed = (time: string) => documentOf({ version: "09" }).replace(/<Dt>.*<\/Dt>/, `<DtTm>${time}</DtTm>`);

const stateOf = async (paymentId: string, at: typeof single | typeof bulk | typeof periodic = single) =>
  (await bank.client.payments.getStatus({ ...at, paymentId })).transactionStatus;

/** Lists today's entries, latest first. */
async function booked() {
  const response = await bank.client.openBanking.listTransactions({
    "account-id": debtor.resourceId,
    "Consent-ID": await validConsent(bank),
    bookingStatus: "booked",
    dateFrom: "2026-03-02",
  });
  return response.transactions!.booked!;
}

test.each(["03", "09"])("pays a document of version %s like a JSON payment", async (version) => {
  const { paymentId, transactionStatus, _links } = await bank.client.payments.initiate({
    ...single,
    pain001: documentOf({ version, transfers: [{ name: "Möller &amp; Söhne", text: "a &lt; b" }] }),
  });
  expect(transactionStatus).toBe("RCVD");
  expect(_links.self).toEqual({ href: `/v1/payments/pain.001-sepa-credit-transfers/${paymentId}` });
  await decide(_links.scaRedirect, "approve");
  expect(await stateOf(paymentId)).toBe("ACTC");
  bank.sandbox.advance(4 * second);
  expect(await stateOf(paymentId)).toBe("ACSC");
  expect((await booked())[0]).toMatchObject({
    transactionAmount: { currency: "EUR", amount: "-125.50" },
    creditorName: "Möller & Söhne",
    creditorAccount: { iban: "NL13TEST0123456789" },
    remittanceInformationUnstructured: "a < b",
  });
});

test("returns the document as it was written", async () => {
  const document = documentOf();
  const { paymentId } = await bank.client.payments.initiate({ ...single, pain001: document });
  expect(await bank.client.payments.get({ ...product, paymentId })).toBe(document);
});

test("returns the status as JSON or pain.002", async () => {
  const { paymentId } = await bank.client.payments.initiate({ ...single, pain001: documentOf() });
  expect(await bank.client.payments.getStatus({ ...single, paymentId })).toEqual({
    transactionStatus: "RCVD",
  });
  const report = await bank.client.payments.getStatus({ ...single, paymentId, Accept: "application/xml" });
  const parsed: unknown = new XMLParser({ ignoreAttributes: false }).parse(report as string);
  expect(parsed).toMatchObject({
    Document: {
      "@_xmlns": "urn:iso:std:iso:20022:tech:xsd:pain.002.001.03",
      CstmrPmtStsRpt: {
        OrgnlGrpInfAndSts: {
          OrgnlMsgId: "MSG-1",
          OrgnlMsgNmId: "pain.001.001.03",
          OrgnlNbOfTxs: 1,
          OrgnlCtrlSum: 125.5,
          GrpSts: "RCVD",
        },
        OrgnlPmtInfAndSts: { OrgnlPmtInfId: "INF-1", PmtInfSts: "RCVD" },
      },
    },
  });
});

test("books a bulk individually or as one entry", async () => {
  const transfers = [{ amount: "10.00" }, { amount: "20.00" }];
  const entries = async (batch: boolean) => {
    const { paymentId, _links } = await bank.client.payments.initiateBulk({
      ...product,
      pain001: documentOf({ transfers, batch }),
    });
    await decide(_links.scaRedirect, "approve");
    bank.sandbox.advance(4 * second);
    expect(await stateOf(paymentId, bulk)).toBe("ACSC");
    expect(await bank.client.payments.getBulk({ ...product, paymentId })).toContain("<CdtTrfTxInf>");
    return (await booked()).map(({ transactionAmount }) => transactionAmount.amount);
  };
  expect((await entries(false)).slice(0, 2)).toEqual(["-20.00", "-10.00"]);
  expect((await entries(true))[0]).toBe("-30.00");
});

test("accepts a standing order as a form with document and schedule", async () => {
  const { paymentId, _links } = await bank.client.payments.initiate({
    ...periodic,
    pain001: documentOf(),
    ...order,
  });
  await decide(_links.scaRedirect, "approve");
  bank.sandbox.advance(100 * day);
  expect(await stateOf(paymentId, periodic)).toBe("ACSC");
  const days = (await booked())
    .filter((each) => each.remittanceInformationUnstructured === "Invoice 4711")
    .map(({ bookingDate }) => bookingDate);
  expect(days).toEqual(["2026-05-07", "2026-04-07", "2026-03-09"]);
});

test("shows the schedule of a standing order instead of the document's date", async () => {
  await bank.client.payments.initiate({ ...periodic, pain001: documentOf({ day: "2026-03-20" }), ...order });
  const [{ terms } = { terms: [] }] = bank.sandbox.control.listAuthorisations();
  expect(terms.map(({ name }) => name)).toEqual(["From", "To Brouwer Logistiek BV", "Total", "Schedule"]);
});

test("names the invalid element and starts nothing", async () => {
  const document = documentOf();
  const without = (element: string) => document.replace(new RegExp(`<${element}>.*</${element}>`), "");
  const cases: readonly (readonly [document: string, message: string])[] = [
    ["<Document", "Line 1"],
    [`<!DOCTYPE d [<!ENTITY e "x">]>${document.replace(/^<\?.*\n/, "")}`, "DOCTYPE"],
    [document.replace("pain.001.001.03", "pain.001.001.02"), "neither pain.001.001.03 nor"],
    [without("MsgId"), "GrpHdr/MsgId is missing"],
    [without("EndToEndId"), "PmtInf[1]/CdtTrfTxInf[1]/PmtId is invalid"],
    [document.replace(' Ccy="EUR"', ""), "CdtTrfTxInf[1]/Amt/InstdAmt is invalid"],
    [document.replace('"EUR"', '"euro"'), "CdtTrfTxInf[1]/Amt/InstdAmt/@Ccy "],
    [document.replace(">125.50</InstdAmt", ">-125.50</InstdAmt"), "Amt/InstdAmt is not an amount"],
    [document.replace(">TRF<", ">CHK<"), "PmtInf[1]/PmtMtd must be TRF"],
    [document.replace("2026-03-02</ReqdExctnDt", "2026-02-30</ReqdExctnDt"), "ReqdExctnDt is not a day"],
    [document.replace("TESTNL2A", "NL"), "CdtrAgt/FinInstnId/BIC is not a BIC"],
    [document.replace("<IBAN>NL", "<IBAN>12"), "CdtTrfTxInf[1]/CdtrAcct/Id/IBAN is not an IBAN"],
    [document.replace(/<PmtInf>[^]*<\/PmtInf>/, "$&$&"), "PmtInf must occur once"],
    [timed("2026-03-20T10:00:00 or so"), "ReqdExctnDt/DtTm is not a time"],
    [timed("2026-02-30T10:00:00Z"), "ReqdExctnDt/DtTm is not a time"],
    [documentOf({ count: 2 }), "GrpHdr/NbOfTxs is 2, not 1"],
    [documentOf({ sum: "125.51" }), "GrpHdr/CtrlSum is 125.51, not 125.5"],
    [documentOf({ transfers: [{}, {}] }), "CdtTrfTxInf must occur exactly once"],
  ];
  for (const [text, description] of cases) {
    const response = await post(bank, "/v1/payments/pain.001-sepa-credit-transfers", "application/xml", text);
    expect({ description, status: response.status, body: await response.json() }).toEqual({
      description,
      status: 400,
      body: {
        tppMessages: [
          { category: "ERROR", code: "FORMAT_ERROR", text: expect.stringContaining(description) },
        ],
      },
    });
  }
  expect(bank.sandbox.control.listAuthorisations()).toEqual([]);
});

/** Fails only if the machine's time zone is not UTC. */
test.each([
  ["2026-03-05T10:00:00", "2026-03-05T10:00:00.000Z"],
  ["2026-03-05T10:00:00+01:00", "2026-03-05T09:00:00.000Z"],
])("reads the time %s as %s", (time, instant) => {
  expect(parseXmlPayment(readPain001(timed(time)), "payments").requestedAt?.toISOString()).toBe(instant);
});

const hostile = [
  "<".repeat(1_000),
  "<a>".repeat(1_000) + "</a>".repeat(1_000),
  "<__proto__><PmtInf/></__proto__>",
  "<constructor/>",
  "&amp;&unknown;&#0;&#xFFFFFFFF;",
  "<![CDATA[",
  "<?xml version='1.0'?>",
  "\0",
];

/** The unit "binary" gives equal strings but takes a second to create. */
const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));

test("reads a mutated document or refuses it with a format error", () => {
  const document = pain001({ debtor: "DE52000000000012345678" });
  const piece = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: anyCharacter }));
  const place = fc.nat(document.length);
  const property = fc.property(place, place, piece, (from, length, inserted) => {
    try {
      readPain001(document.slice(0, from) + inserted + document.slice(from + (length % 40)));
    } catch (error) {
      expect(error).toBeInstanceOf(DomainError);
      expect(error).toMatchObject({ kind: "format-error" });
    }
  });
  fc.assert(property, { numRuns: 2_000 });
});

const boundary = "----of-another-program";
const formOf = (parts: Readonly<Record<string, string>>) =>
  `${Object.entries(parts)
    .map(
      ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
    )
    .join("")}--${boundary}--\r\n`;
const multipart = `multipart/form-data; boundary=${boundary}`;

test("accepts each product in its own format only", async () => {
  const xml = documentOf();
  const inJson = { debtorAccount: { iban: debtor.iban }, ...transfer("1") };
  const form = formOf({ xml_sct: xml, json_standingorderType: JSON.stringify(order) });
  const cases: readonly (readonly [path: string, type: string, body: string, status: number])[] = [
    ["payments/pain.001-sepa-credit-transfers", "application/xml", xml, 201],
    ["payments/pain.001-sepa-credit-transfers", "text/xml; charset=utf-8", xml, 201],
    ["payments/pain.001-instant-sepa-credit-transfers", "application/xml", xml, 201],
    ["payments/pain.001-target-2-payments", "application/xml", xml, 201],
    ["payments/pain.001-cross-border-credit-transfers", "application/xml", xml, 201],
    ["bulk-payments/pain.001-sepa-credit-transfers", "application/xml", xml, 201],
    ["periodic-payments/pain.001-sepa-credit-transfers", multipart, form, 201],
    ["periodic-payments/pain.001-sepa-credit-transfers", "application/xml", xml, 400],
    ["periodic-payments/pain.001-sepa-credit-transfers", multipart, formOf({ xml_sct: xml }), 400],
    ["payments/pain.001-sepa-credit-transfers", multipart, form, 400],
    ["bulk-payments/pain.001-sepa-credit-transfers", multipart, form, 415],
    ["payments/pain.001-sepa-credit-transfers", "application/json", JSON.stringify(inJson), 400],
    ["payments/pain.001-sepa-credit-transfers", "application/json", JSON.stringify({ pain001: xml }), 400],
    ["payments/sepa-credit-transfers", "application/json", JSON.stringify(inJson), 201],
    ["payments/sepa-credit-transfers", "application/xml", xml, 400],
    ["payments/pain.001-sepa-credit-transfers", "text/plain", xml, 415],
  ];
  for (const [path, type, body, status] of cases) {
    const response = await post(bank, `/v1/${path}`, type, body);
    expect([path, type, response.status]).toEqual([path, type, status]);
    if (status === 415) expect(await response.text()).toBe("");
    if (status === 400) expect(await response.text()).toContain("FORMAT_ERROR");
  }
});

describe("the status report", () => {
  async function initiatePayment(
    spec: DocumentSpec = {},
    service: "payments" | "bulk-payments" = "payments",
    more = {},
  ) {
    const { paymentId, _links } = await bank.client.payments.initiate({
      "payment-service": service,
      ...product,
      ...more,
      pain001: documentOf(spec),
    });
    const at = { "payment-service": service, ...product, paymentId } as const;
    return { at, link: _links.scaRedirect };
  }

  interface Report {
    readonly OrgnlGrpInfAndSts: {
      readonly GrpSts: string;
      readonly StsRsnInf?: { readonly Rsn: { readonly Cd: string } };
    };
    readonly OrgnlPmtInfAndSts: {
      readonly PmtInfSts: string;
      readonly StsRsnInf?: unknown;
      readonly TxInfAndSts?: unknown;
    };
  }

  async function reportOf(at: Awaited<ReturnType<typeof initiatePayment>>["at"]): Promise<Report> {
    const text = await bank.client.payments.getStatus({ ...at, Accept: "application/xml" });
    const { Document } = new XMLParser().parse(text as string) as { Document: { CstmrPmtStsRpt: Report } };
    return Document.CstmrPmtStsRpt;
  }

  const outcomeOf = ({ OrgnlGrpInfAndSts: { GrpSts, StsRsnInf } }: Report) => [GrpSts, StsRsnInf?.Rsn.Cd];

  describe.each(["03", "09"])("of a pain.001 in version %s", (version) => {
    test("reports a cancellation as rejected, ordered by the owner", async () => {
      const { at } = await initiatePayment({ version });
      await bank.client.payments.cancel(at);
      expect(await bank.client.payments.getStatus(at)).toMatchObject({ transactionStatus: "CANC" });
      expect(outcomeOf(await reportOf(at))).toEqual(["RJCT", "DS02"]);
    });

    test("reports the reason of a refusal or an impossible payment", async () => {
      const refused = await initiatePayment({ version });
      await decide(refused.link, "refuse");
      expect(outcomeOf(await reportOf(refused.at))).toEqual(["RJCT", "DS02"]);
      const poor = { version, transfers: [{ amount: "99999999.00" }] };
      const withoutFunds = await initiatePayment(poor, "payments", {
        "TPP-Rejection-NoFunds-Preferred": true,
      });
      await decide(withoutFunds.link, "approve");
      expect(outcomeOf(await reportOf(withoutFunds.at))).toEqual(["RJCT", "AM04"]);
    });

    test("reports a reason per transfer of a bulk", async () => {
      const wrong = { account: "<Id><IBAN>NL14TEST0123456789</IBAN></Id>", reference: "E2E-1" };
      const transfers = [wrong, { reference: "E2E-2" }, { reference: "E2E-3", amount: "99999999.00" }];
      const { at, link } = await initiatePayment({ version, transfers }, "bulk-payments");
      await decide(link, "approve");
      bank.sandbox.control.advanceClock({ days: 7 });
      const { OrgnlPmtInfAndSts: information } = await reportOf(at);
      expect(information).toMatchObject({
        PmtInfSts: "PART",
        TxInfAndSts: [
          { OrgnlEndToEndId: "E2E-1", TxSts: "RJCT", StsRsnInf: { Rsn: { Cd: "AC01" } } },
          { OrgnlEndToEndId: "E2E-2", TxSts: "ACSC" },
          { OrgnlEndToEndId: "E2E-3", TxSts: "RJCT", StsRsnInf: { Rsn: { Cd: "AM04" } } },
        ],
      });
    });
  });

  test.each([
    ["03", "PDNG"],
    ["09", "PATC"],
  ])("reports a partial authorisation in version %s as %s", async (version, status) => {
    bank.sandbox.control.setSignatories({ signatories: 2 });
    const { at } = await initiatePayment({ version });
    const { _links } = await bank.client.payments.startAuthorisation({
      ...at,
      "payment-authorisation": "authorisations",
    });
    await decide(_links.scaRedirect, "approve");
    expect(await bank.client.payments.getStatus(at)).toMatchObject({ transactionStatus: "PATC" });
    const [group] = outcomeOf(await reportOf(at));
    expect(group).toBe(status);
  });
});
