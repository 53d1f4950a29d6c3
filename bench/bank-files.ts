/**
 * Writes large statement files of made-up entries to stdout: `node dist/bench/bank-files mt940 450000 > large.sta`. The
 * kinds are camt, and mt940 without :86:, as plain text, code words or subfields.
 */
import { pipeline } from "node:stream/promises";

const pad = (number: number, length = 8): string => String(number).padStart(length, "0");
const dayOf = (index: number): string => `2026-01-${pad((Math.floor(index / 1000) % 28) + 1, 2)}`;
const centsOf = (index: number): string => `${(index % 9000) + 10}.${pad(index % 100, 2)}`;

const camtHead =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>' +
  "<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-02-01T06:00:00+01:00</CreDtTm></GrpHdr><Stmt><Id>S1</Id><ElctrncSeqNb>12</ElctrncSeqNb>" +
  "<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>\n";
const camtBalance = (type: string, day: string, amount: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>\n`;

const camtEntry = (index: number, indicator: "CRDT" | "DBIT") => {
  const amount = centsOf(index >> 1);
  const party = indicator === "CRDT" ? "Dbtr" : "Cdtr";
  return `<Ntry>
<NtryRef>${index}</NtryRef>
<Amt Ccy="EUR">${amount}</Amt>
<CdtDbtInd>${indicator}</CdtDbtInd>
<Sts><Cd>BOOK</Cd></Sts>
<BookgDt><Dt>${dayOf(index)}</Dt></BookgDt>
<ValDt><Dt>${dayOf(index)}</Dt></ValDt>
<AcctSvcrRef>BANK-${pad(index)}</AcctSvcrRef>
<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn><Prtry><Cd>NTRF+166</Cd></Prtry></BkTxCd>
<NtryDtls><TxDtls>
<Refs><MsgId>MSG-${index}</MsgId><EndToEndId>INV-${pad(index)}</EndToEndId><TxId>TX-${pad(index)}</TxId></Refs>
<Amt Ccy="EUR">${amount}</Amt>
<CdtDbtInd>${indicator}</CdtDbtInd>
<RltdPties><${party}><Pty><Nm>Example Supplies ${index % 500}</Nm><PstlAdr><StrtNm>Harbour Road</StrtNm><BldgNb>${index % 99}</BldgNb><PstCd>10115</PstCd><TwnNm>Berlin</TwnNm><Ctry>DE</Ctry></PstlAdr></Pty></${party}><${party}Acct><Id><IBAN>DE89370400440532013000</IBAN></Id></${party}Acct></RltdPties>
<RltdAgts><${party}Agt><FinInstnId><BICFI>BANKDEFFXXX</BICFI></FinInstnId></${party}Agt></RltdAgts>
<RmtInf><Ustrd>Invoice ${pad(index)} of January, customer number 4711, thank you</Ustrd></RmtInf>
</TxDtls></NtryDtls>
</Ntry>
`;
};

/** A camt.053 with one statement. Entries cancel in pairs, so that its balances are known before them. */
export function* camtText(count: number): Generator<string, void, void> {
  yield (
    camtHead + camtBalance("OPBD", "2025-12-31", "1000.00") + camtBalance("CLBD", "2026-01-31", "1000.00")
  );
  for (let index = 0; index < count; index += 2)
    yield camtEntry(index, "CRDT") + camtEntry(index + 1, "DBIT");
  yield "</Stmt></BkToCstmrStmt></Document>\n";
}

export const informationOf = {
  none: () => "",
  plain: (index: number) =>
    `:86:INV-${pad(index)} Example Supplies ${index % 500} DE89370400440532013000\r\nInvoice ${pad(index)} of January, customer number 4711\r\n`,
  words: (index: number) =>
    `:86:/EREF/INV-${pad(index)}//ORDP//NAME/Example Supplies ${index % 500}//IB\r\nAN/DE89370400440532013000//BIC/BANKDEFFXXX//REMI/USTD//Invoice 0000\r\n${pad(index)} of January, customer number 4711\r\n`,
  subfields: (index: number) =>
    `:86:166?00GUTSCHRIFT?109310?20EREF+INV-${pad(index)}?21KREF+NONREF?22SVWZ+\r\nInvoice ${pad(index)} of?23 January, customer number?24 4711?30BANKDEFFX\r\nXX?31DE89370400440532013000?32Example Supplies ${index % 500}\r\n`,
} as const satisfies Record<string, (index: number) => string>;

const entriesPerMessage = 20;

/** MT940 with one statement in messages of 20 entries, which cancel in pairs. */
export function* mt940Text(
  count: number,
  information: keyof typeof informationOf = "words",
): Generator<string, void, void> {
  for (let start = 0, page = 1; start < count; start += entriesPerMessage, page += 1) {
    const end = Math.min(start + entriesPerMessage, count);
    const [opening, closing] = [page === 1 ? "F" : "M", end === count ? "F" : "M"];
    let text = `:20:STARTUMSE\r\n:25:DE02120300000000202051\r\n:28C:00012/${pad(page, 5)}\r\n:60${opening}:C251231EUR1000,00\r\n`;
    for (let index = start; index < end; index += 1) {
      const day = dayOf(start).slice(2).replaceAll("-", "");
      const amount = centsOf(index >> 1).replace(".", ",");
      text += `:61:${day}${day.slice(2)}${index % 2 === 0 ? "C" : "D"}${amount}NTRFCUST-${pad(index)}//BANK-${pad(index)}\r\n${informationOf[information](index)}`;
    }
    yield `${text}:62${closing}:C260131EUR1000,00\r\n-\r\n`;
  }
}

const makers: Readonly<Record<string, (count: number) => Iterable<string>>> = {
  camt: camtText,
  mt940: mt940Text,
  "mt940-none": (count) => mt940Text(count, "none"),
  "mt940-plain": (count) => mt940Text(count, "plain"),
  "mt940-subfields": (count) => mt940Text(count, "subfields"),
};

if (require.main === module) {
  const [kind = "", count = ""] = process.argv.slice(2);
  void pipeline(makers[kind]!(Number(count)), process.stdout);
}
