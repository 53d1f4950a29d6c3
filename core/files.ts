/** Converts bank statement files to and from one typed statement. */
export { minorUnits } from "./values/values";
export { toAscii } from "./files/charset";
export { normaliseCoda } from "./files/coda/normalise";
export { readCoda, readCodaParts } from "./files/coda/read";
export { writeCoda } from "./files/coda/write";
export { readCamt, readCamtParts } from "./files/camt/read";
export { type CamtVersion, writeCamt } from "./files/camt/write";
export { type Loss, LossCounter } from "./files/losses";
export { escapeFormula, formatRow as csvRow } from "./files/csv/cells";
export { readBankCsv, readBankCsvParts } from "./files/csv/bank-read";
export { csvLayouts, CsvMap } from "./files/csv/map";
export { type CsvPlan, planCsv } from "./files/csv/plan";
export { readCsv, readCsvParts } from "./files/csv/read";
export { normaliseCsv, writeCsv } from "./files/csv/write";
export {
  type Format,
  FormatError,
  type FormatErrorCode,
  type Position,
  type ReadOptions,
  type Severity,
  type Violation,
} from "./files/format-error";
export { isBelgianReference, isIban, isIsoReference } from "./files/identifiers";
export { type Mt940Options, normaliseMt940 } from "./files/mt940/fields";
export { readMt940, readMt940Parts } from "./files/mt940/read";
export { writeMt940 } from "./files/mt940/write";
export {
  type PaymentStatusReason,
  type PaymentStatusReport,
  readPain002,
  type ReportedPayment,
} from "./files/pain002";
export {
  type Transfer,
  type TransferBatch,
  type TransferFile,
  type TransferParty,
  writePain001,
} from "./files/pain001-write";
export type { StatementPart } from "./files/statement-parts";
export type {
  Account,
  Balance,
  Batch,
  Charge,
  Counterparty,
  CreditDebit,
  Entry,
  EntryStatus,
  Exchange,
  Money,
  PostalAddress,
  RemittanceDocument,
  Source,
  Statement,
  StatementHead,
  StatementKind,
  StatementSource,
  StatementTail,
  TypedBalance,
} from "./files/statement";
export { signedAmount } from "./files/statement";
export { collectText, type TextSource } from "./files/text-lines";
