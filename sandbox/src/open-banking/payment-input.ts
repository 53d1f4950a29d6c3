/** What is asked for when a payment is initiated, in JSON or as a pain.001 document. */
import type { BehavioursOf } from "../behaviour";
import { DomainError } from "../world/domain-error";
import { notProvided, type Pain001 } from "../world/open-banking/pain001";
import { atExecutionHour } from "../world/open-banking/payment-lifecycle";
import type { AccountReference } from "../world/open-banking/references";
import type { StandingOrder } from "../world/open-banking/standing-order";

/** The values that initiate a payment, of whatever service. */
export type Initiation = Omit<
  Parameters<BehavioursOf<"payments">["payments.initiate"]>[0]["values"],
  "payment-service"
>;

/** What a credit is made from: the body of a single payment, or an element of a bulk. */
export type NewTransfer = NonNullable<Initiation["payments"]>[number];

/** A payment as it is asked for, whatever it was written in. */
export interface PaymentInput {
  readonly debtorAccount: AccountReference;
  readonly transfers: readonly NewTransfer[];
  /** Not before this time. */
  readonly requestedAt: Date | undefined;
  /** One entry on the account for all transfers. */
  readonly asBatch: boolean;
}

/** A time that names no zone is one in UTC, wherever the sandbox runs. */
const parseTime = (text: string): Date => new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);

function requestedTime({ requestedExecutionDate: day, requestedExecutionTime: time }: Initiation) {
  if (time !== undefined) return parseTime(time);
  return day === undefined ? undefined : atExecutionHour(day);
}

/** The rules of the operation see to it that the fields are there. */
export const parseJsonPayment = (values: Initiation): PaymentInput => ({
  debtorAccount: values.debtorAccount!,
  transfers: values.payments ?? [values as NewTransfer],
  requestedAt: requestedTime(values),
  asBatch: values.batchBookingPreferred === true,
});

/** What of the request makes it a standing order; the rules see to the fields again. */
export const parseStandingOrder = ({
  startDate,
  endDate,
  frequency,
  executionRule,
  dayOfExecution,
  monthsOfExecution,
}: Initiation): StandingOrder => ({
  startDate: startDate!,
  endDate,
  frequency: frequency!,
  executionRule,
  dayOfExecution,
  monthsOfExecution,
});

type Information = Pain001["information"];

function executionTime({ ReqdExctnDt: day }: Information): Date {
  if (typeof day === "string") return atExecutionHour(day);
  return "Dt" in day ? atExecutionHour(day.Dt) : parseTime(day.DtTm);
}

const parseAccount = ({ Id, Ccy }: Information["DbtrAcct"]): AccountReference => ({
  ...("IBAN" in Id ? { iban: Id.IBAN } : { bban: Id.Othr.Id }),
  ...(Ccy !== undefined && { currency: Ccy }),
});

function parseTransfer(transfer: Information["CdtTrfTxInf"][number]): NewTransfer {
  const { PmtId, Amt, CdtrAgt, Cdtr, CdtrAcct, RmtInf } = transfer;
  const { "@Ccy": currency, "#text": amount } = Amt.InstdAmt;
  const bic = CdtrAgt?.FinInstnId.BICFI ?? CdtrAgt?.FinInstnId.BIC;
  return {
    instructedAmount: { currency, amount },
    creditorAccount: parseAccount(CdtrAcct),
    creditorName: Cdtr.Nm,
    creditorAgent: bic,
    endToEndIdentification: PmtId.EndToEndId === notProvided ? undefined : PmtId.EndToEndId,
    remittanceInformationUnstructured: RmtInf?.Ustrd?.join(" "),
  };
}

/** Only a bulk has several transfers. */
export function parseXmlPayment({ information }: Pain001, service: string): PaymentInput {
  const { DbtrAcct, BtchBookg, CdtTrfTxInf } = information;
  if (service !== "bulk-payments" && CdtTrfTxInf.length !== 1)
    throw new DomainError("format-error", "CdtTrfTxInf must be there once.");
  return {
    debtorAccount: parseAccount(DbtrAcct),
    transfers: CdtTrfTxInf.map(parseTransfer),
    requestedAt: executionTime(information),
    asBatch: BtchBookg === "true" || BtchBookg === "1",
  };
}
