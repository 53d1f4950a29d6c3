/** pain.002 documents: the status of a payment that was initiated with a pain.001 document (ISO 20022). */
import { notProvided, type Pain001, type Sums } from "../world/open-banking/pain001";
import type { TransactionStatus } from "../world/enumerations";
import type { Payment, PaymentStatus, StatusReason } from "../world/open-banking/payment";
import { elements, type Xml, xmlDeclaration } from "./xml";

/** A version of the report: how it says what its code list has no word for. */
interface Version {
  readonly name: string;
  readonly inOtherWords: Readonly<Partial<Record<PaymentStatus, TransactionStatus>>>;
}

/** By the version of pain.001 that is reported on. A payment that was cancelled is rejected, by the order of its owner. */
const versions: Readonly<Record<string, Version>> = {
  "pain.001.001.03": { name: "pain.002.001.03", inOtherWords: { PATC: "PDNG", CANC: "RJCT" } },
  "pain.001.001.09": { name: "pain.002.001.10", inOtherWords: { CANC: "RJCT" } },
};

const cancelled: StatusReason = { code: "DS02", text: "It was cancelled." };

const reasonOf = ({ status, rejection }: Payment) => (status === "CANC" ? cancelled : rejection);

const reasonIn = (reason: StatusReason | undefined): Xml | undefined =>
  reason && { Rsn: { Cd: reason.code }, AddtlInf: reason.text };

const original = ({ NbOfTxs, CtrlSum }: Sums): Xml => ({ OrgnlNbOfTxs: NbOfTxs, OrgnlCtrlSum: CtrlSum });

/** One by one, where not all have the same status, or are rejected for different reasons. */
const transactions = ({ transfers, unpaid }: Payment): Xml[] =>
  unpaid.size === 0
    ? []
    : transfers.map((transfer) => ({
        OrgnlEndToEndId: transfer.endToEndIdentification ?? notProvided,
        TxSts: unpaid.has(transfer) ? "RJCT" : "ACSC",
        StsRsnInf: reasonIn(unpaid.get(transfer)),
      }));

/** The statuses and reasons are those of the version's code lists. */
export function pain002(payment: Payment, document: Pain001, now: Date): string {
  const { paymentId } = payment;
  const { name, header, information } = document;
  const { name: reportName, inOtherWords } = versions[name]!;
  const status = inOtherWords[payment.status] ?? payment.status;
  const reason = reasonIn(reasonOf(payment));
  const report: Xml = {
    GrpHdr: { MsgId: paymentId.replaceAll("-", ""), CreDtTm: now.toISOString() },
    OrgnlGrpInfAndSts: {
      OrgnlMsgId: header.MsgId,
      OrgnlMsgNmId: name,
      OrgnlCreDtTm: header.CreDtTm,
      ...original(header),
      GrpSts: status,
      StsRsnInf: reason,
    },
    OrgnlPmtInfAndSts: {
      OrgnlPmtInfId: information.PmtInfId,
      ...original(information),
      PmtInfSts: status,
      StsRsnInf: reason,
      TxInfAndSts: transactions(payment),
    },
  };
  const namespace = `urn:iso:std:iso:20022:tech:xsd:${reportName}`;
  return xmlDeclaration + elements({ Document: { "@xmlns": namespace, CstmrPmtStsRpt: report } });
}
