/** Builds pain.001 documents for tests. */
import { type Bank, person } from "./bank";
import { newRequestId } from "../../support/request-id";

export interface TransferSpec {
  readonly amount?: string;
  readonly currency?: string;
  readonly name?: string;
  readonly account?: string;
  readonly text?: string;
  readonly reference?: string;
}

export interface DocumentSpec {
  readonly version?: string;
  readonly debtor?: string;
  readonly day?: string;
  readonly batch?: boolean;
  readonly count?: number;
  readonly sum?: string;
  readonly transfers?: readonly TransferSpec[];
}

const ibanOf = (iban: string) => `<Id><IBAN>${iban}</IBAN></Id>`;

const transferText = ({
  amount = "125.50",
  currency = "EUR",
  name = "Brouwer Logistiek BV",
  account = ibanOf("NL13TEST0123456789"),
  text = "Invoice 4711",
  reference = "E2E-4711",
}: TransferSpec) => `
      <CdtTrfTxInf>
        <PmtId><EndToEndId>${reference}</EndToEndId></PmtId>
        <Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt>
        <CdtrAgt><FinInstnId><BIC>TESTNL2A</BIC></FinInstnId></CdtrAgt>
        <Cdtr><Nm>${name}</Nm></Cdtr>
        <CdtrAcct>${account}</CdtrAcct>
        <RmtInf><Ustrd>${text}</Ustrd></RmtInf>
      </CdtTrfTxInf>`;

/** Converts an amount with two decimals to cents. */
const cents = ({ amount = "125.50" }: TransferSpec) => Math.round(Number(amount) * 100);

/** Builds a document with optional changes. */
export function pain001({
  version = "03",
  debtor = "",
  day = "2026-03-02",
  batch,
  ...spec
}: DocumentSpec): string {
  const { transfers = [{}] } = spec;
  const { count = transfers.length } = spec;
  const { sum = (transfers.reduce((all, each) => all + cents(each), 0) / 100).toFixed(2) } = spec;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.${version}">
  <CstmrCdtTrfInitn>
    <GrpHdr>
      <MsgId>MSG-1</MsgId>
      <CreDtTm>2026-03-02T08:00:00Z</CreDtTm>
      <NbOfTxs>${count}</NbOfTxs>
      <CtrlSum>${sum}</CtrlSum>
      <InitgPty><Nm>Meridian Tools GmbH</Nm></InitgPty>
    </GrpHdr>
    <PmtInf>
      <PmtInfId>INF-1</PmtInfId>
      <PmtMtd>TRF</PmtMtd>${batch === undefined ? "" : `<BtchBookg>${batch}</BtchBookg>`}
      <NbOfTxs>${transfers.length}</NbOfTxs>
      <ReqdExctnDt>${version === "03" ? day : `<Dt>${day}</Dt>`}</ReqdExctnDt>
      <Dbtr><Nm>Meridian Tools GmbH</Nm></Dbtr>
      <DbtrAcct>${ibanOf(debtor)}</DbtrAcct>${transfers.map(transferText).join("")}
    </PmtInf>
  </CstmrCdtTrfInitn>
</Document>
`;
}

/** Sends a raw request without the client's checks. */
export const post = (
  bank: Bank,
  path: string,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(bank.sandbox.xs2aUrl + path, {
    method: "POST",
    headers: { "content-type": contentType, "X-Request-ID": newRequestId(), ...person, ...headers },
    body,
  });
