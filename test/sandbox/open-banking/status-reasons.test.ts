/** Tests pain.002 status codes and rejection reasons, and cross-origin forms of the approval page. */
import { XMLParser } from "fast-xml-parser";
import { type Bank, decide, euroAccount, openBank, validConsent } from "./bank";
import { type DocumentSpec, pain001 } from "./documents";

let bank: Bank;
let debtor: { readonly resourceId: string; readonly iban: string };
beforeEach(async () => {
  bank = await openBank({ "PSU-IP-Address": "192.0.2.7" }, 5);
  debtor = await euroAccount(bank);
});
afterEach(() => bank.close());

const product = { "payment-product": "pain.001-sepa-credit-transfers" } as const;

/** TransactionGroupStatus3Code and TransactionIndividualStatus3Code. */
const groupOf03 = new Set(["ACTC", "RCVD", "PART", "RJCT", "PDNG", "ACCP", "ACSP", "ACSC", "ACWC"]);

async function initiatePayment(
  spec: DocumentSpec = {},
  service: "payments" | "bulk-payments" = "payments",
  more = {},
) {
  const document = pain001({ debtor: debtor.iban, ...spec });
  const { paymentId, _links } = await bank.client.payments.initiate({
    "payment-service": service,
    ...product,
    ...more,
    pain001: document,
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
    const withoutFunds = await initiatePayment(poor, "payments", { "TPP-Rejection-NoFunds-Preferred": true });
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
  expect(groupOf03.has(group!) || version === "09").toBe(true);
});

test("refuses a decision from another origin", async () => {
  const { at, link } = await initiatePayment();
  const body = new URLSearchParams({ decision: "approve" });
  for (const origin of ["https://evil.example", "null"]) {
    const response = await fetch(link!.href!, { method: "POST", body, headers: { origin } });
    expect([response.status, await response.text()]).toEqual([
      403,
      expect.stringContaining("another web page"),
    ]);
  }
  expect(await bank.client.payments.getStatus(at)).toMatchObject({ transactionStatus: "RCVD" });
  const own = await fetch(link!.href!, {
    method: "POST",
    body,
    headers: { origin: new URL(link!.href!).origin },
  });
  expect(own.status).toBe(200);
  expect(await bank.client.payments.getStatus(at)).toMatchObject({ transactionStatus: "ACTC" });
});

test("lists transaction codes, and rates of exchanges", async () => {
  const { transactions } = await bank.client.openBanking.listTransactions({
    "account-id": debtor.resourceId,
    "Consent-ID": await validConsent(bank),
    bookingStatus: "booked",
    dateFrom: "2026-02-01",
  });
  const entries = transactions!.booked!;
  const exchange = entries.find(({ currencyExchange }) => currencyExchange)!;
  expect(exchange.bankTransactionCode).toBe("FORX-SPOT-OTHR");
  expect(exchange.currencyExchange).toEqual([
    {
      sourceCurrency: "EUR",
      exchangeRate: expect.stringMatching(/^\d+\.\d{1,6}$/) as string,
      unitCurrency: "EUR",
      targetCurrency: expect.stringMatching(/^(USD|GBP)$/) as string,
      quotationDate: expect.stringMatching(/^2026-0[23]-\d\d$/) as string,
      contractIdentification: expect.stringMatching(/^TR\d{10}$/) as string,
    },
  ]);
  expect(
    entries.every(({ bankTransactionCode: code = "" }) => /^[A-Z]{4}-[A-Z]{4}-[A-Z]{4}$/.test(code)),
  ).toBe(true);
});
