/** pain.002 documents: the status of a payment that was initiated with a pain.001 document (ISO 20022). */
import { notProvided, type Pain001, type Sums } from "../world/open-banking/pain001";
import type { TransactionStatus } from "../world/enumerations";
import type { Payment, PaymentStatus, StatusReason } from "../world/open-banking/payment";
import { writeElements, type Xml, xmlDeclaration } from "./xml";

/** A version of the report: how it says what its code list has no word for. */
interface ReportVersion {
  readonly name: string;
  readonly substituteStatuses: Readonly<Partial<Record<PaymentStatus, TransactionStatus>>>;
}

/** By the version of pain.001 that is reported on. A payment that was cancelled is rejected, by the order of its owner. */
const reportVersions: Readonly<Record<string, ReportVersion>> = {
  "pain.001.001.03": { name: "pain.002.001.03", substituteStatuses: { PATC: "PDNG", CANC: "RJCT" } },
  "pain.001.001.09": { name: "pain.002.001.10", substituteStatuses: { CANC: "RJCT" } },
};

const cancelled: StatusReason = { code: "DS02", text: "It was cancelled." };

const statusReasonOf = ({ status, rejection }: Payment) => (status === "CANC" ? cancelled : rejection);

const reasonElement = (reason: StatusReason | undefined): Xml | undefined =>
  reason && { Rsn: { Cd: reason.code }, AddtlInf: reason.text };

const originalSums = ({ NbOfTxs, CtrlSum }: Sums): Xml => ({ OrgnlNbOfTxs: NbOfTxs, OrgnlCtrlSum: CtrlSum });

/** One by one, where not all have the same status, or are rejected for different reasons. */
const transactionElements = ({ transfers, unpaid }: Payment): Xml[] =>
  unpaid.size === 0
    ? []
    : transfers.map((transfer) => ({
        OrgnlEndToEndId: transfer.endToEndIdentification ?? notProvided,
        TxSts: unpaid.has(transfer) ? "RJCT" : "ACSC",
        StsRsnInf: reasonElement(unpaid.get(transfer)),
      }));

/** The statuses and reasons are those of the version's code lists. */
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
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${reportName}`;
  return xmlDeclaration + writeElements({ Document: { "@xmlns": namespace, CstmrPmtStsRpt: report } });
}
