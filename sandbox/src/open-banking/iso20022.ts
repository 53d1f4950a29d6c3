/** Writes statements as camt.053.001.02 and payment status reports as pain.002 (ISO 20022). */
import XmlBuilder from "fast-xml-builder";
import { type Balance, type Counterparty, type Entry, isIban } from "@fxdesk/toolkit/formats";
import type { AccountStatement } from "../world/model/statement";
import { notProvided, type Pain001, type Sums } from "../world/model/pain001";
import { toEntryReference } from "../world/model/account";
import type { TransactionStatus } from "../world/common/enumerations";
import type { Payment, PaymentStatus, StatusReason } from "../world/model/payment";

type Xml = {
  readonly [name: string]: Xml | readonly Xml[] | readonly string[] | string | number | undefined;
};

/** Characters that XML cannot represent, escaped or not. */
const invalidXmlCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const builder = new XmlBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  tagValueProcessor: (_name, value) => String(value).replace(invalidXmlCharacters, " "),
});

/** Writes a message as an XML document and omits undefined elements. */
const writeDocument = (name: string, message: Xml): string =>
  '<?xml version="1.0" encoding="UTF-8"?>\n' +
  builder.build({ Document: { "@xmlns": `urn:iso:std:iso:20022:tech:xsd:${name}`, ...message } });

const indicators = { Credit: "CRDT", Debit: "DBIT" } as const;

const amountElements = (
  { amount, creditDebit }: Pick<Entry, "amount" | "creditDebit">,
  currency: string,
): Xml => ({
  Amt: { "@Ccy": currency, "#text": amount },
  CdtDbtInd: indicators[creditDebit],
});

const dateElement = (day: string): Xml => ({ Dt: day });

const balanceElement = (type: "OPBD" | "CLBD", balance: Balance, currency: string): Xml => ({
  Tp: { CdOrPrtry: { Cd: type } },
  ...amountElements(balance, currency),
  Dt: dateElement(balance.date),
});

const accountIdElement = (number: string): Xml =>
  isIban(number) ? { IBAN: number } : { Othr: { Id: number } };

const agentElement = (bic: string | undefined): Xml | undefined =>
  bic === undefined ? undefined : { FinInstnId: { BIC: bic } };

/** Splits a text into pieces of at most `length` characters. */
const splitText = (text: string, length: number): string[] =>
  text.match(new RegExp(`[^]{1,${length}}`, "gu")) ?? [];

/** Truncates a text. Returns undefined for an empty one. */
const truncate = (text: string | undefined, length: number): string | undefined =>
  splitText(text ?? "", length)[0];

type TransactionCode = readonly [domain: string, family: string, subFamily: string];

const unknownCode: TransactionCode = ["XTND", "NTAV", "NTAV"];

/** ISO 20022 bank transaction codes by SWIFT transaction type, for credits and debits. */
const transactionCodes: Readonly<Record<string, Readonly<Record<Entry["creditDebit"], TransactionCode>>>> = {
  NFEX: { Credit: ["FORX", "SPOT", "OTHR"], Debit: ["FORX", "SPOT", "OTHR"] },
  NMAR: { Credit: ["FORX", "FWRD", "OTHR"], Debit: ["FORX", "FWRD", "OTHR"] },
  NCHG: { Credit: ["ACMT", "MCOP", "CHRG"], Debit: ["ACMT", "MDOP", "CHRG"] },
  NINT: { Credit: ["ACMT", "MCOP", "INTR"], Debit: ["ACMT", "MDOP", "INTR"] },
  NTRF: { Credit: ["PMNT", "RCDT", "OTHR"], Debit: ["PMNT", "ICDT", "OTHR"] },
  NRTI: { Credit: ["PMNT", "ICDT", "RRTN"], Debit: ["PMNT", "RCDT", "RRTN"] },
};

/** Returns the ISO 20022 bank transaction code of an entry. */
export const bankTransactionCode = (swift: string, creditDebit: Entry["creditDebit"]): TransactionCode =>
  transactionCodes[swift]?.[creditDebit] ?? unknownCode;

function transactionCodeElement({ transactionCode: swift = "NMSC", creditDebit }: Entry): Xml {
  const [domain, family, subFamily] = bankTransactionCode(swift, creditDebit);
  return {
    Domn: { Cd: domain, Fmly: { Cd: family, SubFmlyCd: subFamily } },
    Prtry: { Cd: swift, Issr: "SWIFT" },
  };
}

/** Returns the party and agent elements of the counterparty: debtor of a credit, creditor of a debit. */
function counterpartyElements({ name, account, bic }: Counterparty, { creditDebit }: Entry): Xml {
  const role = creditDebit === "Credit" ? "Dbtr" : "Cdtr";
  return {
    RltdPties: {
      [role]: { Nm: truncate(name, 140) },
      [`${role}Acct`]: account === undefined ? undefined : { Id: accountIdElement(account) },
    },
    RltdAgts: bic === undefined ? undefined : { [`${role}Agt`]: agentElement(bic) },
  };
}

function entryElement(entry: Entry, currency: string): Xml {
  const { bookingDate, valueDate, customerReference, endToEndId, bankReference, remittance } = entry;
  const reference = bankReference === undefined ? undefined : toEntryReference(bankReference);
  return {
    NtryRef: reference,
    ...amountElements(entry, currency),
    Sts: "BOOK",
    BookgDt: dateElement(bookingDate),
    ValDt: dateElement(valueDate),
    AcctSvcrRef: reference,
    BkTxCd: transactionCodeElement(entry),
    NtryDtls: {
      TxDtls: {
        Refs: {
          AcctSvcrRef: reference,
          InstrId: truncate(customerReference, 35),
          EndToEndId: truncate(endToEndId, 35) ?? notProvided,
        },
        ...(entry.counterparty && counterpartyElements(entry.counterparty, entry)),
        RmtInf: remittance === undefined ? undefined : { Ustrd: splitText(remittance, 140) },
      },
    },
    AddtlNtryInf: truncate(entry.additionalInformation, 500),
  };
}

function statementHead(statement: AccountStatement): Xml {
  const { account, reference, number, period, writtenAt, openingBalance, closingBalance } = statement;
  const { currency } = account;
  return {
    Id: reference,
    ElctrncSeqNb: number,
    CreDtTm: writtenAt.toISOString(),
    FrToDt: { FrDtTm: `${period.from}T00:00:00Z`, ToDtTm: `${period.to}T23:59:59Z` },
    Acct: {
      Id: accountIdElement(account.number),
      Ccy: currency,
      Ownr: { Nm: truncate(account.holder, 140) },
      Svcr: agentElement(account.bic),
    },
    Bal: [balanceElement("OPBD", openingBalance, currency), balanceElement("CLBD", closingBalance, currency)],
  };
}

/** Message ID. Unlike the statement ID, it differs each time the message is written. */
const messageId = ({ reference, writtenAt }: AccountStatement) =>
  `${reference}-${writtenAt.toISOString().replace(/\D/g, "")}`;

/** Writes the statement as an XML document. */
export function writeCamt053(statement: AccountStatement): string {
  const { account, entries, writtenAt } = statement;
  const message: Xml = {
    GrpHdr: { MsgId: messageId(statement), CreDtTm: writtenAt.toISOString() },
    Stmt: {
      ...statementHead(statement),
      Ntry: Array.from(entries, (entry) => entryElement(entry, account.currency)),
    },
  };
  return `${writeDocument("camt.053.001.02", { BkToCstmrStmt: message })}\n`;
}

/** Version of the report, with substitutes for statuses that its code list lacks. */
interface ReportVersion {
  readonly name: string;
  readonly substituteStatuses: Readonly<Partial<Record<PaymentStatus, TransactionStatus>>>;
}

/**
 * Report versions by pain.001 version. A cancelled payment is reported as rejected, with reason DS02 (ordered by its
 * owner).
 */
const reportVersions: Readonly<Record<string, ReportVersion>> = {
  "pain.001.001.03": { name: "pain.002.001.03", substituteStatuses: { PATC: "PDNG", CANC: "RJCT" } },
  "pain.001.001.09": { name: "pain.002.001.10", substituteStatuses: { CANC: "RJCT" } },
};

const cancelled: StatusReason = { code: "DS02", text: "The payment was cancelled." };

const statusReasonOf = ({ status, rejection }: Payment) => (status === "CANC" ? cancelled : rejection);

const reasonElement = (reason: StatusReason | undefined): Xml | undefined =>
  reason && { Rsn: { Cd: reason.code }, AddtlInf: reason.text };

const originalSums = ({ NbOfTxs, CtrlSum }: Sums): Xml => ({ OrgnlNbOfTxs: NbOfTxs, OrgnlCtrlSum: CtrlSum });

/** Lists single transactions if their statuses or reasons differ. */
const transactionElements = ({ transfers, unpaid }: Payment): Xml[] =>
  unpaid.size === 0
    ? []
    : transfers.map((transfer) => ({
        OrgnlEndToEndId: transfer.endToEndIdentification ?? notProvided,
        TxSts: unpaid.has(transfer) ? "RJCT" : "ACSC",
        StsRsnInf: reasonElement(unpaid.get(transfer)),
      }));

/** Writes the report with the code lists of its version. */
export function writePain002(payment: Payment, document: Pain001, now: Date): string {
  const { paymentId } = payment;
  const { name, header, information } = document;
  const { name: reportName, substituteStatuses } = reportVersions[name]!;
  const status = substituteStatuses[payment.status] ?? payment.status;
  const reason = reasonElement(statusReasonOf(payment));
  const report: Xml = {
    GrpHdr: { MsgId: paymentId.replaceAll("-", ""), CreDtTm: now.toISOString() },
    OrgnlGrpInfAndSts: {
      OrgnlMsgId: header.MsgId,
      OrgnlMsgNmId: name,
      OrgnlCreDtTm: header.CreDtTm,
      ...originalSums(header),
      GrpSts: status,
      StsRsnInf: reason,
    },
    OrgnlPmtInfAndSts: {
      OrgnlPmtInfId: information.PmtInfId,
      ...originalSums(information),
      PmtInfSts: status,
      StsRsnInf: reason,
      TxInfAndSts: transactionElements(payment),
    },
  };
  return writeDocument(reportName, { CstmrPmtStsRpt: report });
}
