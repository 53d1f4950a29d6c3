/** pain.002 documents: the status of a payment that was initiated with a pain.001 document (ISO 20022). */
import { notProvided, type Pain001, type Sums } from "./pain001";
import type { Payment } from "./payment";
import { elements, type Xml, xmlDeclaration } from "./xml";

/** The version that returns each version of pain.001. */
const statusReports: Readonly<Record<string, string>> = {
  "pain.001.001.03": "pain.002.001.03",
  "pain.001.001.09": "pain.002.001.10",
};

const original = ({ NbOfTxs, CtrlSum }: Sums): Xml => ({ OrgnlNbOfTxs: NbOfTxs, OrgnlCtrlSum: CtrlSum });

/** One by one, where not all have the same status. */
function transactions({ status, transfers, unpaid }: Payment): Xml[] {
  if (status !== "PART") return [];
  const rejected = new Set(unpaid);
  return transfers.map((transfer) => ({
    OrgnlEndToEndId: transfer.endToEndIdentification ?? notProvided,
    TxSts: rejected.has(transfer) ? "RJCT" : "ACSC",
  }));
}

/** The statuses are the standard's, of which the schema of version 03 lacks PATC and CANC. */
export function pain002(payment: Payment, document: Pain001, now: Date): string {
  const { paymentId, status } = payment;
  const { name, header, information } = document;
  const report: Xml = {
    GrpHdr: { MsgId: paymentId.replaceAll("-", ""), CreDtTm: now.toISOString() },
    OrgnlGrpInfAndSts: {
      OrgnlMsgId: header.MsgId,
      OrgnlMsgNmId: name,
      OrgnlCreDtTm: header.CreDtTm,
      ...original(header),
      GrpSts: status,
    },
    OrgnlPmtInfAndSts: {
      OrgnlPmtInfId: information.PmtInfId,
      ...original(information),
      PmtInfSts: status,
      TxInfAndSts: transactions(payment),
    },
  };
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${statusReports[name]}`;
  return xmlDeclaration + elements({ Document: { "@xmlns": namespace, CstmrPmtStsRpt: report } });
}
