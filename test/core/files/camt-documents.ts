/** camt documents by hand. */

export interface CamtFields {
  readonly version?: string;
  readonly opening?: string;
  readonly closing?: string;
  readonly entries?: string;
}

export const balance = (type: string, amount: string, indicator = "CRDT") =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt>` +
  `<CdtDbtInd>${indicator}</CdtDbtInd><Dt><Dt>2026-11-16</Dt></Dt></Bal>`;

export const account =
  "<Acct><Id><IBAN>NL13TEST0123456789</IBAN></Id><Ccy>EUR</Ccy><Ownr><Nm>Holder</Nm></Ownr>" +
  "<Svcr><FinInstnId><BICFI>TESTNL2A</BICFI></FinInstnId></Svcr></Acct>";

export const entry = (amount: string, indicator = "CRDT", inside = "") =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${indicator}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>` +
  `<BookgDt><Dt>2026-11-16</Dt></BookgDt><ValDt><Dt>2026-11-17</Dt></ValDt>` +
  `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>${inside}</Ntry>`;

export const details = (...all: readonly string[]) =>
  `<NtryDtls>${all.map((each) => `<TxDtls>${each}</TxDtls>`).join("")}</NtryDtls>`;

export const amount = (text: string, indicator = "CRDT") =>
  `<Amt Ccy="EUR">${text}</Amt><CdtDbtInd>${indicator}</CdtDbtInd>`;

const header = "<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-17T06:00:00+01:00</CreDtTm></GrpHdr>";

export const message = (name: string, root: string, element: string, content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${name}">\n` +
  `<${root}>${header}\n<${element}><Id>S1</Id><ElctrncSeqNb>12</ElctrncSeqNb>\n${content}\n</${element}></${root}></Document>\n`;

/** A camt.053 whose two entries lead from 100.00 to 105.50. */
export const camt053 = ({
  version = "08",
  opening = balance("OPBD", "100.00"),
  closing = balance("CLBD", "105.50"),
  entries = `${entry("10.00")}\n${entry("4.50", "DBIT")}`,
}: CamtFields = {}) =>
  message(
    `camt.053.001.${version}`,
    "BkToCstmrStmt",
    "Stmt",
    [account, opening, closing, entries].join("\n"),
  );
