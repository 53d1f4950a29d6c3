/** Reads payment status reports (pain.002, ISO 20022) into words: which payment, which status, why, and what to do. */
import { FormatError } from "./format-error";
import { type Money, withoutUndefined } from "./statement";
import type { TextSource } from "./text-lines";
import { childOf, childrenOf, parseXml, textOf, type XmlElement } from "./xml";

/** A reason of a status. `meaning` and `action` are missing for a code that fxdesk does not know. */
export interface PaymentStatusReason {
  /** ISO 20022 code, or the bank's own. */
  readonly code?: string;
  readonly meaning?: string;
  readonly action?: string;
  /** Text of the bank. */
  readonly text?: string;
}

/** The status of one payment, or of all payments of a batch or message whose report names none. */
export interface ReportedPayment {
  readonly level: "message" | "batch" | "payment";
  readonly messageId?: string;
  readonly paymentInformationId?: string;
  readonly instructionId?: string;
  readonly endToEndId?: string;
  readonly uetr?: string;
  readonly amount?: Money;
  /** ISO 20022 code; undefined if the report gives none at any level. */
  readonly status?: string;
  readonly meaning?: string;
  /** True if the status cannot change any more. */
  readonly final: boolean;
  readonly reasons: readonly PaymentStatusReason[];
}

export interface PaymentStatusReport {
  readonly messageId?: string;
  readonly createdAt?: string;
  readonly originalMessageId?: string;
  readonly payments: readonly ReportedPayment[];
}

const statusMeanings: Readonly<Record<string, string>> = {
  RCVD: "The bank received the payment.",
  ACTC: "The technical checks passed.",
  ACCP: "The bank accepted the payment after checking the customer.",
  ACSP: "The bank is executing the payment.",
  ACSC: "The payment is settled on the payer's account.",
  ACCC: "The payment is on the payee's account.",
  ACWC: "The bank accepted the payment with a change.",
  ACWP: "The bank accepted the payment, but has not posted it to the payee's account.",
  PATC: "Signatures are missing.",
  PDNG: "The payment is pending.",
  PART: "Some payments are accepted, others are not.",
  CANC: "The payment was cancelled.",
  RJCT: "The bank rejected the payment.",
  RCVC: "The payee's name matches the account.",
  RVMC: "The payee's name nearly matches the account.",
  RVNM: "The payee's name does not match the account.",
  RVNA: "The payee's name could not be checked.",
  RVCM: "Some payees' names do not match their accounts.",
  RVNC: "The check of payees' names is not complete.",
};

const finalStatuses = new Set(["RJCT", "CANC", "ACSC", "ACCC"]);

const [
  correctAccount,
  correctPayee,
  correctPayer,
  correctBank,
  correctDate,
  correctFile,
  askPayee,
  lookForOther,
] = [
  "Ask the payee for the account number and correct it.",
  "Correct the payee's data.",
  "Correct the payer's data.",
  "Correct the BIC or bank code, or leave it out beside an IBAN.",
  "Choose another execution date.",
  "Correct the payment file and send it again.",
  "Do not send again. Ask the payee for another account.",
  "Look for the earlier payment first. Send again only if it was not executed.",
];
const addAddress = "Give town and country in their own fields, or leave the address out.";
const readText = "Read the bank's text, or ask the bank.";

const reasonTable: Readonly<Record<string, readonly [meaning: string, action: string]>> = {
  AC01: ["The account number is wrong.", correctAccount],
  AC02: ["The payer's account number is wrong.", correctPayer],
  AC03: ["The payee's account number is wrong.", correctAccount],
  AC04: ["The account is closed.", askPayee],
  AC06: ["The account is blocked.", askPayee],
  AC13: ["The kind of account is not allowed for this payment.", askPayee],
  AG01: ["This payment is not allowed on the account.", "Choose another kind of payment, or ask the bank."],
  AG02: ["The operation code is wrong.", "Choose another kind of payment."],
  AG03: ["The bank does not support this kind of payment.", "Choose another kind of payment."],
  AM02: ["The amount is above the allowed maximum.", "Ask the bank before you split the payment."],
  AM04: ["The account lacks funds.", "Fund the account, then send again."],
  AM05: ["The payment is a duplicate.", lookForOther],
  AM09: ["The amount received is not the amount agreed.", "Check the amount."],
  AM10: ["The control sum is wrong.", correctFile],
  AM12: ["The amount is invalid.", "Correct the amount and its decimals."],
  AM13: ["The amount is above the limit of the clearing system.", "Choose another kind of payment."],
  AM14: ["The amount is above the limit agreed with the bank.", "Ask the bank to raise the limit."],
  BE01: ["Name and account number do not belong together.", correctPayee],
  BE04: ["The payee's address is missing or wrong.", addAddress],
  BE05: ["The bank does not recognise the sender.", "Check the identifications agreed with the bank."],
  BE06: ["The payee is unknown at the bank.", correctPayee],
  BE07: ["The payer's address is missing or wrong.", addAddress],
  BE08: ["The payer's name is missing or wrong.", correctPayer],
  BE09: ["The country code is missing or wrong.", "Use the ISO country code of two letters."],
  BE10: ["The payer's country code is missing or wrong.", "Use the ISO country code of two letters."],
  BE11: ["The payee's country code is missing or wrong.", "Use the ISO country code of two letters."],
  BE20: ["The name is too long.", "Shorten the name to 70 characters."],
  BE22: ["The payee's name is missing or wrong.", correctPayee],
  CH03: ["The execution date is too far ahead.", correctDate],
  CH16: ["The content of an element is wrong.", readText],
  CH17: ["An element is not allowed.", readText],
  CH20: ["The currency does not allow that many decimals.", "Correct the decimals of the amount."],
  CH21: ["A required element is missing.", readText],
  CNOR: ["The payee's bank cannot be reached by this kind of payment.", "Choose another kind of payment."],
  CUST: ["The payer asked for it.", "Nothing to do."],
  DS02: ["The account owner cancelled the payment.", "Nothing to do."],
  DT01: ["The date is invalid.", correctDate],
  DT06: ["The bank moved the execution date.", "Nothing to do."],
  DU01: ["The message ID was used before.", lookForOther],
  DU02: ["The batch ID was used before.", lookForOther],
  DU03: ["The transaction was sent before.", lookForOther],
  DU04: ["The end-to-end reference was used before.", lookForOther],
  DU05: ["The instruction ID was used before.", lookForOther],
  DUPL: ["The payment is a duplicate.", lookForOther],
  FF01: ["The file does not have the required format.", correctFile],
  FF05: ["The local instrument is wrong.", "Choose another kind of payment."],
  FF10: [
    "The bank had a fault of its own.",
    "Ask the bank, and send again only if the payment was not executed.",
  ],
  FOCR: ["The payment was cancelled after a recall.", "Nothing to do."],
  FRAD: ["The payment was cancelled as fraud.", "Stop, and ask the bank."],
  MD07: ["The account holder has died.", askPayee],
  MS02: ["The payee or payer gave no reason.", readText],
  MS03: ["The bank gives no reason.", "Ask the bank."],
  NARR: ["The reason is in the bank's text.", readText],
  RC01: ["The bank identification is wrong.", correctBank],
  RC03: ["The payer's bank identification is wrong.", correctBank],
  RC04: ["The payee's bank identification is wrong.", correctBank],
  RR01: ["A regulation requires the payer's account or identification.", correctPayer],
  RR02: ["A regulation requires the payer's name or address.", addAddress],
  RR03: ["A regulation requires the payee's name or address.", addAddress],
  RR04: ["A regulation prevents the payment.", "Ask the bank."],
  RR10: [
    "The text has characters that the bank does not accept.",
    "Use letters, digits and / - ? : ( ) . , ' + only.",
  ],
  TD03: ["The kind of payment is wrong.", "Choose another kind of payment."],
  TM01: ["The payment came after the cut-off time.", correctDate],
};

function reasonsOf(element: XmlElement): PaymentStatusReason[] {
  return childrenOf(element, "StsRsnInf").map((information) => {
    const code = textOf(information, "Rsn", "Cd") ?? textOf(information, "Rsn", "Prtry");
    const known = code !== undefined && Object.hasOwn(reasonTable, code) ? reasonTable[code] : undefined;
    const texts = childrenOf(information, "AddtlInf").map(({ text }) => text.trim());
    return withoutUndefined<PaymentStatusReason>({
      code,
      meaning: known?.[0],
      action: known?.[1],
      text: texts.join(" ") || undefined,
    });
  });
}

/** Status and reasons of a level; those of the level above apply where it has none. */
interface Outcome {
  readonly status: string | undefined;
  readonly reasons: readonly PaymentStatusReason[];
}

function outcomeOf(element: XmlElement, name: string, above: Outcome): Outcome {
  const status = textOf(element, name);
  const reasons = reasonsOf(element);
  if (status === undefined)
    return { status: above.status, reasons: reasons.length > 0 ? reasons : above.reasons };
  return { status, reasons: reasons.length > 0 || status !== above.status ? reasons : above.reasons };
}

const describe = ({ status, reasons }: Outcome) => ({
  status,
  meaning: status !== undefined && Object.hasOwn(statusMeanings, status) ? statusMeanings[status] : undefined,
  final: status !== undefined && finalStatuses.has(status),
  reasons,
});

function amountOf(transaction: XmlElement): Money | undefined {
  const amounts = childOf(transaction, "OrgnlTxRef", "Amt");
  const element = childOf(amounts, "InstdAmt") ?? childOf(amounts, "EqvtAmt", "Amt");
  const amount = element?.text.trim();
  const currency = element?.attributes.Ccy;
  return amount && currency && /^\d{1,18}(\.\d{1,5})?$/.test(amount) ? { amount, currency } : undefined;
}

function reportOf(root: XmlElement): PaymentStatusReport {
  const group = childOf(root, "OrgnlGrpInfAndSts");
  const originalMessageId = textOf(group, "OrgnlMsgId");
  const ofGroup: Outcome = group
    ? outcomeOf(group, "GrpSts", { status: undefined, reasons: [] })
    : { status: undefined, reasons: [] };
  // Version .02 has transactions beside batches.
  const batches = childrenOf(root, "OrgnlPmtInfAndSts");
  const payments = batches.flatMap((batch): ReportedPayment[] => {
    const ofBatch = outcomeOf(batch, "PmtInfSts", ofGroup);
    const ids = { messageId: originalMessageId, paymentInformationId: textOf(batch, "OrgnlPmtInfId") };
    const transactions = childrenOf(batch, "TxInfAndSts");
    if (transactions.length === 0)
      return [withoutUndefined<ReportedPayment>({ level: "batch", ...ids, ...describe(ofBatch) })];
    return transactions.map((transaction) =>
      withoutUndefined<ReportedPayment>({
        level: "payment",
        ...ids,
        instructionId: textOf(transaction, "OrgnlInstrId"),
        endToEndId: textOf(transaction, "OrgnlEndToEndId"),
        uetr: textOf(transaction, "OrgnlUETR"),
        amount: amountOf(transaction),
        ...describe(outcomeOf(transaction, "TxSts", ofBatch)),
      }),
    );
  });
  const whole = { level: "message", messageId: originalMessageId, ...describe(ofGroup) } as const;
  return withoutUndefined<PaymentStatusReport>({
    messageId: textOf(root, "GrpHdr", "MsgId"),
    createdAt: textOf(root, "GrpHdr", "CreDtTm"),
    originalMessageId,
    payments: payments.length > 0 ? payments : [withoutUndefined<ReportedPayment>(whole)],
  });
}

/**
 * Reads the payment status report of a pain.002 text or text stream, in any version from .03 on. The status of a payment wins
 * over that of its batch, and this over that of the message. Codes that fxdesk does not know pass through.
 *
 * Throws a FormatError for malformed XML and for other messages.
 */
export async function readPain002(source: TextSource): Promise<PaymentStatusReport> {
  let report: XmlElement | undefined;
  let rootName = "";
  const xml = parseXml(source, {
    format: "pain",
    close: (element, parent) => {
      if (parent.name === "") rootName = element.name;
      if (element.name !== "CstmrPmtStsRpt") return true;
      report ??= element;
      return true;
    },
  });
  for await (const _ of xml);
  if (report) return reportOf(report);
  throw new FormatError(
    "unrecognised",
    { format: "pain", field: rootName || "XML", line: 1 },
    "the file has no payment status report (pain.002)",
  );
}
