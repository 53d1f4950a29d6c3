/** Parses payment initiations in JSON and pain.001. */
import type { BehavioursOf } from "../calls/behaviour";
import { DomainError } from "../world/common/domain-error";
import { notProvided, type Pain001 } from "../world/model/pain001";
import { atExecutionHour } from "../world/open-banking/payment-lifecycle";
import type { AccountReference } from "../world/model/account";
import type { StandingOrder } from "../world/model/payment";

/** Values of a payment initiation, for any payment service. */
export type Initiation = Omit<
  Parameters<BehavioursOf<"payments">["payments.initiate"]>[0]["values"],
  "payment-service"
>;

/** Input of one credit transfer: the body of a single payment, or one element of a bulk payment. */
export type NewTransfer = NonNullable<Initiation["payments"]>[number];

/** A transfer of either format. */
export type GivenTransfer = NewTransfer & { readonly hasIncompleteAddress: boolean };

/** Requested payment, independent of the input format. */
export interface PaymentInput {
  readonly debtorAccount: AccountReference;
  readonly transfers: readonly GivenTransfer[];
  /** Earliest execution time. */
  readonly requestedAt: Date | undefined;
  /** True to book all transfers as one entry. */
  readonly asBatch: boolean;
}

/** Parses a time. Without a zone it is UTC, whatever the zone of the machine. */
const parseTime = (text: string): Date => new Date(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);

function requestedTime({ requestedExecutionDate: day, requestedExecutionTime: time }: Initiation) {
  if (time !== undefined) return parseTime(time);
  return day === undefined ? undefined : atExecutionHour(day);
}

/** Parses a JSON payment. The rules of the operation guarantee the required fields. */
export const parseJsonPayment = (values: Initiation): PaymentInput => ({
  debtorAccount: values.debtorAccount!,
  transfers: (values.payments ?? [values as NewTransfer]).map((each) => ({
    ...each,
    hasIncompleteAddress: each.creditorAddress !== undefined && each.creditorAddress.townName === undefined,
  })),
  requestedAt: requestedTime(values),
  asBatch: values.batchBookingPreferred === true,
});

/** Parses the standing-order fields. The rules of the operation guarantee the required ones. */
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

function parseTransfer(transfer: Information["CdtTrfTxInf"][number]): GivenTransfer {
  const { PmtId, Amt, CdtrAgt, Cdtr, CdtrAcct, RmtInf } = transfer;
  const { "@Ccy": currency, "#text": amount } = Amt.InstdAmt;
  const { PstlAdr: address } = Cdtr;
  const bic = CdtrAgt?.FinInstnId.BICFI ?? CdtrAgt?.FinInstnId.BIC;
  return {
    instructedAmount: { currency, amount },
    creditorAccount: parseAccount(CdtrAcct),
    creditorName: Cdtr.Nm,
    creditorAgent: bic,
    hasIncompleteAddress:
      address !== undefined && (address.TwnNm === undefined || address.Ctry === undefined),
    endToEndIdentification: PmtId.EndToEndId === notProvided ? undefined : PmtId.EndToEndId,
    remittanceInformationUnstructured: RmtInf?.Ustrd?.join(" "),
  };
}

/** Parses a pain.001 payment. Throws if it has several transfers but is not a bulk payment. */
export function parseXmlPayment({ information }: Pain001, service: string): PaymentInput {
  const { DbtrAcct, BtchBookg, CdtTrfTxInf } = information;
  if (service !== "bulk-payments" && CdtTrfTxInf.length !== 1)
    throw new DomainError("format-error", "CdtTrfTxInf must occur exactly once.");
  return {
    debtorAccount: parseAccount(DbtrAcct),
    transfers: CdtTrfTxInf.map(parseTransfer),
    requestedAt: executionTime(information),
    asBatch: BtchBookg === "true" || BtchBookg === "1",
  };
}
