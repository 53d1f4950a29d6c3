/** Payment status reports for payments initiated with pain.001 (ISO 20022 pain.002). */
import { notProvided, type Pain001, type Sums } from "../world/model/pain001";
import type { TransactionStatus } from "../world/common/enumerations";
import type { Payment, PaymentStatus, StatusReason } from "../world/model/payment";
import { writeElements, type Xml, xmlDeclaration } from "./xml";

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
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${reportName}`;
  return xmlDeclaration + writeElements({ Document: { "@xmlns": namespace, CstmrPmtStsRpt: report } });
}
